using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <summary>Rows of cells under named columns; a row may have fewer cells than there are columns.</summary>
internal sealed record PageTable
{
    /// <summary>Above the table, where a section has several; it names the block in CSV too.</summary>
    public string? Title { get; init; }

    public required IReadOnlyList<PageColumn> Columns { get; init; }

    public required IReadOnlyList<PageRow> Rows { get; init; }

    /// <summary>Of few rows and many columns: as text the columns are printed as lines, without those that are empty.</summary>
    [JsonIgnore]
    public bool IsTurned { get; init; }

    /// <summary>Without the columns in which no row has anything.</summary>
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
    /// <summary>Flush left, sorted as text.</summary>
    Text,

    /// <summary>Flush right, sorted by <see cref="PageCell.Value"/>.</summary>
    Number,

    /// <summary>A line of code or a path, in a fixed pitch.</summary>
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

    /// <summary>Names the row in every run of the same command, for `compare`; null: the first cell's text does.</summary>
    public string? Key { get; init; }
}
