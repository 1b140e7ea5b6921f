namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
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

    [Trait("Tier", "nightly")]
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task More_than_2_GiB_go_into_one_small_buffer_many_times(bool isAsync)
    {
        const int size = 4 * 1024 * 1024;
        const int count = 513;
        const long total = (long)size * count;
        Skip.If(_engine is not null || _caching != FileCaching.Cached, "once is enough: each configuration gets the same pieces");
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

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_list_that_throws_costs_nothing(bool isAsync)
    {
        await using SluiceHandle handle = OpenNew(1000, out _);
        FickleList<Memory<byte>> list = new(5, static (i, _) => i < 3 ? new byte[10] : throw new InvalidTimeZoneException("no more"));
        await Should.ThrowAsync<InvalidTimeZoneException>(async () => _ = isAsync ? await handle.ReadAsync(list, 0) : handle.Read(list, 0));
        (await ReadAsync(handle, [new byte[10], new byte[10]], 0, isAsync)).ShouldBe(20);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(30)]
    public async Task Memory_that_throws_is_an_error_of_its_transfer_and_of_no_other(int segments)
    {
        await using SluiceHandle handle = OpenNew(60_000, out byte[] content);
        foreach (int offset in (int[])[0, 3])
        {
            foreach (bool isAsync in (bool[])[false, true])
            {
                using CountingMemory healthy = new(500);
                using CountingMemory unpinned = new(500) { RefusesUnpins = true };
                using CountingMemory refusing = new(500) { RefusesUnpins = true, RefusesPins = true };
                foreach (CountingMemory memory in (CountingMemory[])[unpinned, refusing])
                {
                    Memory<byte> bytes = memory.Memory;
                    Memory<byte>[] buffers = [.. Enumerable.Repeat(healthy.Memory, segments - 1), bytes];
                    memory.RefusesSpans = memory == refusing;
                    Exception? error = await Record.ExceptionAsync(() => ReadAsync(handle, buffers, offset, isAsync));

                    // A segment that was never pinned was never unpinned either.
                    (error is InvalidTimeZoneException || (memory == unpinned && error is null)).ShouldBeTrue($"{error}");
                    await Record.ExceptionAsync(() => ReadAsync(handle, bytes, offset, isAsync));
                    await Record.ExceptionAsync(() =>
                        WriteAsync(handle, [.. buffers.Select(b => (ReadOnlyMemory<byte>)b)], 50_000, isAsync));
                    await Record.ExceptionAsync(() => AppendAsync(handle, bytes, isAsync));
                }

                foreach (CountingMemory memory in (CountingMemory[])[healthy, unpinned, refusing])
                {
                    memory.Pins.ShouldBe(0);
                }

                byte[] buffer = new byte[500];
                (await ReadAsync(handle, buffer, offset, isAsync)).ShouldBe(500);
                buffer.ShouldBeBytes(content.AsSpan(offset, 500));
            }
        }
    }

    [SkippableTheory]
    [InlineData(2)]
    [InlineData(10)]
    public async Task A_vectored_write_that_was_cut_short_goes_on_behind_what_was_written(int count)
    {
        // On a descriptor with O_APPEND a second beginning would stand behind the first.
        Skip.IfNot(OperatingSystem.IsLinux(), "opened with O_APPEND by Linux's number");
        string path = _temp.NewFile(0);
        using Microsoft.Win32.SafeHandles.SafeFileHandle file = Native.OpenForAppending(path);
        using IDisposable? scope = _engine is null ? null : IoEngine.UseForCurrentContext(_engine);
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(file, FileAccess.Write, ownsHandle: false);
        byte[] bytes = Bytes.Pattern(count * 60_000);
        ReadOnlyMemory<byte>[] segments =
            [.. Enumerable.Range(0, count).Select(i => (ReadOnlyMemory<byte>)bytes.AsMemory(i * 60_000, 60_000))];
        handle.Write(segments, 0);
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(bytes);
        await handle.WriteAsync(segments, 0);
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes([.. bytes, .. bytes]);
    }

    /// <summary>What a caller's list says is asked for once: another answer would have other bytes read or overwritten.</summary>
    [Theory]
    [InlineData(2, false)]
    [InlineData(2, true)]
    [InlineData(20, false)]
    [InlineData(20, true)]
    public async Task A_list_is_asked_once_for_each_of_its_segments(int count, bool isAsync)
    {
        const int size = 48;
        await using SluiceHandle handle = OpenNew(count * size * 2, out byte[] content);
        byte[] arena = new byte[(count + 2) * 4096];
        FickleList<Memory<byte>> read = new(count, (i, isFirst) => arena.AsMemory(i * 4096, isFirst ? size : 8192));
        (isAsync ? await handle.ReadAsync(read, 0) : handle.Read(read, 0)).ShouldBe(count * size);
        for (int i = 0; i < count; i++)
        {
            arena.AsSpan(i * 4096, size).ToArray().ShouldBeBytes(content.AsSpan(i * size, size));
            arena.AsSpan((i * 4096) + size, 4096 - size).IndexOfAnyExcept((byte)0).ShouldBe(-1);
        }

        arena.AsSpan(count * 4096).IndexOfAnyExcept((byte)0).ShouldBe(-1);
        byte[] bytes = Bytes.Pattern(count * size, start: 3);
        FickleList<ReadOnlyMemory<byte>> written =
            new(count, (i, isFirst) => isFirst ? bytes.AsMemory(i * size, size) : arena.AsMemory(0, 8192));
        if (isAsync)
        {
            await handle.WriteAsync(written, 0);
        }
        else
        {
            handle.Write(written, 0);
        }

        Content(handle).ShouldBeBytes(Written(content, bytes, 0));
        read.Asked.ShouldAllBe(static n => n == 1);
        written.Asked.ShouldAllBe(static n => n == 1);
    }

    /// <summary>Answers one way at first, and then another.</summary>
    private sealed class FickleList<T>(int count, Func<int, bool, T> answer) : IReadOnlyList<T>
    {
        private int _counted;

        public int[] Asked { get; } = new int[count];

        public int Count => _counted++ == 0 ? count : count + 1;

        public T this[int index] => answer(index, Asked[index]++ == 0);

        public IEnumerator<T> GetEnumerator() => Enumerable.Range(0, Count).Select(i => this[i]).GetEnumerator();

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();
    }
}
