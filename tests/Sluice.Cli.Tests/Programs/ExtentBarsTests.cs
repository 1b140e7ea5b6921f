using Shouldly;
using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Xunit;

namespace Sluice.Cli.Tests.Programs;

/// <summary>Bars of `extents` are drawn by the quantity that they stand beside.</summary>
public sealed class ExtentBarsTests
{
    // Most of the extents are small, and most of the bytes are in the large ones.
    private static readonly ExtentClass[] Classes =
        [new(4 << 10, 900, 900 * 4096), new(1 << 20, 30, 30 << 20), new(64 << 20, 2, 120 << 20)];

    [Fact]
    public void On_the_page_each_row_of_bars_is_a_share_of_what_its_name_says()
    {
        PageChart chart = ExtentPage.Of(Report(), []).Sections[0].Charts[0];
        chart.Y.Unit.ShouldBe("%");
        ChartSeries extents = chart.Series.Single(s => s.Name.Contains("extents", StringComparison.Ordinal));
        ChartSeries bytes = chart.Series.Single(s => s.Name.Contains("bytes", StringComparison.Ordinal));
        extents.Y.Select(y => Math.Round(y!.Value, 1)).ShouldBe([96.6, 3.2, 0.2]);
        bytes.Y.Select(y => Math.Round(y!.Value, 1)).ShouldBe([2.3, 19.5, 78.2]);
    }

    private static ExtentReport Report() => new()
    {
        Started = DateTimeOffset.UnixEpoch,
        Arguments = [],
        Environment = EnvironmentProbe.ForPath("/"),
        Path = "some",
        Files = 10,
        FragmentedFiles = 1,
        SizeBytes = Classes.Sum(c => c.Bytes),
        PlacedBytes = Classes.Sum(c => c.Bytes),
        UnplacedBytes = 0,
        Extents = 932,
        Pieces = 900,
        Score = 5,
        Histogram = Classes,
        WorstFiles = [],
        Failures = [],
    };
}
