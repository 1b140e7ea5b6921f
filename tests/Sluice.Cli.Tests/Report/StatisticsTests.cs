using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class StatisticsTests
{
    [Fact]
    public void The_median_is_the_middle_and_of_an_even_number_the_mean_of_two()
    {
        Statistics.Median([9, 1, 5]).ShouldBe(5);
        Statistics.Median([9, 1, 5, 7]).ShouldBe(6);
        Statistics.Median([]).ShouldBe(0);
    }

    [Fact]
    public void A_ratio_of_pairs_does_not_see_what_slows_both_sides_down() =>
        // Each pair is 2:1.
        Statistics.MedianRatio([200, 200, 100], [100, 100, 50]).ShouldBe(2);

    [Fact]
    public void A_side_that_did_nothing_in_a_slice_drops_that_pair()
    {
        Statistics.MedianRatio([3, 4], [0, 2]).ShouldBe(2);
        Statistics.MedianRatio([3], [0]).ShouldBeNull();
    }
}
