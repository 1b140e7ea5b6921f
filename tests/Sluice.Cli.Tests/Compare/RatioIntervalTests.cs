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
}
