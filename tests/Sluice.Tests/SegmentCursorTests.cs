using Sluice.Engines;

namespace Sluice.Tests;

[Trait("Runs", "once")]
public sealed class SegmentCursorTests
{
    [Fact]
    public void It_loads_what_is_left_after_each_advance()
    {
        Memory<byte>[] segments = [new byte[10], default, new byte[20], default, new byte[5]];
        SegmentCursor cursor = SegmentCursor.Rent(segments);
        cursor.Total.ShouldBe(35);
        cursor.Load(FileAlignment.None).ShouldBe(35);
        cursor.Count.ShouldBe(5);
        foreach ((int step, int left) in ((int, int)[])[(4, 31), (6, 25), (0, 25), (21, 4), (4, 0)])
        {
            cursor.Advance(step);
            cursor.Load(FileAlignment.None).ShouldBe(left);
        }

        cursor.Return().ShouldBeNull();
    }

    [Fact]
    public void It_loads_no_more_than_one_call_may_carry()
    {
        Memory<byte> big = new byte[OpenFile.MaxBytesPerTransfer < 1 << 20 ? OpenFile.MaxBytesPerTransfer : 1 << 20];
        Memory<byte>[] segments = [.. Enumerable.Repeat(big, (int)(2L * OpenFile.MaxBytesPerTransfer / big.Length) + 3)];
        SegmentCursor cursor = SegmentCursor.Rent(segments);
        long total = 0;
        int bytes;
        while ((bytes = cursor.Load(FileAlignment.None)) > 0)
        {
            bytes.ShouldBeLessThanOrEqualTo(OpenFile.MaxBytesPerTransfer);
            total += bytes;
            cursor.Advance(bytes);
        }

        total.ShouldBe((long)big.Length * segments.Length);
        cursor.Return();
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
        SegmentCursor cursor = SegmentCursor.Rent(segments);
        cursor.Load(FileAlignment.None).ShouldBe(35);
        cursor.Shorten(length).ShouldBe(count);
        cursor.Advance(length);
        cursor.Load(FileAlignment.None).ShouldBe(35 - length);
        cursor.Return();
    }

    [Fact]
    public void Any_way_of_cutting_transfers_every_byte_once()
    {
        Random random = new(9);
        for (int round = 0; round < 300; round++)
        {
            Memory<byte>[] segments =
                [.. Enumerable.Range(0, random.Next(1, 2200)).Select(_ => (Memory<byte>)new byte[random.Next(4) * random.Next(6)])];
            int total = segments.Sum(s => s.Length);
            SegmentCursor cursor = SegmentCursor.Rent(segments);
            int done = 0;
            int loads = 0;
            while (done < total)
            {
                (++loads).ShouldBeLessThan(total + 2);
                int bytes = cursor.Load(FileAlignment.None);
                bytes.ShouldBeGreaterThan(0);
                int step = random.Next(1, bytes + 1);
                cursor.Advance(step);
                done += step;
            }

            done.ShouldBe(total);
            cursor.Load(FileAlignment.None).ShouldBe(0);
            cursor.Return();
        }
    }

    [Fact]
    public void Pins_are_given_back_by_the_next_load_and_at_the_end()
    {
        using CountingMemory memory = new(10);
        Memory<byte>[] segments = [memory.Memory, memory.Memory];
        SegmentCursor cursor = SegmentCursor.Rent(segments);
        cursor.Load(FileAlignment.None);
        memory.Pins.ShouldBe(2);
        cursor.Advance(13);
        cursor.Load(FileAlignment.None);
        memory.Pins.ShouldBe(1);
        cursor.Return();
        memory.Pins.ShouldBe(0);
    }

    [Fact]
    public void A_memory_that_throws_when_it_is_unpinned_keeps_no_other_pinned()
    {
        using CountingMemory memory = new(10);
        using CountingMemory refusing = new(10) { RefusesUnpins = true };
        SegmentCursor cursor = SegmentCursor.Rent((Memory<byte>[])[memory.Memory, refusing.Memory, memory.Memory]);
        cursor.Load(FileAlignment.None);
        cursor.Return().ShouldBeOfType<InvalidTimeZoneException>();
        memory.Pins.ShouldBe(0);
    }

    [Fact]
    public void Alignment_is_that_of_every_segment()
    {
        FileAlignment sectors = new(512, 512, 512);
        IsAligned(Bytes.Pinned(1024), Bytes.Pinned(512)).ShouldBeTrue();
        IsAligned(Bytes.Pinned(1024), Bytes.Pinned(512, 1)).ShouldBeFalse();
        IsAligned(Bytes.Pinned(1024), Bytes.Pinned(511)).ShouldBeFalse();

        bool IsAligned(params Memory<byte>[] segments)
        {
            SegmentCursor cursor = SegmentCursor.Rent(segments);
            cursor.Load(sectors);
            bool isAligned = cursor.IsAligned;
            cursor.Return();
            return isAligned;
        }
    }

    [Fact]
    public void What_is_loaded_is_gathered_and_scattered()
    {
        byte[] bytes = Bytes.Pattern(30);
        byte[][] parts = [bytes[..7], bytes[7..7], bytes[7..20], bytes[20..]];
        SegmentCursor cursor = SegmentCursor.Rent((Memory<byte>[])[.. parts]);
        cursor.Advance(3);
        cursor.Load(FileAlignment.None);
        byte[] gathered = new byte[20];
        cursor.CopyTo(gathered);
        gathered.ShouldBeBytes(bytes.AsSpan(3, 20));
        byte[] others = Bytes.Pattern(20, 99);
        cursor.CopyFrom(others);
        cursor.Return();
        byte[] all = [.. parts.SelectMany(p => p)];
        all.ShouldBeBytes([.. bytes[..3], .. others, .. bytes[23..]]);
    }
}
