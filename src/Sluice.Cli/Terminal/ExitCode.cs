namespace Sluice.Cli.Terminal;

/// <summary>What the process ends with; documented in docs/cli.md.</summary>
internal static class ExitCode
{
    public const int Success = 0;
    public const int IoError = 1;
    public const int Usage = 2;

    /// <summary>128 + SIGINT, as shells report it.</summary>
    public const int Interrupted = 130;

    /// <summary>128 + SIGTERM.</summary>
    public const int Terminated = 143;
}
