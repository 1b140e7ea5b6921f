namespace Sluice.Cli.Terminal;

/// <summary>The exception for an invalid command line, which is printed as one line on stderr, with exit code 2.</summary>
internal sealed class UsageException(string message) : Exception(message);
