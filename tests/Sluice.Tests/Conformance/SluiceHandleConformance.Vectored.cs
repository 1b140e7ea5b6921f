namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task No_segments_transfer_nothing(bool isAsync)
    {
        await using SluiceHandle handle = OpenNew(100, out byte[] content);
        (await ReadAsync(handle, Array.Empty<Memory<byte>>(), 0, isAsync)).ShouldBe(0);
        await WriteAsync(handle, Array.Empty<ReadOnlyMemory<byte>>(), 0, isAsync);
        Content(handle).ShouldBeBytes(content);
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [InlineData(40, false)]
    [InlineData(40, true)]
    [InlineData(1100, true)]
    [InlineData(5000, false)]
    public async Task Empty_segments_transfer_nothing_and_end_nothing(int empty, bool isAsync)
    {
        await using SluiceHandle handle = OpenNew(100, out byte[] content);
        byte[] first = new byte[30];
        byte[] second = new byte[50];
        Memory<byte>[] none = new Memory<byte>[empty];
        (await ReadAsync(handle, none, 0, isAsync)).ShouldBe(0);
        (await ReadAsync(handle, [.. none, first, .. none, second, .. none], 10, isAsync)).ShouldBe(80);
        first.ShouldBeBytes(content.AsSpan(10, 30));
        second.ShouldBeBytes(content.AsSpan(40, 50));

        ReadOnlyMemory<byte>[] nothing = new ReadOnlyMemory<byte>[empty];
        await WriteAsync(handle, [.. nothing, second, .. nothing, first, .. nothing], 60, isAsync);
        Content(handle).ShouldBeBytes(Written(Written(content, second, 60), first, 110));
    }

    [Theory]
    [InlineData(3, 4096, 0, false)]
    [InlineData(3, 4096, 0, true)]
    [InlineData(3, 4096, 1, true)]
    [InlineData(4, 16_000, 3, false)]
    [InlineData(4, 16_000, 3, true)]
    [InlineData(17, 700, 11, false)]
    [InlineData(17, 700, 11, true)]
    [InlineData(1024, 13, 0, true)]
    [InlineData(1025, 13, 5, false)]
    [InlineData(3000, 512, 0, true)]
    [InlineData(3000, 13, 5, true)]
    public async Task Segments_are_filled_and_written_one_after_another(int count, int size, int offset, bool isAsync)
    {
        byte[] bytes = Bytes.Pattern(count * size);
        ReadOnlyMemory<byte>[] written = [.. Enumerable.Range(0, count).Select(i => (ReadOnlyMemory<byte>)bytes.AsMemory(i * size, size))];
        await using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        await WriteAsync(handle, written, offset, isAsync);
        Content(handle).AsMemory(offset).ShouldBeBytes(bytes);

        Memory<byte> whole = Bytes.Pinned(count * size);
        Memory<byte>[] read = [.. Enumerable.Range(0, count).Select(i => whole.Slice(i * size, size))];
        (await ReadAsync(handle, read, offset, isAsync)).ShouldBe(bytes.Length);
        whole.ShouldBeBytes(bytes);

        // Short at the end of the file: the last segments stay as they are; a direct read may clear them to the end of the block.
        whole.Span.Fill(0xEE);
        int less = size / 2;
        (await ReadAsync(handle, read, offset + less, isAsync)).ShouldBe(bytes.Length - less);
        whole[..^less].ShouldBeBytes(bytes.AsSpan(less));
        whole.Span[^less..].ToArray().ShouldAllBe(b => b == 0xEE || (b == 0 && handle.Caching == FileCaching.Direct));
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task More_than_2_GiB_go_into_one_small_buffer_many_times(bool isAsync)
    {
        const int size = 4 * 1024 * 1024;
        const int count = 513;
        const long total = (long)size * count;
        Skip.If(IsFaulty, "the faults would take minutes here, and add nothing to shorter transfers");
        await using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        handle.SetLength(total - 5);
        handle.Write([1, 2, 3], total - 8);
        Memory<byte> buffer = Bytes.Pinned(size);
        (await ReadAsync(handle, [.. Enumerable.Repeat(buffer, count)], 0, isAsync)).ShouldBe(total - 5);
        buffer.Span[^8..^5].ToArray().ShouldBeBytes([1, 2, 3]);

        // /dev/null takes the other way without filling a disk.
        await using SluiceHandle sink = Open("/dev/null");
        await WriteAsync(sink, [.. Enumerable.Repeat((ReadOnlyMemory<byte>)buffer, count)], 0, isAsync);
    }

    [Fact]
    public async Task Segments_are_unpinned_when_the_transfer_has_ended_or_could_not_start()
    {
        using CountingMemory memory = new(600);
        using CountingMemory refusing = new(600) { RefusesPins = true };
        await using SluiceHandle handle = OpenNew(5000, out _);
        (await handle.ReadAsync(Enumerable.Repeat(memory.Memory, 20).ToArray(), 0)).ShouldBe(5000);
        memory.Pins.ShouldBe(0);

        // Up to four segments are held by the stack for a call and need no pin of their own.
        await Should.ThrowAsync<InvalidTimeZoneException>(
            async () => await handle.ReadAsync([.. Enumerable.Repeat(memory.Memory, 5), refusing.Memory], 0));
        await Should.ThrowAsync<InvalidTimeZoneException>(
            async () => await handle.ReadAsync([.. Enumerable.Repeat(memory.Memory, 20), refusing.Memory], 0));
        memory.Pins.ShouldBe(0);
    }
}
