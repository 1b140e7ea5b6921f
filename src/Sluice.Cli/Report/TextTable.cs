using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Report;

/// <summary>A table with frames in a terminal, and with plain columns if piped.</summary>
internal sealed class TextTable
{
    // The minimum width of a text column, at which its cells are broken at blanks and stay readable.
    private const int NarrowestText = 28;

    private readonly string[] _headers;
    private readonly string[][] _rows;
    private readonly bool[] _isLeft;

    /// <summary>Control characters become question marks, because cells may contain file names of other users.</summary>
    public TextTable(PageTable table)
    {
        _headers = [.. table.Columns.Select(c => TerminalText.Printable(c.Header))];
        _rows = [.. table.Rows.Select(row => _headers.Select((_, column) => TerminalText.Printable(row.CellAt(column).Text)).ToArray())];
        _isLeft = [.. table.Columns.Select(c => c.Kind != ColumnKind.Number)];
    }

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
        if (shown.Length < _headers.Length)
            terminal.WriteLine($"not shown for want of room: {string.Join(" | ", _headers[shown.Length..])}; --wide shows all");
    }

    // Returns the columns that fit: the first ones, which are the most important, and at least two.
    private int[] ColumnsFor(int width)
    {
        const int Frame = 1;
        const int Border = 3;
        var shown = Enumerable.Range(0, _headers.Length).ToList();
        while (shown.Count > 2 && Frame + shown.Sum(c => Border + NeededWidth(c)) > width)
            shown.RemoveAt(shown.Count - 1);
        return [.. shown];
    }

    private int NeededWidth(int column) => _isLeft[column] ? Math.Min(NarrowestText, WidthOf(column)) : WidthOf(column);

    private int WidthOf(int column) => _rows.Prepend(_headers).Max(row => TerminalText.Columns(row[column]));

    /// <summary>Returns plain text: text columns are left-aligned and the others right-aligned, with two blanks between columns.</summary>
    public string ToPlainText()
    {
        int[] widths = [.. _headers.Select((_, column) => WidthOf(column))];
        return string.Concat(_rows.Prepend(_headers).Select(row => $"{string.Join("  ", row.Select(Padded)).TrimEnd(' ')}\n"));

        string Padded(string cell, int column)
        {
            string blanks = new(' ', widths[column] - TerminalText.Columns(cell));
            return _isLeft[column] ? cell + blanks : blanks + cell;
        }
    }

    private Table ToSpectre(int[] shown, TableBorder border)
    {
        var table = new Table { Border = border };
        foreach (int column in shown)
        {
            var tableColumn = new TableColumn(new Text(_headers[column]));
            table.AddColumn(_isLeft[column] ? tableColumn.LeftAligned() : tableColumn.RightAligned().NoWrap());
        }
        // The verdict "slower" is red, because a reader looks for it in a long table.
        foreach (string[] row in _rows)
            table.AddRow(shown.Select(column => new Text(row[column], new Style(row[column] == "slower" ? Color.Red : null))));
        return table;
    }
}
