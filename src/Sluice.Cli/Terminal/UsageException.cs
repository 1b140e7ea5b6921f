namespace Sluice.Cli.Terminal;

/// <summary>An invalid command line: one line on stderr, exit code 2.</summary>
internal sealed class UsageException(string message) : Exception(message);
