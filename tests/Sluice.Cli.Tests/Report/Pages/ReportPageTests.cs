using Shouldly;
using Sluice.Cli.Report.Pages;
using Xunit;

namespace Sluice.Cli.Tests.Report.Pages;

public sealed class ReportPageTests
{
    [Fact]
    public void Numbers_that_are_none_become_gaps()
    {
        var series = new ChartSeries { Name = "a", Y = [double.NaN, 1, double.PositiveInfinity], Low = [0, double.NegativeInfinity, null] };
        series.Y.ShouldBe([null, 1d, null]);
        series.Low.ShouldBe([0d, null, null]);
        PageCell.Of(double.NaN).Value.ShouldBeNull();
    }

    [Theory]
    [InlineData("sluice bench --suite all", "bench", "--suite", "all")]
    [InlineData("sluice extents 'my file'", "extents", "my file")]
    [InlineData(@"sluice extents 'it'\''s'", "extents", "it's")]
    [InlineData("sluice extents ''", "extents", "")]
    [InlineData("sluice extents 'a`id`'", "extents", "a`id`")]
    [InlineData("sluice extents 'a\nid'", "extents", "a\nid")]
    [InlineData("sluice extents '~' '#a' '[ab]' '{a,b}' '!!' 'a^b'", "extents", "~", "#a", "[ab]", "{a,b}", "!!", "a^b")]
    [InlineData("sluice extents 'é' --csv=/a/b-c_d.e,f:1%+@", "extents", "é", "--csv=/a/b-c_d.e,f:1%+@")]
    public void A_command_line_can_be_typed_again(string expected, params string[] arguments) =>
        ReportPage.CommandLineOf(arguments).ShouldBe(expected);
}
