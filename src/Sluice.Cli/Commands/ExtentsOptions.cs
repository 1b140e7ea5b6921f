using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `extents` command line.</summary>
internal sealed record ExtentsOptions(string Path)
{
    /// <summary>How many of the most fragmented files are listed.</summary>
    public int Worst { get; init; } = 10;

    /// <summary>How many extents of a single file are listed.</summary>
    public int ExtentLimit { get; init; } = 20;

    public bool Sync { get; init; }

    public PageOutput Output { get; init; } = new();
}
