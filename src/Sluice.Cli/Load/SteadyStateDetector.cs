namespace Sluice.Cli.Load;

/// <summary>
/// Determines from which window on the throughput was steady, by the rule of the SNIA performance test specification: over five windows,
/// the spread is at most 20 % of their mean, and a regression line rises or falls by at most 10 %. If the mean of five later windows
/// differs by more than 20 %, the search continues after them.
/// </summary>
internal static class SteadyStateDetector
{
    public const int WindowCount = 5;
    private const double MaxSpread = 0.20;
    private const double MaxDrift = 0.10;

    /// <returns>The index of the first of the five windows, or null if no five in a row were steady.</returns>
    public static int? FirstSteadyWindow(IReadOnlyList<double> rates)
    {
        for (int first = 0; first + WindowCount <= rates.Count; first++)
        {
            if (IsSteady(rates, first) && Lasts(rates, first))
                return first;
        }
        return null;
    }

    private static bool Lasts(IReadOnlyList<double> rates, int first)
    {
        double mean = MeanFrom(rates, first);
        return Enumerable.Range(first, rates.Count - WindowCount - first + 1)
            .All(later => Math.Abs(MeanFrom(rates, later) - mean) <= MaxSpread * mean);
    }

    private static double MeanFrom(IReadOnlyList<double> rates, int first) => rates.Skip(first).Take(WindowCount).Average();

    private static bool IsSteady(IReadOnlyList<double> rates, int first)
    {
        double sum = 0, min = double.MaxValue, max = double.MinValue, weighted = 0;
        for (int i = 0; i < WindowCount; i++)
        {
            double rate = rates[first + i];
            sum += rate;
            min = Math.Min(min, rate);
            max = Math.Max(max, rate);
            weighted += rate * (i - ((WindowCount - 1) / 2.0));
        }
        double mean = sum / WindowCount;
        if (mean <= 0)
            return false;
        // The slope of the regression line over x = -2..2 is sum(x*y) / sum(x*x), and sum(x*x) is 10.
        double drift = Math.Abs(weighted / 10 * (WindowCount - 1));
        return max - min <= MaxSpread * mean && drift <= MaxDrift * mean;
    }
}
