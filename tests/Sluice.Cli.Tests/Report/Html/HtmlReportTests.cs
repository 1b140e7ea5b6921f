using System.Text.Json;
using System.Text.RegularExpressions;
using Shouldly;
using Sluice.Cli.Report.Html;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Tests.Report.Pages;
using Xunit;

namespace Sluice.Cli.Tests.Report.Html;

public sealed class HtmlReportTests
{
    [Fact]
    public void Text_is_text_and_cannot_become_markup()
    {
        string html = Render(SamplePage.Make(), uplot: null);
        html.ShouldNotContain(SamplePage.Nasty);
        html.ShouldNotContain("<b>bold</b>");
        html.ShouldContain("&lt;b&gt;bold&lt;/b&gt;");
        html.ShouldContain("<pre>if (a &lt; b) return;</pre>");
    }

    [Fact]
    public void The_data_cannot_end_its_script_and_is_the_page()
    {
        string html = Render(SamplePage.Make(), uplot: null);
        string data = Regex.Match(
            html, """<script id="page-data" type="application/json">(?<data>.*?)</script>""",
            RegexOptions.Singleline | RegexOptions.ExplicitCapture,
            TimeSpan.FromSeconds(5)).Groups["data"].Value;
        data.ShouldNotContain("<");
        ReportPage back = JsonSerializer.Deserialize(data, PageJsonContext.Default.ReportPage)!;
        back.Title.ShouldBe(SamplePage.Make().Title);
        back.Sections[0].Charts[1].X.Categories!.ShouldContain(SamplePage.Nasty);
    }

    [Fact]
    public void Without_the_chart_library_the_page_says_so_and_has_the_figures()
    {
        string html = Render(SamplePage.Make(), uplot: null);
        html.ShouldContain("The chart is missing: this sluice was built without Node");
        html.ShouldNotContain("class=\"plot\"");
        html.ShouldContain("""<td class="num" data-value="1234.25">1,234</td>""", customMessage: "the section's table");
        html.ShouldContain("""<td class="num" data-value="4096">4 KiB</td><td class="num"></td>""", customMessage: "the chart's gap");
        html.ShouldContain("""<td class="num" data-value="300">300</td><td class="num" data-value="200">200</td>""",
            customMessage: "the chart's figures");
    }

    [SkippableFact]
    public void With_it_the_page_keeps_its_licence_notice()
    {
        Skip.If(HtmlAssets.UplotScript is null, "this sluice was built without Node");
        string html = Render(SamplePage.Make(), HtmlAssets.UplotScript);
        html.ShouldContain("Copyright (c) 2022 Leon Sorokin");
        html.ShouldContain("The above copyright notice and this permission notice shall be included");
        html.ShouldContain("""<div class="plot" data-chart="0.1"></div>""");
    }

    [Fact]
    public void Nothing_is_asked_of_the_network()
    {
        string html = Render(SamplePage.Make(), HtmlAssets.UplotScript);
        html.ShouldContain("default-src 'none'");
        Regex.IsMatch(html, """(src|href)="(?!#|data:)""", RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(5)).ShouldBeFalse();
        html.ShouldNotContain("@import");
        html.ShouldNotContain("url(");
    }

    private static string Render(ReportPage page, string? uplot)
    {
        var writer = new StringWriter();
        HtmlReport.Write(writer, page, uplot);
        return writer.ToString();
    }
}
