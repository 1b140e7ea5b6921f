using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>What one contender reached: the median of its rounds, their spread, and what it cost.</summary>
/// <param name="Rate">Units a second.</param>
/// <param name="CpuNs">Nanoseconds of processor time a unit.</param>
internal sealed record MeasuredRate(double Rate, double Low, double High, double CpuNs)
{
    /// <summary>Of each round, in their order.</summary>
    public IReadOnlyList<double> Rates { get; private init; } = [];

    /// <summary>Processor time of a unit in each round, in nanoseconds.</summary>
    public IReadOnlyList<double> CpusNs { get; private init; } = [];

    public static MeasuredRate Of(IReadOnlyList<SliceSample> samples)
    {
        double[] rates = [.. samples.Select(s => s.OperationsPerSecond)];
        double[] cpus = [.. samples.Select(s => s.CpuUsPerOperation * 1000)];
        return new MeasuredRate(Statistics.Median(rates), rates.Min(), rates.Max(), Statistics.Median(cpus))
        {
            Rates = rates,
            CpusNs = cpus,
        };
    }

    /// <summary>The rate in units of this size, with its rounds.</summary>
    public PageCell Cell(double unit = 1, string? format = null) =>
        PageCell.Of(Rate / unit, format).With(Rates.Select(r => r / unit));

    /// <summary>The milliseconds of one operation, with its rounds.</summary>
    public PageCell Milliseconds() => PageCell.Of(1000 / Rate, 1000 / Rate < 1 ? "0.000" : "0.00").With(Rates.Select(r => 1000 / r));

    /// <summary>How many times as fast as another one.</summary>
    public PageCell RatioTo(MeasuredRate? other) => other is null ? PageCell.Empty
        : PageCell.Ratio(Statistics.MedianRatio(Rates, other.Rates)).With(Statistics.Ratios(Rates, other.Rates));
}
