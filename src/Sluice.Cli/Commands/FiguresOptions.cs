using Sluice.Cli.Programs.Figures;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `figures` command line.</summary>
internal sealed record FiguresOptions(string Directory)
{
    /// <summary>Numbers of the report's figures.</summary>
    public required IReadOnlySet<int> Figures { get; init; }

    public bool Quick { get; init; }

    public PageOutput Output { get; init; } = new();

    public FigureScale Scale => Quick ? FigureScale.Quick : FigureScale.Full;
}
