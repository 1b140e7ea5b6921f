using Perfolizer.Mathematics.Common;

namespace Sluice.Cli.Compare;

/// <summary>The ratio of the second of two sets of samples to the first, with the bounds of its confidence interval.</summary>
internal sealed record RatioInterval(double Ratio, double Low, double High)
{
    // An interval that includes a factor of two has no verdict.
    private const double Wide = 2;

    public bool IsAbove => Low > 1;

    public bool IsBelow => High < 1;

    /// <summary>Returns true if the interval includes both 1 and a factor of two.</summary>
    public bool IsTooWide => !IsAbove && !IsBelow && (High >= Wide || Low <= 1 / Wide);

    /// <summary>
    /// Returns Welch's interval on the logarithms: the spreads and sizes of the sets may differ, and doubling is as likely as halving. Null
    /// if a set has fewer than two positive samples.
    /// </summary>
    public static RatioInterval? Of(IReadOnlyList<double> before, IReadOnlyList<double> after, double confidence)
    {
        double[] a = Logarithms(before);
        double[] b = Logarithms(after);
        if (a.Length < 2 || b.Length < 2)
            return null;
        double difference = b.Average() - a.Average();
        double errorA = VarianceOf(a) / a.Length;
        double errorB = VarianceOf(b) / b.Length;
        double error = errorA + errorB;
        if (error == 0)
            return new RatioInterval(Math.Exp(difference), Math.Exp(difference), Math.Exp(difference));
        // The degrees of freedom, by the Welch-Satterthwaite equation.
        double freedom = error * error / (errorA * errorA / (a.Length - 1) + errorB * errorB / (b.Length - 1));
        ConfidenceInterval interval =
            new ConfidenceIntervalEstimator(freedom + 1, difference, Math.Sqrt(error)).ConfidenceInterval((ConfidenceLevel)confidence);
        return new RatioInterval(Math.Exp(difference), Math.Exp(interval.Lower), Math.Exp(interval.Upper));
    }

    private static double[] Logarithms(IReadOnlyList<double> samples) =>
        [.. samples.Where(s => s > 0 && double.IsFinite(s)).Select(s => Math.Log(s))];

    private static double VarianceOf(double[] values)
    {
        double mean = values.Average();
        return values.Sum(v => (v - mean) * (v - mean)) / (values.Length - 1);
    }
}
