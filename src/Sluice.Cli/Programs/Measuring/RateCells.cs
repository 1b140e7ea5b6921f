using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Formats the results of a <see cref="ContenderReport"/> as table cells, each with its value in every round.</summary>
internal static class RateCells
{
    /// <summary>Returns the rate in units of the given size.</summary>
    public static PageCell Cell(this ContenderReport side, double unit = 1, string? format = null) =>
        PageCell.Of(side.Rate / unit, format).With(side.SliceRates.Select(r => r / unit));

    /// <summary>Returns the duration of one operation in milliseconds.</summary>
    public static PageCell Milliseconds(this ContenderReport side) =>
        PageCell.Of(1000 / side.Rate, 1000 / side.Rate < 1 ? "0.000" : "0.00").With(side.SliceRates.Select(r => 1000 / r));

    /// <summary>Returns the rate divided by another one; an empty cell if there is no other one.</summary>
    public static PageCell RatioTo(this ContenderReport side, ContenderReport? other) => other is null ? PageCell.Empty
        : PageCell.Ratio(Statistics.MedianRatio(side.SliceRates, other.SliceRates))
            .With(Statistics.Ratios(side.SliceRates, other.SliceRates));
}
