using System.Text;
using Sluice.Cli.Commands;
using Spectre.Console;

namespace Sluice.Cli.Report;

/// <summary>A table that is drawn with lines in a terminal and is plain columns when piped.</summary>
internal sealed class TextTable(params string[] headers)
{
    private readonly List<string[]> _rows = [];

    /// <summary>The columns that are flush left; null: the first, and a last one without a header.</summary>
    public IReadOnlySet<int>? LeftColumns { get; init; }

    /// <summary>Cells may hold names that others gave to files: no line end and no escape sequence of theirs gets into a terminal.</summary>
    public void Add(params string[] cells) => _rows.Add([.. cells.Select(Printable)]);

    public void WriteTo(Terminal terminal)
    {
        if (terminal.IsOutputTerminal)
            terminal.AnsiOut().Write(ToSpectre());
        else
            terminal.Out.Write(ToPlainText());
    }

    /// <summary>Columns of text flush left, the others flush right, two blanks between.</summary>
    public string ToPlainText()
    {
        int[] widths =
        [
            .. headers.Select((header, column) => Math.Max(header.Length, _rows.Max(row => (int?)Cell(row, column).Length) ?? 0)),
        ];
        var text = new StringBuilder();
        foreach (string[] row in _rows.Prepend(headers))
        {
            for (int column = 0; column < headers.Length; column++)
            {
                string cell = Cell(row, column);
                bool isLast = column == headers.Length - 1;
                text.Append(IsLeft(column) ? (isLast ? cell : cell.PadRight(widths[column])) : cell.PadLeft(widths[column]));
                text.Append(isLast ? "" : "  ");
            }
            // Padding before an empty last cell is no part of the line.
            while (text.Length > 0 && text[^1] == ' ')
                text.Length--;
            text.Append('\n');
        }
        return text.ToString();
    }

    private static string Printable(string cell) =>
        cell.Any(char.IsControl) ? string.Concat(cell.Select(c => char.IsControl(c) ? '?' : c)) : cell;

    private Table ToSpectre()
    {
        var table = new Table { Border = TableBorder.Rounded };
        for (int column = 0; column < headers.Length; column++)
        {
            var tableColumn = new TableColumn(new Text(headers[column]));
            table.AddColumn(IsLeft(column) ? tableColumn.LeftAligned() : tableColumn.RightAligned());
        }
        foreach (string[] row in _rows)
        {
            // LOST is the one thing that a reader scans a long table for.
            table.AddRow(headers.Select((_, column) => Cell(row, column) is var cell && cell.StartsWith("LOST", StringComparison.Ordinal)
                ? new Text(cell, new Style(Color.Red))
                : new Text(cell)));
        }
        return table;
    }

    private bool IsLeft(int column) =>
        (LeftColumns?.Contains(column) ?? column == 0) || (column == headers.Length - 1 && headers[column].Length == 0);

    private static string Cell(string[] row, int column) => column < row.Length ? row[column] : "";
}
