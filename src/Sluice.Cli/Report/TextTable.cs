using System.Text;
using System.Text.RegularExpressions;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Report;

/// <summary>A table with lines in a terminal, and with plain columns if piped.</summary>
internal sealed partial class TextTable(params string[] columns)
{
    // A column of text stays readable if its cells are broken at blanks into pieces of this length.
    private const int NarrowestText = 28;

    // Of a column of short cells a longer name of several words, written as one, is broken between them.
    private const int LongName = 16;

    private readonly string[] _headers = [.. columns.Select(TerminalText.Printable)];
    private readonly List<string[]> _rows = [];

    /// <summary>The left-aligned columns; null for the first one, and a last one without a header.</summary>
    public IReadOnlySet<int>? LeftColumns { get; init; }

    /// <summary>Removes line ends and escape sequences, because cells may contain file names of other users.</summary>
    public void Add(params string[] cells) => _rows.Add([.. cells.Select(TerminalText.Printable)]);

    public void WriteTo(TerminalStreams terminal)
    {
        if (!terminal.IsOutputTerminal || terminal.IsWide)
        {
            terminal.Out.Write(ToPlainText());
            return;
        }
        IAnsiConsole console = terminal.AnsiOut();
        int[] shown = ColumnsFor(console.Profile.Width);
        console.Write(ToSpectre(shown, terminal.IsUtf8 ? TableBorder.Rounded : TableBorder.Ascii));
        string[] left = [.. _headers.Where((_, column) => !shown.Contains(column))];
        if (left.Length > 0)
            terminal.WriteLine($"not shown for want of room: {string.Join(" | ", left)}; --wide shows all");
    }

    // The first column names the row, and the verdict is at the end; of the others, the first ones are the most important.
    private int[] ColumnsFor(int width)
    {
        const int Frame = 1;
        const int Border = 3;
        var shown = Enumerable.Range(0, _headers.Length).ToList();
        bool hasMark = _headers[^1].Length == 0;
        while (shown.Count > (hasMark ? 3 : 2) && Frame + shown.Sum(c => Border + NeededWidth(c)) > width)
            shown.RemoveAt(shown.Count - (hasMark ? 2 : 1));
        return [.. shown];
    }

    private int NeededWidth(int column)
    {
        int name = BrokenName(column).Split('\n').Max(TerminalText.Columns);
        return IsLeft(column) ? Math.Min(NarrowestText, Math.Max(name, CellsWidth(column))) : Math.Max(name, CellsWidth(column));
    }

    private int WidthOf(int column) => Math.Max(TerminalText.Columns(_headers[column]), CellsWidth(column));

    private int CellsWidth(int column) => _rows.Max(row => (int?)TerminalText.Columns(Cell(row, column))) ?? 0;

    private string BrokenName(int column) => _headers[column].Length <= LongName || CellsWidth(column) > LongName ? _headers[column]
        : InnerCapital().Replace(_headers[column], "\n");

    /// <summary>Columns of text flush left, the others flush right, two blanks between.</summary>
    public string ToPlainText()
    {
        int[] widths = [.. _headers.Select((_, column) => WidthOf(column))];
        var text = new StringBuilder();
        foreach (string[] row in _headers.All(h => h.Length == 0) ? _rows : _rows.Prepend(_headers))
        {
            for (int column = 0; column < _headers.Length; column++)
            {
                string cell = Cell(row, column);
                bool isLast = column == _headers.Length - 1;
                string blanks = new(' ', widths[column] - TerminalText.Columns(cell));
                text.Append(!IsLeft(column) ? blanks + cell : isLast ? cell : cell + blanks);
                text.Append(isLast ? "" : "  ");
            }
            // Padding before an empty last cell is no part of the line.
            while (text.Length > 0 && text[^1] == ' ')
                text.Length--;
            text.Append('\n');
        }
        return text.ToString();
    }

    private Table ToSpectre(int[] shown, TableBorder border)
    {
        var table = new Table { Border = border, ShowHeaders = shown.Any(column => _headers[column].Length > 0) };
        foreach (int column in shown)
        {
            var tableColumn = new TableColumn(new Text(BrokenName(column)));
            table.AddColumn(IsLeft(column) ? tableColumn.LeftAligned() : tableColumn.RightAligned().NoWrap());
        }
        foreach (string[] row in _rows)
        {
            // These are what a reader scans a long table for.
            table.AddRow(shown.Select(column => Cell(row, column) is var cell
                && (cell == "slower" || cell.StartsWith("LOST", StringComparison.Ordinal))
                ? new Text(cell, new Style(Color.Red))
                : new Text(cell)));
        }
        return table;
    }

    private bool IsLeft(int column) =>
        (LeftColumns?.Contains(column) ?? column == 0) || (column == _headers.Length - 1 && _headers[column].Length == 0);

    [GeneratedRegex("(?<=[a-z])(?=[A-Z])", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex InnerCapital();

    private static string Cell(string[] row, int column) => column < row.Length ? row[column] : "";
}
