using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void Five_nines_find_the_one_slow_operation_in_a_hundred_thousand_and_one()
    {
        var histogram = new LatencyHistogram();
        for (int i = 0; i < 99_999; i++)
            histogram.Record(1000);
        histogram.Record(5_000_000);
        // 99,999 of 100,000 are 99.999 %: the slow one is the maximum, not yet the percentile.
        histogram.Percentile(99.999).ShouldBeInRange(1000, 1004);
        histogram.Record(5_000_000);
        histogram.Percentile(99.999).ShouldBeInRange(5_000_000, 5_005_000);
    }

    [Theory]
    [InlineData(0, 0.5, 1000)]
    [InlineData(0, 1, 1)]
    [InlineData(7, 1, 2000)]
    [InlineData(100, 123.4, 3000)]
    [InlineData(1_000_000_000, 1_000_000, 500)]
    [InlineData(5, 0, 10)]
    public void Values_at_even_distances_are_those_recorded_one_by_one(long lowest, double distance, long count)
    {
        var one = new LatencyHistogram();
        for (long i = 0; i < count; i++)
            one.Record(lowest + (long)(i * distance));
        var all = new LatencyHistogram();
        all.RecordEvenly(lowest, distance, count);
        (all.Count, all.MinNanoseconds, all.MaxNanoseconds).ShouldBe((count, one.MinNanoseconds, one.MaxNanoseconds));
        foreach (double percent in (double[])[0.1, 1, 10, 50, 90, 99, 99.9])
            all.Percentile(percent).ShouldBe(one.Percentile(percent));
        all.MeanNanoseconds.ShouldBe(one.MeanNanoseconds, tolerance: 1 + (one.MeanNanoseconds / 1000));
    }
}
