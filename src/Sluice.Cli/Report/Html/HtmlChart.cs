using System.Net;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report.Html;

/// <summary>
/// Writes the element in which charts.js draws a chart, followed by the values as a table for readers who cannot see or draw the chart.
/// </summary>
internal static class HtmlChart
{
    /// <param name="id">The numbers of the section and the chart, by which charts.js finds the data.</param>
    public static void Write(TextWriter writer, PageChart chart, string id, bool canDraw)
    {
        writer.WriteLine($"<figure>\n<figcaption>{WebUtility.HtmlEncode(chart.Title)}</figcaption>");
        writer.WriteLine(canDraw
            ? $"""
                <div class="legend"></div><div class="plot" data-chart="{id}"></div>
                <details><summary>The figures of this chart</summary>
                """
            : """
                <p class="missing">The chart is missing: this sluice was built without Node, which fetches uPlot. Its figures:</p>
                <details open><summary>Figures</summary>
                """);
        HtmlTable.Write(writer, ToTable(chart));
        writer.WriteLine("</details>\n</figure>");
    }

    public static PageTable ToTable(PageChart chart)
    {
        double[] xs = [.. chart.Series.SelectMany(XsOf).Distinct().Order()];
        Dictionary<double, int>[] places =
            [.. chart.Series.Select(s => XsOf(s).Index().DistinctBy(x => x.Item).ToDictionary(x => x.Item, x => x.Index))];
        PageColumn first = chart.X.Categories is null ? new PageColumn(chart.X.Label, chart.X.Unit) : PageColumn.Text(chart.X.Label);
        return new PageTable(
            [first, .. chart.Series.Select(s => new PageColumn(s.Name, chart.Y.Unit))],
            [.. xs.Select(x => new PageRow([NameOf(chart.X, x), .. chart.Series.Select((s, i) => ValueAt(s, places[i], x))]))]);
    }

    private static IEnumerable<double> XsOf(ChartSeries series) => series.X.Count > 0 ? series.X : series.Y.Select((_, i) => (double)i);

    private static PageCell NameOf(ChartAxis axis, double x)
    {
        if (axis.Categories is { } names)
            return x >= 0 && x < names.Count ? names[(int)x] : "";
        return axis.Unit == "B" ? new PageCell(ByteSize.Format((long)x), x) : x;
    }

    private static PageCell ValueAt(ChartSeries series, Dictionary<double, int> places, double x) =>
        places.TryGetValue(x, out int i) && i < series.Y.Count ? series.Y[i] : PageCell.Empty;
}
