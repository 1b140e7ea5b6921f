using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>What is said of a row follows from the interval of its pairs, never from their median alone.</summary>
[Trait("Runs", "once")]
public sealed class RowVerdictTests
{
    [Fact]
    public void Fewer_than_seven_pairs_have_no_interval()
    {
        Statistics.MedianInterval([2, 2, 2, 2, 2, 2]).ShouldBeNull();
        Statistics.MedianInterval([2, 2, 2, 2, 2, 2, 2]).ShouldBe((2, 2));
    }

    [Theory]
    [InlineData(7, 0)]
    [InlineData(8, 0)]
    [InlineData(9, 1)]
    [InlineData(15, 3)]
    [InlineData(100, 39)]
    public void The_interval_lies_between_two_of_the_values(int values, int leftOut)
    {
        // Of 100 coins 39 heads or fewer have 1.8 %, 40 or fewer 2.8 %.
        double[] shuffled = [.. Enumerable.Range(0, values).Select(i => (double)(i * 37 % values))];
        Statistics.MedianInterval(shuffled).ShouldBe((leftOut, values - 1 - leftOut));
    }

    [Theory]
    [InlineData(1.1, 1.3, "faster")]
    [InlineData(0.9, 1.3, "even")]
    [InlineData(0.7, 0.9, "slower")]
    [InlineData(null, null, "")]
    public void A_verdict_needs_an_interval_that_leaves_1_out(double? low, double? high, string verdict)
    {
        RowReport row = Row() with { RatioLow = low, RatioHigh = high };
        row.Verdict.ShouldBe(verdict);
    }

    [Theory]
    [InlineData(5, "5 rounds")]
    [InlineData(1, "1 round")]
    [InlineData(0, "")]
    [InlineData(7, "1.90-2.10")]
    public void A_row_has_an_interval_or_says_how_few_its_rounds_were(int rounds, string said)
    {
        double[] rates = [.. Enumerable.Repeat(2.0, rounds)];
        double[] ones = [.. Enumerable.Repeat(1.0, rounds)];
        bool isTold = Statistics.MedianInterval(rates) is not null;
        RowReport row = Row() with
        {
            Sluice = new ContenderReport("Sluice", 2, 1, 0, rates),
            DotNet = new ContenderReport(".NET", 1, 1, 0, ones),
            RatioLow = isTold ? 1.9 : null,
            RatioHigh = isTold ? 2.1 : null,
        };
        PageTable table = BenchTable.Of([row with { Name = "other", RatioLow = 1, RatioHigh = 2 }, row]);
        int column = table.Columns.Select(c => c.Header).ToList().IndexOf("95 %");
        table.Rows[1].Cells[column].Text.ShouldBe(said);
    }

    [Theory]
    [InlineData(".NET", "row", "row")]
    [InlineData("cp -r", "row", "row, beside cp -r")]
    [InlineData("cp", "row, beside cp", "row, beside cp")]
    public void A_row_beside_another_than_NET_says_so(string peer, string name, string shown)
    {
        RowReport row = Row() with { Name = name, DotNet = Row().DotNet with { Name = peer } };
        BenchTable.Of([row]).Rows[0].Cells[0].Text.ShouldBe(shown);
        row.IsBesideDotNet.ShouldBe(peer == ".NET");
    }

    [Fact]
    public void Rows_beside_others_count_as_no_verdict_about_NET()
    {
        RowReport faster = Row() with { Ratio = 2, RatioLow = 1.5, RatioHigh = 3 };
        RowReport beside = faster with { Ratio = 9, DotNet = Row().DotNet with { Name = "cp -r" } };
        PageSection section = BenchPage.Of(Report(faster, faster, beside)).Sections[0];
        section.Text.ShouldStartWith("3 rows: 2 faster, 0 even, 0 slower, 1 beside others than .NET. ");
        section.Text.ShouldContain("In the middle row Sluice is 2.00 times as fast as .NET");
        BenchPage.Of(Report(beside)).Sections[0].Text.ShouldBe("1 row: 0 faster, 0 even, 0 slower, 1 beside others than .NET.");
    }

    private static BenchReport Report(params RowReport[] rows) => new()
    {
        Started = DateTimeOffset.UnixEpoch,
        Arguments = [],
        Environment = EnvironmentProbe.ForPath("."),
        Fio = "",
        Quick = false,
        Seconds = 1,
        Interrupted = false,
        Rows = rows,
    };

    private static RowReport Row() => new(
        Suite: "suite",
        Id: "row",
        Name: "row",
        Why: "",
        Unit: "IOPS",
        Rounds: 7,
        Sluice: new ContenderReport("Sluice", 1, 1, 0, []),
        DotNet: new ContenderReport(".NET", 1, 1, 0, []),
        Ratio: 1,
        CpuRatio: 1);
}
