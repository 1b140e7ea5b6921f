namespace Sluice.Cli.Report.Pages;

/// <summary>Rows of cells under named columns; a row may have fewer cells than there are columns.</summary>
internal sealed record PageTable
{
    /// <summary>Above the table, where a section has several; it names the block in CSV too.</summary>
    public string? Title { get; init; }

    public required IReadOnlyList<PageColumn> Columns { get; init; }

    public required IReadOnlyList<PageRow> Rows { get; init; }
}
