using Sluice.Buffers;

namespace Sluice.Tests.Buffers;

[Collection(AloneCollection.Name)]
public sealed class AlignedBufferPoolTests
{
    private const int Largest = 1024 * 1024;

    [Fact]
    public void Buffers_are_aligned_long_enough_and_counted()
    {
        int before = AlignedBufferPool.Rented;
        List<AlignedBuffer> buffers = [];
        foreach (int length in (int[])[0, 1, 512, 4095, 4096, 4097, 8192, 8193, Largest - 1, Largest, Largest + 1, 5_000_000])
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
    public void The_largest_is_kept_and_a_larger_one_is_not()
    {
        AlignedBuffer kept = AlignedBufferPool.Rent(Largest);
        AlignedBuffer larger = AlignedBufferPool.Rent(Largest + 1);
        AlignedBufferPool.Return(kept);
        AlignedBufferPool.Return(larger);
        AlignedBuffer again = AlignedBufferPool.Rent(Largest);
        again.ShouldBeSameAs(kept);
        AlignedBuffer anew = AlignedBufferPool.Rent(Largest + 1);
        anew.ShouldNotBeSameAs(larger);
        AlignedBufferPool.Return(again);
        AlignedBufferPool.Return(anew);
    }

    [Fact]
    public void Buffers_cut_from_one_slab_do_not_overlap_and_are_kept()
    {
        AlignedBuffer[] buffers = [.. Enumerable.Range(0, 40).Select(static _ => AlignedBufferPool.RentOfMany(30_000))];
        for (int i = 0; i < buffers.Length; i++)
        {
            (buffers[i].Address % 4096).ShouldBe(0);
            buffers[i].Span.Fill((byte)i);
        }

        for (int i = 0; i < buffers.Length; i++)
        {
            buffers[i].Span.IndexOfAnyExcept((byte)i).ShouldBe(-1);
        }

        Array.ForEach(buffers, AlignedBufferPool.Return);
        AlignedBufferPool.RentOfMany(30_000).ShouldBeSameAs(buffers[^1]);
        AlignedBufferPool.Return(buffers[^1]);
    }
}
