namespace Sluice.Cli.Report.Pages;

/// <summary>
/// Writes the tables of a page as CSV. If there are several, each table has its name in the line above it, and an empty line separates
/// them.
/// </summary>
internal static class PageCsv
{
    public static void Write(TextWriter writer, ReportPage page)
    {
        (PageSection Section, PageTable Table)[] tables = [.. page.Sections.SelectMany(s => s.Tables, (s, t) => (s, t))];
        for (int i = 0; i < tables.Length; i++)
        {
            (PageSection section, PageTable table) = tables[i];
            if (i > 0)
                writer.WriteLine();
            if (tables.Length > 1)
                writer.WriteLine(Csv.Line(table.Title is null ? section.Heading : $"{section.Heading}: {table.Title}"));
            WriteTable(writer, table);
        }
    }

    public static void WriteTable(TextWriter writer, PageTable table)
    {
        writer.WriteLine(Csv.Line(table.Columns.Select(c => c.Header)));
        foreach (PageRow row in table.Rows)
            writer.WriteLine(Csv.Line(table.Columns.Select((column, i) => Value(column, row.CellAt(i)))));
    }

    private static object? Value(PageColumn column, PageCell cell) =>
        column.Kind == ColumnKind.Number && cell.Value is { } number ? number : cell.Text;
}
