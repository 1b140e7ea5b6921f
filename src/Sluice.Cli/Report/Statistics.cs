namespace Sluice.Cli.Report;

internal static class Statistics
{
    /// <summary>The middle value, or the mean of the two in the middle; 0 of nothing.</summary>
    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0)
            return 0;
        int middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /// <summary>The median of a[i] / b[i]: pairs measured side by side, so that a drifting device cancels out.</summary>
    public static double? MedianRatio(IReadOnlyList<double> numerators, IReadOnlyList<double> denominators)
    {
        double[] ratios = [.. Ratios(numerators, denominators)];
        return ratios.Length == 0 ? null : Median(ratios);
    }

    /// <summary>
    /// The 95 % interval of the median, by the bootstrap: medians of as many values drawn again with replacement, always in the same way.
    /// Null of fewer than seven, of which it would say too much.
    /// </summary>
    public static (double Low, double High)? MedianInterval(IReadOnlyList<double> values)
    {
        const int MinValues = 7;
        const int Draws = 4000;
        if (values.Count < MinValues)
            return null;
        var random = new Random(values.Count);
        double[] medians = new double[Draws];
        double[] drawn = new double[values.Count];
        for (int i = 0; i < Draws; i++)
        {
            for (int j = 0; j < drawn.Length; j++)
                drawn[j] = values[random.Next(values.Count)];
            medians[i] = Median(drawn);
        }
        Array.Sort(medians);
        return (medians[Draws / 40], medians[Draws - 1 - (Draws / 40)]);
    }

    /// <summary>a[i] / b[i], without those that do not exist.</summary>
    public static IEnumerable<double> Ratios(IReadOnlyList<double> numerators, IReadOnlyList<double> denominators)
    {
        for (int i = 0; i < Math.Min(numerators.Count, denominators.Count); i++)
        {
            if (denominators[i] > 0)
                yield return numerators[i] / denominators[i];
        }
    }
}
