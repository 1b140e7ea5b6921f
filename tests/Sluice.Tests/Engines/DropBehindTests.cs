using Sluice.Kernel;

namespace Sluice.Tests.Engines;

public sealed class DropBehindTests
{
    [Fact]
    public void A_write_inside_a_stretch_names_its_own_pages_only()
    {
        DropBehind.AfterWrite(DropBehind.EveryBytes + 4096, 4096).ShouldBe((DropBehind.EveryBytes + 4096, 4096));
    }

    [Fact]
    public void A_write_that_crosses_a_border_names_what_lies_behind_it()
    {
        long offset = (100L * DropBehind.EveryBytes) - 10;
        DropBehind.AfterWrite(offset, 20).ShouldBe((offset - DropBehind.BehindBytes, DropBehind.BehindBytes + 20));
    }

    [Fact]
    public void Nothing_lies_before_the_file()
    {
        DropBehind.AfterWrite(0, 3 * DropBehind.EveryBytes).ShouldBe((0, 3 * DropBehind.EveryBytes));
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(100_000)]
    [InlineData(8 << 20)]
    public void The_work_for_a_long_file_is_proportional_to_it(int requestBytes)
    {
        const long fileBytes = 1L << 30;
        long named = 0;
        for (long at = 0; at < fileBytes; at += requestBytes)
        {
            (long start, long length) = DropBehind.AfterWrite(at, requestBytes);
            start.ShouldBeInRange(0, at);
            (start + length).ShouldBe(at + requestBytes);
            named += length;
        }

        named.ShouldBeLessThan(40 * fileBytes);
    }
}
