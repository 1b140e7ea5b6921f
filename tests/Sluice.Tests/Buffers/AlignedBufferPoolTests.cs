using Sluice.Buffers;

namespace Sluice.Tests.Buffers;

[Collection(AloneCollection.Name)]
public sealed class AlignedBufferPoolTests
{
    [Fact]
    public void Buffers_are_aligned_long_enough_and_counted()
    {
        int before = AlignedBufferPool.Rented;
        List<AlignedBuffer> buffers = [];
        foreach (int length in (int[])[0, 1, 512, 8191, 8192, 8193, AlignedBufferPool.MostBytes - 1, AlignedBufferPool.MostBytes])
        {
            AlignedBuffer buffer = AlignedBufferPool.Rent(length);
            buffers.Add(buffer);
            (buffer.Address % 4096).ShouldBe(0);
            buffer.Length.ShouldBeGreaterThanOrEqualTo(length);
            buffer.Span.Fill(0xEE);
        }

        buffers.Distinct().Count().ShouldBe(buffers.Count);
        AlignedBufferPool.Rented.ShouldBe(before + buffers.Count);
        buffers.ForEach(AlignedBufferPool.Return);
        AlignedBufferPool.Rented.ShouldBe(before);
    }

    [Fact]
    public void What_is_returned_is_rented_again()
    {
        AlignedBuffer buffer = AlignedBufferPool.Rent(100);
        AlignedBufferPool.Return(buffer);
        AlignedBufferPool.Rent(100).ShouldBeSameAs(buffer);
        AlignedBufferPool.Return(buffer);
    }

    [Fact]
    public void More_than_the_largest_is_refused_and_not_counted()
    {
        int before = AlignedBufferPool.Rented;
        Should.Throw<ArgumentOutOfRangeException>(() => AlignedBufferPool.Rent(AlignedBufferPool.MostBytes + 1));
        AlignedBufferPool.Rented.ShouldBe(before);
    }
}
