using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <summary>Rows of cells under named columns; a row may have fewer cells than there are columns.</summary>
internal sealed record PageTable
{
    /// <summary>Printed above the table if a section has several; in CSV it names the table.</summary>
    public string? Title { get; init; }

    public required IReadOnlyList<PageColumn> Columns { get; init; }

    public required IReadOnlyList<PageRow> Rows { get; init; }

    /// <summary>For tables with few rows and many columns: as text, columns are printed as lines, without empty ones.</summary>
    [JsonIgnore]
    public bool IsTurned { get; init; }

    /// <summary>Returns the table without columns that are empty in all rows.</summary>
    public PageTable WithoutEmptyColumns()
    {
        int[] filled = [.. Enumerable.Range(0, Columns.Count).Where(i => Rows.Any(r => i < r.Cells.Count && r.Cells[i].Text.Length > 0))];
        return this with
        {
            Columns = [.. filled.Select(i => Columns[i])],
            Rows = [.. Rows.Select(r => r with { Cells = [.. filled.Where(i => i < r.Cells.Count).Select(i => r.Cells[i])] })],
        };
    }
}

/// <param name="Unit">Of every number in the column, such as "MiB/s"; null without one.</param>
internal sealed record PageColumn(string Name, string? Unit = null, ColumnKind Kind = ColumnKind.Number)
{
    [JsonIgnore]
    public string Header => Unit is null ? Name : $"{Name}, {Unit}";

    public static PageColumn Text(string name) => new(name, null, ColumnKind.Text);
}

[JsonConverter(typeof(JsonStringEnumConverter<ColumnKind>))]
internal enum ColumnKind
{
    /// <summary>Left-aligned, sorted as text.</summary>
    Text,

    /// <summary>Right-aligned, sorted by <see cref="PageCell.Value"/>.</summary>
    Number,

    /// <summary>A line of code or a path, in a monospaced font.</summary>
    Code,
}

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

    /// <summary>Identifies the row in every run of the same command, for `compare`; null to use the text of the first cell.</summary>
    public string? Key { get; init; }
}
