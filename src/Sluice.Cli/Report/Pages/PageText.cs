using Sluice.Cli.Terminal;

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
                new TextTable(table.IsTurned ? Turned(table) : table).WriteTo(terminal);
            }
            terminal.WriteLine();
        }
        foreach (string note in page.Notes)
            terminal.WriteLine($"note: {note}", hang: 2);
    }

    /// <summary>Returns the table with its columns as rows. The first column becomes the headers.</summary>
    private static PageTable Turned(PageTable table) => new(
        [PageColumn.Text(""), .. table.Rows.Select(row => new PageColumn(row.CellAt(0).Text))],
        [.. table.Columns.Index().Skip(1).Select(c => new PageRow([c.Item.Header, .. table.Rows.Select(row => row.CellAt(c.Index))]))]);
}
