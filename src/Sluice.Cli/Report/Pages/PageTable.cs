using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <summary>Rows of cells under named columns. A row may have fewer cells than there are columns.</summary>
internal sealed record PageTable(IReadOnlyList<PageColumn> Columns, IReadOnlyList<PageRow> Rows)
{
    /// <summary>The title, which is printed above the table if a section has several tables, and names the table in CSV.</summary>
    [JsonPropertyOrder(-1)]
    public string? Title { get; init; }

    /// <summary>True to print the columns as lines in text, for tables with few rows and many columns.</summary>
    [JsonIgnore]
    public bool IsTurned { get; init; }

    /// <summary>Returns a table of values with a function for each column.</summary>
    /// <param name="key">Returns the key of a row.</param>
    public static PageTable Of<T>(
        IEnumerable<T> values, Func<T, string> key, IReadOnlyList<(PageColumn Column, Func<T, PageCell> Of)> columns) => new(
        [.. columns.Select(c => c.Column)],
        [.. values.Select(v => new PageRow([.. columns.Select(c => c.Of(v))]) { Key = key(v) })]);

    /// <summary>Returns the table without columns that are empty in all rows.</summary>
    public PageTable WithoutEmptyColumns()
    {
        int[] filled = [.. Enumerable.Range(0, Columns.Count).Where(i => Rows.Any(r => r.CellAt(i).Text.Length > 0))];
        return this with
        {
            Columns = [.. filled.Select(i => Columns[i])],
            Rows = [.. Rows.Select(r => r with { Cells = [.. filled.Select(r.CellAt)] })],
        };
    }
}

/// <param name="Unit">The unit of every number in the column, such as "MiB/s"; null for none.</param>
internal sealed record PageColumn(string Name, string? Unit = null, ColumnKind Kind = ColumnKind.Number)
{
    [JsonIgnore]
    public string Header => Unit is null ? Name : $"{Name}, {Unit}";

    /// <summary>A name alone is a column of numbers without a unit.</summary>
    public static implicit operator PageColumn(string name) => new(name);

    public static PageColumn Text(string name) => new(name, null, ColumnKind.Text);

    public static PageColumn Code(string name) => new(name, null, ColumnKind.Code);
}

[JsonConverter(typeof(JsonStringEnumConverter<ColumnKind>))]
internal enum ColumnKind
{
    /// <summary>The column is left-aligned and sorted as text.</summary>
    Text,

    /// <summary>The column is right-aligned and sorted by <see cref="PageCell.Value"/>.</summary>
    Number,

    /// <summary>The column contains code or paths, in a monospaced font.</summary>
    Code,
}

internal sealed record PageRow(params IReadOnlyList<PageCell> Cells)
{
    /// <summary>Returns the cell of a column; an empty cell if the row has fewer cells.</summary>
    public PageCell CellAt(int column) => column < Cells.Count ? Cells[column] : PageCell.Empty;

    /// <summary>The key of the row in every run of the same command, for `compare`; null to use the text of the first cell.</summary>
    public string? Key { get; init; }
}
