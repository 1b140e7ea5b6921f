using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Formats the results of a contender as table cells, each with its value in every round.</summary>
internal static class RateCells
{
    /// <summary>The rate in units of this size.</summary>
    public static PageCell Cell(this ContenderReport side, double unit = 1, string? format = null) =>
        PageCell.Of(side.Rate / unit, format).With(side.SliceRates.Select(r => r / unit));

    /// <summary>The milliseconds of one operation.</summary>
    public static PageCell Milliseconds(this ContenderReport side) =>
        PageCell.Of(1000 / side.Rate, 1000 / side.Rate < 1 ? "0.000" : "0.00").With(side.SliceRates.Select(r => 1000 / r));

    /// <summary>How many times as fast as another one.</summary>
    public static PageCell RatioTo(this ContenderReport side, ContenderReport? other) => other is null ? PageCell.Empty
        : PageCell.Ratio(Statistics.MedianRatio(side.SliceRates, other.SliceRates))
            .With(Statistics.Ratios(side.SliceRates, other.SliceRates));

    /// <summary>Bars in MiB/s, a colour for each side.</summary>
    public static PageChart BarsOfSides(
        string title, string axis, IReadOnlyList<(string Name, string Side, IEnumerable<double>? Rounds)> bars) =>
        PageChart.OfRounds(
            title, new ChartAxis(axis, Categories: [.. bars.Select(b => b.Name)]), new ChartAxis("speed", "MiB/s"),
            bars.Select(b => b.Side).Distinct().Select(side => (side, bars.Select(b => b.Side == side ? b.Rounds : null))));
}
