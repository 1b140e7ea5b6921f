namespace Sluice.Cli.Report.Pages;

internal sealed record PageRow
{
    public PageRow()
    {
    }

    public PageRow(params IReadOnlyList<PageCell> cells)
    {
        Cells = cells;
    }

    public IReadOnlyList<PageCell> Cells { get; init => field = value ?? []; } = [];

    /// <summary>Names the row in every run of the same command, for `compare`; null: the first cell's text does.</summary>
    public string? Key { get; init; }

    /// <summary>Whether the row's target was reached; null where it has none.</summary>
    public bool? Reached { get; init; }

    /// <summary>What the mark stands for, such as "ratio >= 2.5".</summary>
    public string? Target { get; init; }
}
