using Shouldly;
using Sluice.Cli.Compare;
using Xunit;

namespace Sluice.Cli.Tests.Compare;

public sealed class RatioIntervalTests
{
    [Fact]
    public void A_factor_and_its_interval_are_those_worked_out_by_hand()
    {
        // Logarithms to base 2: 0, 1, 2 and 2, 3, 4: means 1 and 3, variance 1 each, error sqrt(2/3), 4 degrees of freedom.
        RatioInterval interval = RatioInterval.Of([1, 2, 4], [4, 8, 16], 0.95)!;
        interval.Ratio.ShouldBe(4, 1e-9);
        double margin = 2.7764 * Math.Sqrt(2.0 / 3);
        interval.Low.ShouldBe(Math.Pow(2, 2 - margin), 1e-3);
        interval.High.ShouldBe(Math.Pow(2, 2 + margin), 1e-3);
    }

    [Fact]
    public void Turned_around_it_is_the_inverse()
    {
        double[] a = [100, 110, 95, 104];
        double[] b = [130, 120, 128];
        RatioInterval there = RatioInterval.Of(a, b, 0.95)!;
        RatioInterval back = RatioInterval.Of(b, a, 0.95)!;
        there.IsAbove.ShouldBeTrue();
        back.IsBelow.ShouldBeTrue();
        back.Ratio.ShouldBe(1 / there.Ratio, 1e-9);
        back.Low.ShouldBe(1 / there.High, 1e-9);
    }

    [Fact]
    public void What_lies_within_the_spread_is_neither_above_nor_below()
    {
        RatioInterval interval = RatioInterval.Of([100, 140, 90, 120], [105, 135, 100, 125], 0.95)!;
        interval.IsAbove.ShouldBeFalse();
        interval.IsBelow.ShouldBeFalse();
    }

    [Fact]
    public void Samples_without_any_spread_have_an_interval_of_one_point()
    {
        RatioInterval interval = RatioInterval.Of([2, 2], [3, 3], 0.95)!;
        interval.Low.ShouldBe(1.5, 1e-12);
        interval.High.ShouldBe(1.5, 1e-12);
    }

    [Theory]
    [InlineData(new[] { 1.0 }, new[] { 1.0, 2.0 })]
    [InlineData(new[] { 1.0, 2.0 }, new[] { 0.0, 2.0 })]
    [InlineData(new double[0], new double[0])]
    public void Too_few_positive_samples_have_none(double[] before, double[] after) =>
        RatioInterval.Of(before, after, 0.95).ShouldBeNull();

    [Fact]
    public void Its_confidence_is_what_it_says()
    {
        // 4000 comparisons of sets that differ by a factor of 1.5 and by noise: the interval must hold the factor in 95 of 100.
        var random = new Random(20040136);
        int held = 0;
        const int Trials = 4000;
        for (int i = 0; i < Trials; i++)
        {
            double[] before = [.. Enumerable.Range(0, 7).Select(_ => Math.Exp(0.05 * Gauss(random)))];
            double[] after = [.. Enumerable.Range(0, 5).Select(_ => 1.5 * Math.Exp(0.15 * Gauss(random)))];
            RatioInterval interval = RatioInterval.Of(before, after, 0.95)!;
            if (interval.Low <= 1.5 && interval.High >= 1.5)
                held++;
        }
        (held / (double)Trials).ShouldBeInRange(0.935, 0.965);
    }

    [Theory]
    [InlineData(1.9, 0.97, 3.72, true)]
    [InlineData(1.4, 0.95, 2.06, true)]
    [InlineData(0.55, 0.28, 1.08, true)]
    [InlineData(1, 0.49, 2.04, true)]
    [InlineData(1, 0.51, 1.96, false)]
    [InlineData(0.7, 0.51, 1.5, false)]
    [InlineData(1.9, 1.01, 3.6, false)]
    [InlineData(0.5, 0.26, 0.99, false)]
    public void What_holds_no_change_and_a_double_or_a_half_says_nothing(double ratio, double low, double high, bool isTooWide) =>
        new RatioInterval(ratio, low, high).IsTooWide.ShouldBe(isTooWide);

    private static double Gauss(Random random) =>
        Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
