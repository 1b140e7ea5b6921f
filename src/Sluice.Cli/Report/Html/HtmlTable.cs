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
        writer.WriteLine($"<thead><tr>{string.Concat(table.Columns.Select(Header))}</tr></thead>");
        writer.WriteLine("<tbody>");
        foreach (PageRow row in table.Rows)
            writer.WriteLine($"<tr>{string.Concat(table.Columns.Select((column, i) => Cell(column, row.CellAt(i))))}</tr>");
        writer.WriteLine("</tbody></table></div>");
    }

    private static string Header(PageColumn column)
    {
        string unit = column.Unit is null ? "" : $"<small>{WebUtility.HtmlEncode(column.Unit)}</small>";
        return $"<th scope=\"col\" class=\"{ClassOf(column)}\"><button type=\"button\">"
            + $"<span>{WebUtility.HtmlEncode(column.Name)}</span>{unit}</button></th>";
    }

    private static string Cell(PageColumn column, PageCell cell)
    {
        string value = cell.Value is { } number ? $" data-value=\"{number}\"" : "";
        return $"<td class=\"{ClassOf(column)}\"{value}>{WebUtility.HtmlEncode(cell.Text)}</td>";
    }

    private static string ClassOf(PageColumn column) => column.Kind switch
    {
        ColumnKind.Number => "num",
        ColumnKind.Code => "code",
        _ => "text",
    };
}
