using System.Net;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Report.Html;

/// <summary>Writes the element in which charts.js draws a chart.</summary>
internal static class HtmlChart
{
    /// <param name="id">The numbers of the section and the chart, by which charts.js finds the data.</param>
    public static void Write(TextWriter writer, PageChart chart, string id, bool canDraw)
    {
        writer.WriteLine("<figure>");
        writer.WriteLine($"<figcaption>{WebUtility.HtmlEncode(chart.Title)}</figcaption>");
        writer.WriteLine(canDraw
            ? $"<div class=\"legend\"></div><div class=\"plot\" data-chart=\"{id}\"></div>"
            : "<p class=\"missing\">The chart is missing: this sluice was built without Node, which fetches uPlot.</p>");
        writer.WriteLine("</figure>");
    }
}
