using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class OffsetSequenceTests
{
    [Fact]
    public void Without_seeks_it_walks_through_the_file_and_starts_again()
    {
        var offsets = new OffsetSequence(fileSizeBytes: 350, requestSizeBytes: 100, seekPercent: 0, seed: 1);
        Enumerable.Range(0, 7).Select(_ => offsets.Next()).ShouldBe([0, 100, 200, 0, 100, 200, 0]);
        offsets.Wraps.ShouldBe(2);
    }

    [Fact]
    public void At_hundred_percent_it_reaches_every_block_and_none_outside()
    {
        var offsets = new OffsetSequence(1024, 64, 100, seed: 3);
        HashSet<long> seen = [.. Enumerable.Range(0, 2000).Select(_ => offsets.Next())];
        seen.Order().ShouldBe(Enumerable.Range(0, 16).Select(i => i * 64L));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    [InlineData(50)]
    public void A_seek_goes_no_further_than_its_share_of_the_file(double percent)
    {
        const int Blocks = 1000;
        var offsets = new OffsetSequence(Blocks * 512, 512, percent, seed: 5);
        long last = offsets.Next();
        long furthest = 0;
        for (int i = 0; i < 5000; i++)
        {
            long next = offsets.Next();
            next.ShouldBeInRange(0, (Blocks - 1) * 512);
            furthest = Math.Max(furthest, Math.Abs(next - last) / 512);
            last = next;
        }
        furthest.ShouldBeLessThanOrEqualTo((long)(Blocks * percent / 100));
        furthest.ShouldBeGreaterThan((long)(Blocks * percent / 100 / 2));
    }
}
