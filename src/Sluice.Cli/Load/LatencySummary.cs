namespace Sluice.Cli.Load;

/// <summary>Latencies in microseconds, with percentiles up to 99.999.</summary>
internal sealed record LatencySummary(
    long Count, double MinUs, double MeanUs, double P50Us, double P90Us, double P95Us, double P99Us,
    double P999Us, double P9999Us, double P99999Us, double MaxUs)
{
    /// <summary>The percentiles with their names in tables and charts.</summary>
    public static IReadOnlyList<(string Name, Func<LatencySummary, double> Of)> Percentiles { get; } =
    [
        ("50 %", l => l.P50Us), ("90 %", l => l.P90Us), ("95 %", l => l.P95Us), ("99 %", l => l.P99Us), ("99.9 %", l => l.P999Us),
        ("99.99 %", l => l.P9999Us), ("99.999 %", l => l.P99999Us), ("max", l => l.MaxUs),
    ];

    public static LatencySummary? From(LatencyHistogram histogram)
    {
        if (histogram.Count == 0)
            return null;
        double Us(double percent) => Round(histogram.Percentile(percent) / 1000.0);
        return new LatencySummary(
            histogram.Count, Round(histogram.MinNanoseconds / 1000.0), Round(histogram.MeanNanoseconds / 1000.0),
            Us(50), Us(90), Us(95), Us(99), Us(99.9), Us(99.99), Us(99.999), Round(histogram.MaxNanoseconds / 1000.0));
    }

    private static double Round(double us) => Math.Round(us, 3);
}
