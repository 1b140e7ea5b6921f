namespace Sluice.Cli.Terminal;

/// <summary>The exit codes of the process, which docs/cli.md documents.</summary>
internal static class ExitCode
{
    public const int Success = 0;
    public const int IoError = 1;
    public const int Usage = 2;

    /// <summary>The exit code after SIGINT, 128 + 2, as in shells.</summary>
    public const int Interrupted = 130;

    /// <summary>The exit code after SIGTERM, 128 + 15.</summary>
    public const int Terminated = 143;
}
