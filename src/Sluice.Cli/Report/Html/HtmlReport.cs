using System.Net;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Report.Html;

/// <summary>A page as one HTML file that needs nothing beside it.</summary>
internal static class HtmlReport
{
    public static void Write(string path, ReportPage page)
    {
        using var writer = new StreamWriter(path);
        writer.NewLine = "\n";
        Write(writer, page);
    }

    public static void Write(TextWriter writer, ReportPage page)
    {
        writer.WriteLine("<!doctype html>");
        writer.WriteLine($"<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{Escape(page.Title)}</title></head><body>");
        writer.WriteLine($"<h1>{Escape(page.Title)}</h1>");
        writer.WriteLine($"<p><code>{Escape(page.CommandLine)}</code></p>");
        foreach (PageSection section in page.Sections)
        {
            writer.WriteLine($"<h2>{Escape(section.Heading)}</h2>");
            foreach (PageTable table in section.Tables)
                WriteTable(writer, table);
        }
        writer.WriteLine("</body></html>");
    }

    private static void WriteTable(TextWriter writer, PageTable table)
    {
        writer.WriteLine($"<table><tr>{string.Concat(table.Columns.Select(c => $"<th>{Escape(c.Header)}</th>"))}</tr>");
        foreach (PageRow row in table.Rows)
            writer.WriteLine($"<tr>{string.Concat(row.Cells.Select(c => $"<td>{Escape(c.Text)}</td>"))}</tr>");
        writer.WriteLine("</table>");
    }

    private static string Escape(string text) => WebUtility.HtmlEncode(text);
}
