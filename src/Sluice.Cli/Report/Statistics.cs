namespace Sluice.Cli.Report;

internal static class Statistics
{
    /// <summary>The minimum number of values for an interval.</summary>
    public const int FewestPairs = 7;

    /// <summary>Returns the middle value, or the mean of the two in the middle; 0 if there are no values.</summary>
    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0)
            return 0;
        int middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /// <summary>
    /// Returns the median of a[i] / b[i]. The values of a pair were measured together, so that changes of the device cancel out.
    /// </summary>
    public static double? MedianRatio(IReadOnlyList<double> numerators, IReadOnlyList<double> denominators)
    {
        double[] ratios = [.. Ratios(numerators, denominators)];
        return ratios.Length == 0 ? null : Median(ratios);
    }

    /// <summary>
    /// Returns an interval that contains the median with a confidence of at least 95 %, for any distribution: its bounds are two of the
    /// values, chosen by the binomial distribution. Null if there are fewer than seven values.
    /// </summary>
    public static (double Low, double High)? MedianInterval(IReadOnlyList<double> values)
    {
        if (values.Count < FewestPairs)
            return null;
        double[] sorted = [.. values.Order()];
        int leftOut = LeftOutAtEachEnd(sorted.Length);
        return (sorted[leftOut], sorted[^(leftOut + 1)]);
    }

    /// <summary>Returns the largest k for which the probability that at most k values are below the median is at most 2.5 %.</summary>
    private static int LeftOutAtEachEnd(int count)
    {
        const double Tail = 0.025;
        int k = 0;
        // The probability is computed as a logarithm, because with many values, the smallest ones are too small for a double.
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

    /// <summary>Returns a[i] / b[i], without ratios that do not exist.</summary>
    public static IEnumerable<double> Ratios(IReadOnlyList<double> numerators, IReadOnlyList<double> denominators)
    {
        for (int i = 0; i < Math.Min(numerators.Count, denominators.Count); i++)
        {
            if (denominators[i] > 0)
                yield return numerators[i] / denominators[i];
        }
    }
}
