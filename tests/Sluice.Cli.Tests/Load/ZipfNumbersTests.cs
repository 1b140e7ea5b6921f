using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

/// <summary>The n-th rank comes as often as n to the power of minus the exponent says.</summary>
public sealed class ZipfNumbersTests
{
    [Theory]
    [InlineData(0.5)]
    [InlineData(1)]
    [InlineData(1.2)]
    [InlineData(3)]
    public void Ranks_come_as_often_as_the_law_says(double exponent)
    {
        const int count = 1000;
        const int draws = 400_000;
        var numbers = new ZipfNumbers(count, exponent, new Random(7));
        long[] seen = new long[count];
        for (int i = 0; i < draws; i++)
            seen[numbers.Next()]++;
        double sum = Enumerable.Range(1, count).Sum(n => Math.Pow(n, -exponent));
        foreach (int rank in (int[])[1, 2, 3, 10])
        {
            double expected = draws * Math.Pow(rank, -exponent) / sum;
            // Five standard deviations of a count.
            Math.Abs(seen[rank - 1] - expected).ShouldBeLessThan(5 * Math.Sqrt(expected) + 1, $"rank {rank}");
        }
    }

    [Fact]
    public void One_place_is_always_the_same() => new ZipfNumbers(1, 1.2, new Random(1)).Next().ShouldBe(0);

    [Fact]
    public void Popular_places_are_whole_requests_scattered_over_the_file()
    {
        var offsets = new OffsetSequence(1 << 20, 4096, 0, seed: 3, zipf: 1.2);
        long[] drawn = [.. Enumerable.Range(0, 20_000).Select(_ => offsets.Next())];
        drawn.ShouldAllBe(o => o % 4096 == 0 && o >= 0 && o < 1 << 20);
        long[] popular = [.. drawn.GroupBy(o => o).OrderByDescending(g => g.Count()).Take(4).Select(g => g.Key)];
        popular.Max().ShouldBeGreaterThan(popular.Min() + (64 << 10));
        drawn.Distinct().Count().ShouldBeGreaterThan(200, "of 256");
    }
}
