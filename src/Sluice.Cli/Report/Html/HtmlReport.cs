using System.Net;
using System.Text.Json;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Report.Html;

/// <summary>Writes a page as a single HTML file. Text and tables are HTML, and uPlot draws the charts.</summary>
internal static class HtmlReport
{
    // The page has no network access, because it may be opened from a disk years later.
    private const string Policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

    private static readonly PageJsonContext Compact =
        new(new JsonSerializerOptions(PageJsonContext.Default.Options) { WriteIndented = false });

    /// <param name="uplot">The script of the chart library; null to show the values of each chart as a table.</param>
    public static void Write(TextWriter writer, ReportPage page, string? uplot)
    {
        WriteHead(writer, page, uplot);
        WriteTop(writer, page);
        for (int i = 0; i < page.Sections.Count; i++)
            WriteSection(writer, page.Sections[i], i, hasCharts: uplot is not null);
        WriteFoot(writer, page, uplot);
    }

    private static void WriteHead(TextWriter writer, ReportPage page, string? uplot)
    {
        string uplotStyle = uplot is null ? "" : $"<style>{HtmlAssets.UplotStyle}</style>\n";
        // The theme is set before anything is drawn, because a dark page would otherwise first flash white.
        writer.WriteLine($"""
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="{Policy}">
            <title>{WebUtility.HtmlEncode(page.Title)}</title>
            <link rel="icon" href="data:,">
            {uplotStyle}<style>
            {HtmlAssets.Style}</style>
            <script>document.documentElement.dataset.theme=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light';</script>
            </head>
            <body>
            """);
    }

    private static void WriteTop(TextWriter writer, ReportPage page)
    {
        string version = page.Environment is { } record ? $"<small>{WebUtility.HtmlEncode(record.SluiceVersion)}</small>" : "";
        DateTime began = page.Began.UtcDateTime;
        writer.WriteLine($"""
            <div class="top"><span class="brand">sluice{version}</span><button type="button" class="theme">Dark</button></div>
            <h1>{WebUtility.HtmlEncode(page.Title)}</h1>
            <p class="began"><time datetime="{began:yyyy-MM-ddTHH:mm:ssZ}">{began:d MMMM yyyy, HH:mm} UTC</time></p>
            <code class="command">{WebUtility.HtmlEncode(page.CommandLine)}</code>
            """);
        if (page.Environment is { } environment)
        {
            IEnumerable<string> facts = environment.Facts()
                .Select(f => $"<div><dt>{f.Label}</dt><dd>{WebUtility.HtmlEncode(f.Text)}</dd></div>");
            writer.WriteLine($"<dl class=\"facts\">{string.Concat(facts)}</dl>");
        }
        if (page.Notes.Count > 0)
            writer.WriteLine($"<ul class=\"notes\">{string.Concat(page.Notes.Select(n => $"<li>{WebUtility.HtmlEncode(n)}</li>"))}</ul>");
        if (page.Sections.Count > 2)
        {
            IEnumerable<string> links = page.Sections.Select((s, i) => $"<a href=\"#section-{i}\">{WebUtility.HtmlEncode(s.Heading)}</a>");
            writer.WriteLine($"<nav class=\"contents\">{string.Concat(links)}</nav>");
        }
    }

    private static void WriteSection(TextWriter writer, PageSection section, int number, bool hasCharts)
    {
        writer.WriteLine($"<section id=\"section-{number}\">");
        writer.WriteLine($"<h2>{WebUtility.HtmlEncode(section.Heading)}</h2>");
        foreach (string paragraph in (section.Text ?? "").Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            writer.WriteLine(paragraph.StartsWith("    ", StringComparison.Ordinal)
                ? $"<pre>{WebUtility.HtmlEncode(paragraph.Trim())}</pre>"
                : $"<p>{WebUtility.HtmlEncode(paragraph)}</p>");
        }
        for (int i = 0; i < section.Charts.Count; i++)
            HtmlChart.Write(writer, section.Charts[i], $"{number}.{i}", hasCharts);
        foreach (PageTable table in section.Tables)
            HtmlTable.Write(writer, table);
        writer.WriteLine("</section>");
    }

    private static void WriteFoot(TextWriter writer, ReportPage page, string? uplot)
    {
        string charts = uplot is null
            ? "This sluice was built without Node, so the page has no charts; every figure is in its tables."
            : "Charts: uPlot, © Leon Sorokin, MIT license (its notice is in this page's source).";
        if (uplot is not null && page.Sections.Any(s => s.Charts.Count > 0))
        {
            charts = "Whiskers and bands reach from the lowest round to the highest; a bar whose whiskers cross the dashed line is pale. "
                + "<span class=\"hint\">Click a name to hide or show it, drag across a line chart to zoom, double-click to go back.</span> "
                + charts;
        }
        string uplotScript = uplot is null ? ""
            : $"<script>/*!\nuPlot, embedded below:\n{HtmlAssets.UplotLicence?.Trim()}\n*/\n{uplot}</script>\n";
        // The default encoder writes < and > as \u003C and \u003E, so that no data can end the script element.
        writer.WriteLine($"""
            <footer>{charts}</footer>
            <script id="page-data" type="application/json">{JsonSerializer.Serialize(page, Compact.ReportPage)}</script>
            {uplotScript}<script>
            {HtmlAssets.Script}</script>
            </body>
            </html>
            """);
    }
}
