using Microsoft.Playwright;
using Shouldly;
using Sluice.Cli.Report.Html;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Tests.Report.Pages;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Report.Html;

/// <summary>On a screen of 390 pixels nothing is clipped, nothing lies over anything else, and what must be scrolled says so.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class HtmlPhoneTests(BrowserFixture fixture) : FolderTest, IClassFixture<BrowserFixture>
{
    // What is written to a canvas, with its ends in pixels of the page.
    private const string Recorder = """
        window.written = [];
        const fillText = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
          const width = this.measureText(text).width, at = this.getTransform().transformPoint({ x, y });
          const left = this.textAlign === 'center' ? at.x - width / 2 : ['right', 'end'].includes(this.textAlign) ? at.x - width : at.x;
          const isTurned = Math.abs(this.getTransform().b) > 0.5;
          if (text && !isTurned) window.written.push({ text, left, right: left + width, y: at.y, canvas: this.canvas.width,
            ink: String(this.fillStyle) });
          return fillText.apply(this, arguments);
        };
        """;

    // WCAG's relative luminance and contrast, of what a browser has computed.
    private const string Luminance = """
        const luminance = color => {
          const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const luminanceOf = name => {
          const probe = document.body.appendChild(document.createElement('i'));
          probe.style.color = name;
          const value = luminance(getComputedStyle(probe).color);
          probe.remove();
          return value;
        };
        const behind = e => {
          const color = getComputedStyle(e).backgroundColor;
          return !e.parentElement || !/rgba\(.*, 0\)|transparent/.test(color) ? color : behind(e.parentElement);
        };
        const contrast = e => {
          const [low, high] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((a, b) => a - b);
          return (high + 0.05) / (low + 0.05);
        };

        """;

    private static readonly string[] LongNames =
        [.. Enumerable.Range(0, 10).Select(i => $"direct 4 KiB random read of a large file, depth {1 << i}")];

    [SkippableFact]
    public async Task Names_and_values_of_bars_are_whole()
    {
        Written[] written = await DrawAsync(390, new PageChart(
            "Speed",
            ChartKind.Bar,
            new ChartAxis("row", Categories: LongNames),
            new ChartAxis("times as fast as .NET", IsLog: true),
            [new ChartSeries { Name = "Sluice to .NET", Y = [.. LongNames.Select((_, i) => (double?)Math.Pow(10, i - 4))] }])
        {
            Reference = new ChartLine(1, "as fast as .NET"),
        });
        foreach (string name in LongNames)
            written.ShouldContain(w => w.Text == name);
        Check(written);
    }

    [SkippableTheory]
    [InlineData(390, true)]
    [InlineData(1280, false)]
    public async Task A_table_that_is_cut_says_so_and_the_page_is_no_wider_than_the_screen(int width, bool isCut)
    {
        var table = new PageTable(
            [PageColumn.Text("row"), .. Enumerable.Range(0, 8).Select(i => new PageColumn($"figure {i}", "MiB/s"))],
            [new PageRow([new PageCell("a row"), .. Enumerable.Range(0, 8).Select(i => PageCell.Of(1234.5 * i))])]);
        var section = new PageSection { Heading = "Figures", Tables = [table] };
        IPage page = await OpenAsync(width, SamplePage.Make() with { Sections = [section] });
        await page.WaitForTimeoutAsync(200);
        (await page.Locator(".scroll.cut").CountAsync()).ShouldBe(isCut ? 1 : 0);
        (await page.EvaluateAsync<bool>("document.documentElement.scrollWidth <= innerWidth")).ShouldBeTrue();
        if (isCut)
        {
            (await page.EvaluateAsync<string>("getComputedStyle(document.querySelector('.scroll'), '::before').content"))
                .ShouldContain("more columns");
        }
    }

    /// <summary>Code may be broken anywhere, and is not broken into a column of letters.</summary>
    [SkippableFact]
    public async Task A_row_with_code_is_no_higher_than_a_few_lines()
    {
        string code = new string('x', 40) + " { Caching = FileCaching.Direct, PreallocationSize = size, FlushToDisk = true };";
        var table = new PageTable(
            [
                PageColumn.Text("way"), .. Enumerable.Range(0, 5).Select(i => new PageColumn($"figure {i}", "MiB/s")),
                new PageColumn("in C#", null, ColumnKind.Code),
            ],
            [new PageRow([new PageCell("a way"), .. Enumerable.Range(0, 5).Select(i => PageCell.Of(1234.5 * i)), new PageCell(code)])]);
        var section = new PageSection { Heading = "Figures", Tables = [table] };
        IPage page = await OpenAsync(390, SamplePage.Make() with { Sections = [section] });
        (await page.EvaluateAsync<double>("document.querySelector('table.data tbody tr').getBoundingClientRect().height"))
            .ShouldBeLessThan(200);
    }

    [SkippableFact]
    public async Task In_the_dark_words_stand_out_from_what_is_behind_them()
    {
        IPage page = await OpenAsync(390, SamplePage.Make(), ColorScheme.Dark);
        await page.WaitForTimeoutAsync(200);
        (await page.EvaluateAsync<double>(Luminance + "luminance(getComputedStyle(document.body).backgroundColor)"))
            .ShouldBeLessThan(0.1);
        string[] pale = await page.EvaluateAsync<string[]>(Luminance + """
            [...document.querySelectorAll('h1, h2, p, th, td, li, code, .legend span')]
              .filter(e => e.innerText.trim() && e.checkVisibility()).filter(e => contrast(e) < 4.5)
              .map(e => `${e.tagName} ${contrast(e).toFixed(1)} ${e.innerText.slice(0, 40)}`)
            """);
        pale.ShouldBeEmpty();
        string[] inks = await page.EvaluateAsync<string[]>("window.written.map(w => w.ink)");
        inks.ShouldNotBeEmpty();
        foreach (string ink in inks.Distinct())
            (await page.EvaluateAsync<double>(Luminance + $"luminanceOf('{ink}')")).ShouldBeGreaterThan(0.15, ink);
        (await page.EvaluateAsync<bool>("document.documentElement.scrollWidth <= window.innerWidth")).ShouldBeTrue();
    }

    private static void Check(Written[] written)
    {
        foreach (Written text in written)
        {
            text.Left.ShouldBeGreaterThanOrEqualTo(-1, $"'{text.Text}' is cut on the left");
            text.Right.ShouldBeLessThanOrEqualTo(text.Canvas + 1, $"'{text.Text}' is cut on the right");
        }
        foreach (Written one in written)
        {
            written.Where(other => other != one && Math.Abs(other.Y - one.Y) < 9 && other.Left < one.Right && one.Left < other.Right)
                .Select(other => $"'{other.Text}' lies over '{one.Text}'").ShouldBeEmpty();
        }
    }

    private async Task<Written[]> DrawAsync(int width, PageChart chart)
    {
        var section = new PageSection { Heading = "Chart", Charts = [chart] };
        IPage page = await OpenAsync(width, SamplePage.Make() with { Sections = [section] });
        await page.EvaluateAsync("window.written = []; sluiceCharts[0].redraw(false, true)");
        await page.WaitForTimeoutAsync(200);
        return await page.EvaluateAsync<Written[]>("window.written");
    }

    private async Task<IPage> OpenAsync(int width, ReportPage content, ColorScheme scheme = ColorScheme.Light)
    {
        Skip.If(fixture.Browser is null, fixture.Reason);
        Skip.If(HtmlAssets.UplotScript is null, "the build had no chart library to embed");
        string path = Folder["page.html"];
        using (var writer = new StreamWriter(path))
            HtmlReport.Write(writer, content, HtmlAssets.UplotScript);
        var size = new ViewportSize { Width = width, Height = 900 };
        IPage page = await fixture.Browser!.NewPageAsync(new BrowserNewPageOptions
        {
            ViewportSize = size,
            ColorScheme = scheme,
        });
        await page.AddInitScriptAsync(Recorder);
        await page.GotoAsync(new Uri(path).AbsoluteUri);
        return page;
    }

    public sealed record Written
    {
        public string Text { get; init; } = "";

        public double Left { get; init; }

        public double Right { get; init; }

        public double Y { get; init; }

        public double Canvas { get; init; }
    }
}
