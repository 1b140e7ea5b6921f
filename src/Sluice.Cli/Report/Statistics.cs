namespace Sluice.Cli.Report;

internal static class Statistics
{
    /// <summary>Fewer values have no interval.</summary>
    public const int FewestPairs = 7;

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
    /// An interval that holds the median with 95 % or more, whatever the distribution: between two of the values, by the binomial law.
    /// Null of fewer than seven, of which it would say too much.
    /// </summary>
    public static (double Low, double High)? MedianInterval(IReadOnlyList<double> values)
    {
        if (values.Count < FewestPairs)
            return null;
        double[] sorted = [.. values.Order()];
        int leftOut = LeftOutAtEachEnd(sorted.Length);
        return (sorted[leftOut], sorted[^(leftOut + 1)]);
    }

    /// <summary>The largest k of which k or fewer of so many values lie below their median in at most 2.5 of 100 cases.</summary>
    private static int LeftOutAtEachEnd(int count)
    {
        const double Tail = 0.025;
        int k = 0;
        // As a logarithm: of many values the smallest probabilities are no doubles.
        double logarithm = -count * Math.Log(2);
        double sum = Math.Exp(logarithm);
        while (k < count)
        {
            logarithm += Math.Log((double)(count - k) / (k + 1));
            sum += Math.Exp(logarithm);
            if (sum > Tail)
                break;
            k++;
        }
        return k;
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
