using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Report.Pages;

/// <summary>Writes the text and the tables of a page: plain columns if piped, frames in a terminal.</summary>
internal static class PageText
{
    private const int LabelWidth = 10;

    public static void Write(TerminalStreams terminal, ReportPage page)
    {
        WriteTop(terminal, page.Title, page.Environment);
        WriteResult(terminal, page);
    }

    /// <summary>Writes the part that is known before the measurement: the title and the environment.</summary>
    public static void WriteTop(TerminalStreams terminal, string title, EnvironmentRecord? environment)
    {
        terminal.WriteLine(title);
        if (environment is not null)
            WriteFacts(terminal, environment);
        terminal.WriteLine();
    }

    public static void WriteFacts(TerminalStreams terminal, EnvironmentRecord environment)
    {
        foreach ((string label, string text) in environment.Facts())
            terminal.WriteLine($"{label,-LabelWidth}{text}", LabelWidth);
    }

    /// <summary>Writes the results, after <see cref="WriteTop"/>.</summary>
    public static void WriteResult(TerminalStreams terminal, ReportPage page)
    {
        foreach (PageSection section in page.Sections)
        {
            terminal.WriteLine(section.Heading);
            foreach (string paragraph in section.Text?.Split('\n') ?? [])
                terminal.WriteLine(paragraph);
            foreach (PageTable table in section.Tables)
            {
                if (table.Title is { } title)
                    terminal.WriteLine(title);
                (table.IsTurned ? Turned(table) : Upright(table)).WriteTo(terminal);
            }
            terminal.WriteLine();
        }
        foreach (string note in page.Notes)
            terminal.WriteLine($"note: {note}", hang: 2);
    }

    private static TextTable Upright(PageTable table)
    {
        var text = new TextTable([.. table.Columns.Select(c => c.Header)])
        {
            LeftColumns = table.Columns.Index().Where(c => c.Item.Kind != ColumnKind.Number).Select(c => c.Index).ToHashSet(),
        };
        foreach (PageRow row in table.Rows)
            text.Add([.. table.Columns.Select((_, i) => TextAt(row, i))]);
        return text;
    }

    private static TextTable Turned(PageTable table)
    {
        var text = new TextTable(["", .. table.Rows.Select(r => TextAt(r, 0))]);
        foreach ((int column, PageColumn line) in table.Columns.Index().Skip(1))
        {
            string[] cells = [.. table.Rows.Select(r => TextAt(r, column))];
            if (cells.Any(c => c.Length > 0))
                text.Add([line.Header, .. cells]);
        }
        return text;
    }

    private static string TextAt(PageRow row, int column) => column < row.Cells.Count ? row.Cells[column].Text : "";
}
