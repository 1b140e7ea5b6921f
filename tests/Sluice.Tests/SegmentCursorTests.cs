using Sluice.Interop;

namespace Sluice.Tests;

public sealed class SegmentCursorTests : IDisposable
{
    private readonly SegmentCursor _cursor = SegmentCursor.Rent();

    public void Dispose() => _cursor.Return();

    [Fact]
    public void It_loads_what_is_left_after_each_advance()
    {
        Memory<byte>[] segments = [new byte[10], default, new byte[20], default, new byte[5]];
        _cursor.Load(segments, FileAlignment.None, out int bytes).ShouldBe(5);
        bytes.ShouldBe(35);
        _cursor.Advance(4);
        Load(segments).ShouldBe(31);
        _cursor.Advance(6);
        Load(segments).ShouldBe(25);
        _cursor.Advance(0);
        Load(segments).ShouldBe(25);
        _cursor.Advance(21);
        Load(segments).ShouldBe(4);
        _cursor.Advance(4);
        Load(segments).ShouldBe(0);
    }

    [Fact]
    public void It_loads_no_more_than_one_call_may_carry()
    {
        Memory<byte> big = new byte[SluiceHandle.MostBytesPerTransfer < 1 << 20 ? SluiceHandle.MostBytesPerTransfer : 1 << 20];
        Memory<byte>[] segments = [.. Enumerable.Repeat(big, (int)(2L * SluiceHandle.MostBytesPerTransfer / big.Length) + 3)];
        long total = 0;
        int bytes;
        while ((bytes = Load(segments)) > 0)
        {
            bytes.ShouldBeLessThanOrEqualTo(SluiceHandle.MostBytesPerTransfer);
            total += bytes;
            _cursor.Advance(bytes);
        }

        total.ShouldBe((long)big.Length * segments.Length);
    }

    [Fact]
    public void Thousands_of_empty_segments_are_passed_over()
    {
        Memory<byte>[] segments = [.. new Memory<byte>[3000], new byte[7], .. new Memory<byte>[3000]];
        Load(segments).ShouldBe(7);
        _cursor.Advance(7);
        Load(segments).ShouldBe(0);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(10, 1)]
    [InlineData(11, 2)]
    [InlineData(29, 2)]
    [InlineData(35, 3)]
    public void Shortening_leaves_the_segments_that_hold_so_much(int length, int count)
    {
        Memory<byte>[] segments = [new byte[10], new byte[20], new byte[5]];
        Load(segments).ShouldBe(35);
        _cursor.Shorten(length).ShouldBe(count);
        _cursor.Advance(length);
        Load(segments).ShouldBe(35 - length);
    }

    [Fact]
    public void Any_way_of_cutting_transfers_every_byte_once()
    {
        Random random = new(9);
        for (int round = 0; round < 300; round++)
        {
            Memory<byte>[] segments = [.. Enumerable.Range(0, random.Next(1, 2200)).Select(_ => (Memory<byte>)new byte[random.Next(4) * random.Next(6)])];
            int total = segments.Sum(s => s.Length);
            SegmentCursor cursor = SegmentCursor.Rent();
            int done = 0;
            int loads = 0;
            while (done < total)
            {
                (++loads).ShouldBeLessThan(total + 2);
                cursor.Load(segments, FileAlignment.None, out int bytes).ShouldBeGreaterThan(0);
                int step = random.Next(1, bytes + 1);
                cursor.Advance(step);
                done += step;
            }

            done.ShouldBe(total);
            cursor.Load(segments, FileAlignment.None, out int left);
            left.ShouldBe(0);
            cursor.Return();
        }
    }

    [Fact]
    public void Pins_are_given_back_by_the_next_load_and_at_the_end()
    {
        using CountingMemory memory = new(10);
        SegmentCursor cursor = SegmentCursor.Rent();
        Memory<byte>[] segments = [memory.Memory, memory.Memory];
        cursor.Load(segments, FileAlignment.None, out _);
        memory.Pins.ShouldBe(2);
        cursor.Advance(13);
        cursor.Load(segments, FileAlignment.None, out _);
        memory.Pins.ShouldBe(1);
        cursor.Return();
        memory.Pins.ShouldBe(0);
    }

    [Fact]
    public void Alignment_is_that_of_every_segment()
    {
        FileAlignment sectors = new(512, 512, 512);
        _cursor.Load((Memory<byte>[])[Bytes.Pinned(1024), Bytes.Pinned(512)], sectors, out _);
        _cursor.IsAligned.ShouldBeTrue();
        _cursor.Load((Memory<byte>[])[Bytes.Pinned(1024), Bytes.Pinned(512, 1)], sectors, out _);
        _cursor.IsAligned.ShouldBeFalse();
        _cursor.Load((Memory<byte>[])[Bytes.Pinned(1024), Bytes.Pinned(511)], sectors, out _);
        _cursor.IsAligned.ShouldBeFalse();
    }

    private int Load(Memory<byte>[] segments)
    {
        _cursor.Load(segments, FileAlignment.None, out int bytes);
        return bytes;
    }
}
