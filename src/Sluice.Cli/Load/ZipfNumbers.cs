namespace Sluice.Cli.Load;

/// <summary>
/// Random ranks from 0 in a Zipf distribution: the probability of the n-th rank is proportional to n to the power of the negative exponent.
/// The method is rejection-inversion (Hoermann and Derflinger, 1996). Not thread-safe.
/// </summary>
internal sealed class ZipfNumbers
{
    private readonly double _exponent;
    private readonly long _count;
    private readonly Random _random;
    private readonly double _low;
    private readonly double _high;
    private readonly double _accepted;

    /// <param name="exponent">The exponent, above 0: 1.2 gives a small set of frequent ranks, 0.5 is nearly uniform.</param>
    public ZipfNumbers(long count, double exponent, Random random)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(exponent);
        (_count, _exponent, _random) = (count, exponent, random);
        _low = Area(1.5) - 1;
        _high = Area(count + 0.5);
        _accepted = 2 - AreaInverse(Area(2.5) - Density(2));
    }

    public long Next()
    {
        while (true)
        {
            double area = _high + (_random.NextDouble() * (_low - _high));
            double x = AreaInverse(area);
            long rank = Math.Clamp((long)(x + 0.5), 1, _count);
            if (rank - x <= _accepted || area >= Area(rank + 0.5) - Density(rank))
                return rank - 1;
        }
    }

    private double Density(double x) => Math.Exp(-_exponent * Math.Log(x));

    /// <summary>The area under the density from 1 to x.</summary>
    private double Area(double x)
    {
        double log = Math.Log(x);
        return Expm1OverX((1 - _exponent) * log) * log;
    }

    private double AreaInverse(double area)
    {
        double t = Math.Max(-1, area * (1 - _exponent));
        return Math.Exp(Log1pOverX(t) * area);
    }

    private static double Expm1OverX(double x) => Math.Abs(x) > 1e-8 ? (Math.Exp(x) - 1) / x : 1 + (x / 2);

    private static double Log1pOverX(double x) => Math.Abs(x) > 1e-8 ? Math.Log(1 + x) / x : 1 - (x / 2);
}
