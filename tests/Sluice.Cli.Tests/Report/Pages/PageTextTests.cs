using Shouldly;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Report.Pages;

public sealed class PageTextTests
{
    [Fact]
    public void Piped_text_has_plain_columns_and_no_charts()
    {
        string text = Print(isTerminal: false, noColor: false);
        text.ShouldNotContain("\e");
        text.ShouldContain("three                                                5.25  c");
        text.ShouldNotContain("█");
    }

    [Fact]
    public void In_a_terminal_its_bar_charts_are_drawn()
    {
        string text = Print(isTerminal: true, noColor: false);
        text.ShouldContain("█");
        text.ShouldContain("one");
        text.ShouldNotContain("Rate by request size", customMessage: "a line of points has no room there");
    }

    [Fact]
    public void A_small_value_keeps_its_digits()
    {
        ReportPage page = SamplePage.Make();
        PageChart chart = page.Sections[0].Charts[1];
        chart = chart with { Series = [chart.Series[0] with { Y = [0.001234, 1234.5], Low = null, High = null }] };
        string text = Print(isTerminal: true, noColor: true, page with { Sections = [page.Sections[0] with { Charts = [chart] }] });
        text.ShouldContain("0.00123");
        text.ShouldContain("1234");
    }

    /// <summary>As of rows of which nothing can be told.</summary>
    [Theory]
    [InlineData(null, null, 0)]
    [InlineData(null, 0.0, 0)]
    [InlineData(null, 2.0, 100)]
    [InlineData(1.0, 2.0, 150)]
    [InlineData(1.0, 4.0, 125)]
    public void A_bar_is_as_long_as_the_number_beside_it_says_and_a_gap_has_none(double? first, double? second, int percentOfLongest)
    {
        ReportPage page = SamplePage.Make();
        PageChart chart = page.Sections[0].Charts[1];
        chart = chart with { Series = [chart.Series[0] with { Y = [first, second], Low = null, High = null }] };
        string text = Print(isTerminal: true, noColor: true, page with { Sections = [page.Sections[0] with { Charts = [chart] }] });
        int[] bars = [.. text.Split('\n').Select(l => l.Count(c => c == '█')).Where(n => n > 0)];
        if (percentOfLongest > 0)
            Math.Abs((100 * bars.Sum() / bars.Max()) - percentOfLongest).ShouldBeLessThanOrEqualTo(8);
        else
            bars.ShouldBeEmpty();
    }

    private static string Print(bool isTerminal, bool noColor, ReportPage? page = null)
    {
        var output = new StringWriter();
        PageText.Write(new TerminalStreams(output, TextWriter.Null, TextReader.Null) { IsOutputTerminal = isTerminal, NoColor = noColor },
            page ?? SamplePage.Make());
        return output.ToString();
    }
}
