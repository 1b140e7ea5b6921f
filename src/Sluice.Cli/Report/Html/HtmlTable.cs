using System.Net;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Report.Html;

/// <summary>Writes a table whose columns are sorted by a click, by the values of the cells instead of their texts.</summary>
internal static class HtmlTable
{
    public static void Write(TextWriter writer, PageTable table)
    {
        if (table.Title is { } title)
            writer.WriteLine($"<h3>{WebUtility.HtmlEncode(title)}</h3>");
        writer.WriteLine("<div class=\"scroll\" tabindex=\"0\"><table class=\"data\">");
        writer.Write("<thead><tr>");
        foreach (PageColumn column in table.Columns)
            WriteHeader(writer, column);
        writer.WriteLine("</tr></thead>");
        writer.WriteLine("<tbody>");
        foreach (PageRow row in table.Rows)
        {
            writer.Write("<tr>");
            for (int i = 0; i < table.Columns.Count; i++)
                WriteCell(writer, table.Columns[i], i < row.Cells.Count ? row.Cells[i] : PageCell.Empty);
            writer.WriteLine("</tr>");
        }
        writer.WriteLine("</tbody></table></div>");
    }

    private static void WriteHeader(TextWriter writer, PageColumn column)
    {
        string unit = column.Unit is null ? "" : $"<small>{WebUtility.HtmlEncode(column.Unit)}</small>";
        writer.Write(
            $"<th scope=\"col\" class=\"{ClassOf(column)}\"><button type=\"button\"><span>{WebUtility.HtmlEncode(column.Name)}</span>{unit}"
            + "</button></th>");
    }

    private static void WriteCell(TextWriter writer, PageColumn column, PageCell cell)
    {
        string value = cell.Value is { } number ? $" data-value=\"{number}\"" : "";
        writer.Write($"<td class=\"{ClassOf(column)}\"{value}>{WebUtility.HtmlEncode(cell.Text)}</td>");
    }

    private static string ClassOf(PageColumn column) => column.Kind switch
    {
        ColumnKind.Number => "num",
        ColumnKind.Code => "code",
        _ => "text",
    };
}
