using Shouldly;
using Sluice.Cli.Bench;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class RandomOffsetsTests
{
    private const int RequestBytes = 512;

    [Fact]
    public void A_loop_goes_on_where_it_ended_and_at_the_end_from_the_start()
    {
        var offsets = new RandomOffsets([10, 11, 12, 13], loops: 2);
        long[] second = [.. Enumerable.Range(0, 5).Select(_ => offsets.Next(1))];
        second.ShouldBe([12, 13, 10, 11, 12]);
        offsets.Next(0).ShouldBe(10);
    }

    [Fact]
    public void Offsets_are_of_whole_requests_within_the_file_and_the_same_each_time()
    {
        const long FileBytes = (100 * RequestBytes) + 1;
        var (offsets, again) = (RandomOffsets.Of(FileBytes, RequestBytes), RandomOffsets.Of(FileBytes, RequestBytes));
        long[] first = [.. Enumerable.Range(0, 1000).Select(_ => offsets.Next(0))];
        first.ShouldBe(Enumerable.Range(0, 1000).Select(_ => again.Next(0)));
        first.ShouldAllBe(offset => offset % RequestBytes == 0 && offset >= 0 && offset <= FileBytes - RequestBytes);
        first.Distinct().Count().ShouldBeGreaterThan(50);
    }
}
