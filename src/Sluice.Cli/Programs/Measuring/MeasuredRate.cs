using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>What one contender reached: the median of its rounds, their spread, and what it cost.</summary>
/// <param name="Rate">Units a second.</param>
/// <param name="CpuNs">Nanoseconds of processor time a unit.</param>
internal sealed record MeasuredRate(double Rate, double Low, double High, double CpuNs)
{
    /// <summary>Of each round, in their order.</summary>
    public IReadOnlyList<double> Rates { get; private init; } = [];

    public static MeasuredRate Of(IReadOnlyList<double> rates, IEnumerable<double> cpuNs) =>
        new(Statistics.Median(rates), rates.Min(), rates.Max(), Statistics.Median(cpuNs)) { Rates = rates };

    /// <summary>In other units, of which so many make one.</summary>
    public MeasuredRate Per(double units) =>
        new(Rate / units, Low / units, High / units, CpuNs * units) { Rates = [.. Rates.Select(r => r / units)] };
}
