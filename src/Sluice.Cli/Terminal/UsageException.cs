namespace Sluice.Cli.Terminal;

/// <summary>The command line asks for something impossible: one line on stderr, exit code 2.</summary>
internal sealed class UsageException(string message) : Exception(message);
