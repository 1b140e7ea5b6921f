using System.Text;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Report;

/// <summary>A table with frames in a terminal, and with plain columns if piped.</summary>
internal sealed class TextTable(params string[] columns)
{
    // The minimum width of a text column, at which its cells are broken at blanks and stay readable.
    private const int NarrowestText = 28;

    private readonly string[] _headers = [.. columns.Select(TerminalText.Printable)];
    private readonly List<string[]> _rows = [];

    /// <summary>The left-aligned columns; null for the first one. A last column without a header is always left-aligned.</summary>
    public IReadOnlySet<int>? LeftColumns { get; init; }

    /// <summary>Adds a row. Control characters become question marks, because cells may contain file names of other users.</summary>
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

    // Returns the columns that fit: the first one, the mark at the end and, of the others, the first ones, which are the most important.
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

    private int NeededWidth(int column) => IsLeft(column) ? Math.Min(NarrowestText, WidthOf(column)) : WidthOf(column);

    private int WidthOf(int column) =>
        Math.Max(TerminalText.Columns(_headers[column]), _rows.Max(row => (int?)TerminalText.Columns(Cell(row, column))) ?? 0);

    /// <summary>Returns plain text: text columns are left-aligned and the others right-aligned, with two blanks between columns.</summary>
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
            // Blanks before an empty last cell are removed.
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
            var tableColumn = new TableColumn(new Text(_headers[column]));
            table.AddColumn(IsLeft(column) ? tableColumn.LeftAligned() : tableColumn.RightAligned().NoWrap());
        }
        foreach (string[] row in _rows)
        {
            // Cells with these values are red, because a reader looks for them in a long table.
            table.AddRow(shown.Select(column => Cell(row, column) is var cell
                && (cell == "slower" || cell.StartsWith("LOST", StringComparison.Ordinal))
                ? new Text(cell, new Style(Color.Red))
                : new Text(cell)));
        }
        return table;
    }

    private bool IsLeft(int column) =>
        (LeftColumns?.Contains(column) ?? column == 0) || (column == _headers.Length - 1 && _headers[column].Length == 0);

    private static string Cell(string[] row, int column) => column < row.Length ? row[column] : "";
}
