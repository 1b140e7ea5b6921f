using System.Text.Json;
using Microsoft.Playwright;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report.Html;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Tests.Readme;
using Sluice.Cli.Tests.Report.Pages;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Report.Html;

/// <summary>The page in a browser, opened from the disk.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class HtmlPageTests(BrowserFixture fixture) : IClassFixture<BrowserFixture>, IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly List<string> _requests = [];
    private readonly List<string> _errors = [];

    public void Dispose()
    {
        _folder.Dispose();
        _errors.ShouldBeEmpty();
    }

    [SkippableFact]
    public async Task Each_chart_has_its_series_and_is_drawn()
    {
        IPage page = await OpenAsync(SamplePage.Make());
        string[] labels = await page.EvaluateAsync<string[]>("sluiceCharts.map(c => c.series.map(s => s.label).slice(1).join('|'))");
        labels.ShouldBe(["Sluice|Sluice range|Sluice range|.NET", "Sluice|Sluice range|Sluice range"]);
        (await page.Locator(".legend button").AllInnerTextsAsync()).ShouldBe(["Sluice", ".NET", "Sluice"]);
        foreach (string series in new[] { "--cool-0", "--warm-0" })
            (await PixelsAsync(page, chart: 0, series)).ShouldBeGreaterThan(20, series);
        (await PixelsAsync(page, chart: 1, "--cool-0")).ShouldBeGreaterThan(200, "the bar above 1");
        (await PixelsAsync(page, chart: 1, "--warm-1")).ShouldBeGreaterThan(200, "the bar below 1");
    }

    [SkippableFact]
    public async Task A_click_on_a_name_hides_its_series_and_another_shows_it_again()
    {
        IPage page = await OpenAsync(SamplePage.Make());
        ILocator key = page.Locator(".legend button").First;
        await key.ClickAsync();
        (await page.EvaluateAsync<bool[]>("sluiceCharts[0].series.slice(1).map(s => s.show)")).ShouldBe([false, false, false, true]);
        (await key.GetAttributeAsync("aria-pressed")).ShouldBe("false");
        (await PixelsAsync(page, chart: 0, "--cool-0")).ShouldBe(0);
        (await PixelsAsync(page, chart: 0, "--warm-0")).ShouldBeGreaterThan(20);
        await key.ClickAsync();
        (await PixelsAsync(page, chart: 0, "--cool-0")).ShouldBeGreaterThan(20);
    }

    [SkippableFact]
    public async Task Pointing_at_a_chart_shows_the_values_there()
    {
        IPage page = await OpenAsync(SamplePage.Make());
        LocatorBoundingBoxResult box = (await page.Locator(".u-over").First.BoundingBoxAsync())!;
        await page.Mouse.MoveAsync(box.X + box.Width - 12, box.Y + box.Height / 2);
        string tip = await page.Locator(".tip").First.InnerTextAsync();
        tip.ShouldContain("64 KiB");
        tip.ShouldContain("300 MiB/s");
        tip.ShouldContain("250 to 350");
        tip.ShouldContain("200 MiB/s");
    }

    [SkippableFact]
    public async Task A_table_sorts_by_value_and_what_has_none_stays_last()
    {
        IPage page = await OpenAsync(SamplePage.Make());
        ILocator rates = page.Locator("section > .scroll tbody td:nth-child(2)");
        ILocator header = page.Locator("section > .scroll th button").Nth(1);
        (await rates.AllInnerTextsAsync()).ShouldBe(["1,234", "99.5", "5.25"]);
        await header.ClickAsync();
        (await rates.AllInnerTextsAsync()).ShouldBe(["1,234", "99.5", "5.25"]);
        await header.ClickAsync();
        (await rates.AllInnerTextsAsync()).ShouldBe(["5.25", "99.5", "1,234"]);
        await page.Locator("section > .scroll th button").Nth(2).ClickAsync();
        (await page.Locator("section > .scroll tbody td:nth-child(3)").AllInnerTextsAsync()).ShouldBe(["a = b;", "c", ""]);
    }

    [SkippableFact]
    public async Task The_theme_follows_the_system_until_its_button_is_pressed()
    {
        IPage page = await OpenAsync(SamplePage.Make(), ColorScheme.Dark);
        (await PaperAsync(page)).ShouldBe("rgb(16, 22, 29)");
        (await PixelsAsync(page, chart: 0, "--cool-0")).ShouldBeGreaterThan(20, "drawn in the dark theme's colour");
        await page.Locator(".theme").ClickAsync();
        (await PaperAsync(page)).ShouldBe("rgb(255, 255, 255)");
        (await PixelsAsync(page, chart: 0, "--cool-0")).ShouldBeGreaterThan(20, "drawn anew in the light theme's");
    }

    [SkippableFact]
    public async Task It_prints_in_the_light_theme_on_pages_of_paper()
    {
        IPage page = await OpenAsync(SamplePage.Make(), ColorScheme.Dark);
        await page.EvaluateAsync(
            "addEventListener('beforeprint', () => { window.printedTheme = document.documentElement.dataset.theme; })");
        byte[] pdf = await page.PdfAsync(new PagePdfOptions { Format = "A4" });
        System.Text.Encoding.ASCII.GetString(pdf, 0, 5).ShouldBe("%PDF-");
        (await page.EvaluateAsync<string>("window.printedTheme")).ShouldBe("light");
    }

    [SkippableFact]
    public async Task Without_the_chart_library_the_tables_still_sort_and_nothing_fails()
    {
        IPage page = await OpenAsync(SamplePage.Make(), uplot: null);
        (await page.Locator(".missing").CountAsync()).ShouldBe(2);
        await page.Locator("section > .scroll th button").Nth(1).ClickAsync();
        (await page.Locator("section > .scroll th").Nth(1).GetAttributeAsync("aria-sort")).ShouldBe("descending");
    }

    [SkippableFact]
    public async Task A_whole_bench_result_is_drawn_with_a_value_for_each_row()
    {
        string json =
            await File.ReadAllTextAsync(Path.Combine(ReadmeTests.Root, "bench", "results", "epyc-2core-virtio-ext4", "handle.json"));
        BenchReport report = JsonSerializer.Deserialize(json, BenchJsonContext.Default.BenchReport)!;
        IPage page = await OpenAsync(BenchPage.Of(report));
        int[] values = await page.EvaluateAsync<int[]>("sluiceCharts.map(c => c.data[1].filter(v => v !== null).length)");
        values.ShouldBe([report.Rows.Count, report.Rows.Count(r => r.FioRate is not null)]);
        (await page.Locator("section > .scroll tbody tr").CountAsync()).ShouldBe(report.Rows.Count);
        (await page.Locator("section > .scroll td", new() { HasText = "slower" }).CountAsync())
            .ShouldBe(report.Rows.Count(r => r.Verdict == RowReport.Slower));
    }

    [SkippableTheory]
    [InlineData(false, "--cool-0", "--warm-1")]
    [InlineData(true, "--warm-1", "--cool-0")]
    public async Task A_bar_beyond_its_reference_has_the_colour_of_what_that_means(bool lessIsBetter, string above, string below)
    {
        ReportPage sample = SamplePage.Make();
        PageChart chart = sample.Sections[0].Charts[1];
        chart = chart with { Y = chart.Y with { LessIsBetter = lessIsBetter } };
        ChartSeries one = chart.Series[0] with { Y = [2.5, null], Low = null, High = null };
        IPage page = await OpenAsync(sample with
        {
            Sections =
            [
                new PageSection
                {
                    Heading = "Bars",
                    Charts = [chart with { Series = [one] }, chart with { Series = [one with { Y = [null, 0.8] }] }],
                },
            ],
        });
        (await PixelsAsync(page, chart: 0, above)).ShouldBeGreaterThan(200);
        (await PixelsAsync(page, chart: 0, below)).ShouldBe(0);
        (await PixelsAsync(page, chart: 1, below)).ShouldBeGreaterThan(200);
    }

    private static Task<string> PaperAsync(IPage page) => page.EvaluateAsync<string>("getComputedStyle(document.body).backgroundColor");

    // Pixels of about the colour: a line is blurred at its edges.
    private static Task<int> PixelsAsync(IPage page, int chart, string colour) => page.EvaluateAsync<int>(
        """
        async ([chart, name]) => {
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
          const [r, g, b] = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
          const canvas = sluiceCharts[chart].ctx.canvas;
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
          copy.drawImage(canvas, 0, 0);
          const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
          let found = 0;
          for (let i = 0; i < data.length; i += 4)
            if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40 && data[i + 3] > 200) found++;
          return found;
        }
        """,
        new object[] { chart, colour });

    private Task<IPage> OpenAsync(ReportPage report, ColorScheme scheme = ColorScheme.Light)
    {
        Skip.If(HtmlAssets.UplotScript is null, "this sluice was built without Node, so its pages have no charts");
        return OpenAsync(report, HtmlAssets.UplotScript, scheme);
    }

    private async Task<IPage> OpenAsync(ReportPage report, string? uplot, ColorScheme scheme = ColorScheme.Light)
    {
        Skip.If(fixture.Browser is null, fixture.Reason ?? "");
        string path = _folder["page.html"];
        await using (var writer = new StreamWriter(path))
            HtmlReport.Write(writer, report, uplot);
        // To look at, with one's own eyes, what the tests look at.
        if (Environment.GetEnvironmentVariable("SLUICE_KEEP_PAGES") is { Length: > 0 } kept)
            File.Copy(path, Path.Combine(kept, $"{Path.GetRandomFileName()}-{report.Sections.Count}.html"));
        IBrowserContext context = await fixture.Browser!.NewContextAsync(new BrowserNewContextOptions
        {
            ColorScheme = scheme,
            ViewportSize = new ViewportSize { Width = 1200, Height = 900 },
        });
        IPage page = await context.NewPageAsync();
        page.Request += (_, request) => _requests.Add(request.Url);
        page.Console += (_, message) => _errors.Add(message.Text);
        page.PageError += (_, error) => _errors.Add(error);
        await page.GotoAsync(new Uri(path).AbsoluteUri);
        _errors.ShouldBeEmpty();
        _requests.Where(r => !r.StartsWith("data:", StringComparison.Ordinal)).ShouldBe([new Uri(path).AbsoluteUri]);
        return page;
    }
}
