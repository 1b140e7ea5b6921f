namespace Sluice.Cli.Compare;

/// <summary>Student's t distribution with any positive number of degrees of freedom.</summary>
internal static class StudentT
{
    private const int MaxSteps = 300;
    private const double Precision = 1e-14;

    // Numerical Recipes, "Gamma Function": Lanczos' approximation, good to 1e-10 and better.
    private static readonly double[] LanczosTerms =
        [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5];

    /// <summary>The t that a variable exceeds in either direction with probability 1 - confidence.</summary>
    public static double TwoSidedQuantile(double confidence, double degreesOfFreedom)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(degreesOfFreedom);
        double outside = 1 - confidence;
        double low = 0;
        double high = 1;
        while (Outside(high, degreesOfFreedom) > outside && high < 1e12)
            high *= 2;
        for (int i = 0; i < 200 && high - low > 1e-10 * high; i++)
        {
            double middle = (low + high) / 2;
            if (Outside(middle, degreesOfFreedom) > outside)
                low = middle;
            else
                high = middle;
        }
        return (low + high) / 2;
    }

    /// <summary>The probability of a value beyond t or -t.</summary>
    public static double Outside(double t, double degreesOfFreedom) =>
        IncompleteBeta(degreesOfFreedom / 2, 0.5, degreesOfFreedom / (degreesOfFreedom + t * t));

    private static double IncompleteBeta(double a, double b, double x)
    {
        if (x <= 0)
            return 0;
        if (x >= 1)
            return 1;
        double front = Math.Exp(LogGamma(a + b) - LogGamma(a) - LogGamma(b) + a * Math.Log(x) + b * Math.Log(1 - x));
        // The continued fraction converges fast on one side only; the other follows by symmetry.
        return x < (a + 1) / (a + b + 2) ? front * ContinuedFraction(a, b, x) / a : 1 - front * ContinuedFraction(b, a, 1 - x) / b;
    }

    // Lentz's method.
    private static double ContinuedFraction(double a, double b, double x)
    {
        double c = 1;
        double d = 1 / NotZero(1 - (a + b) * x / (a + 1));
        double result = d;
        for (int m = 1; m <= MaxSteps; m++)
        {
            Step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
            double change = Step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
            if (Math.Abs(change - 1) < Precision)
                break;
        }
        return result;

        double Step(double term)
        {
            d = 1 / NotZero(1 + term * d);
            c = NotZero(1 + term / c);
            result *= d * c;
            return d * c;
        }
    }

    private static double NotZero(double value) => Math.Abs(value) < 1e-300 ? 1e-300 : value;

    private static double LogGamma(double x)
    {
        double shifted = x + 5.5 - (x + 0.5) * Math.Log(x + 5.5);
        double sum = 1.000000000190015;
        double y = x;
        foreach (double term in LanczosTerms)
            sum += term / ++y;
        return -shifted + Math.Log(2.5066282746310005 * sum / x);
    }
}
