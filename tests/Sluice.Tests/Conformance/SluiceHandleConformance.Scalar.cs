namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Read_gives_what_is_there_whatever_offset_length_and_address(bool isAsync)
    {
        await using SluiceHandle handle = OpenNew((3 * 4096) + 17, out byte[] content);
        int end = content.Length;
        Memory<byte> memory = Bytes.Pinned(20_000);
        foreach (int offset in (int[])[0, 1, 511, 512, 513, 4095, 4096, 4097, 8191, end - 513, end - 17, end - 1, end, end + 1, end + 511])
        {
            foreach (int length in (int[])[0, 1, 2, 511, 512, 513, 4095, 4096, 4097, 8192, 16_384])
            {
                foreach (int misalignment in (int[])[0, 1])
                {
                    Memory<byte> whole = memory.Slice(512 - 1, length + 3);
                    whole.Span.Fill(0xEE);
                    Memory<byte> buffer = memory.Slice(512 + misalignment, length);
                    int expected = Math.Clamp(end - offset, 0, length);
                    string what = $"offset {offset}, length {length}, misaligned by {misalignment}:";
                    (await ReadAsync(handle, buffer, offset, isAsync)).ShouldBe(expected, what);
                    buffer[..expected].ShouldBeBytes(content.AsSpan(Math.Min(offset, end), expected), what);
                    whole.Span[misalignment].ShouldBe((byte)0xEE, what);
                    whole.Span[misalignment + 1 + length].ShouldBe((byte)0xEE, what);
                }
            }
        }
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task Write_changes_its_bytes_and_no_others_whatever_offset_length_and_address(bool isAsync, int misalignment)
    {
        Memory<byte> memory = Bytes.Pinned(20_000, misalignment);
        new Random(5).NextBytes(memory.Span);
        foreach (int end in (int[])[511, 4096 + 17])
        {
            foreach (int offset in (int[])[0, 1, 4095, 4096, end + 513])
            {
                foreach (int length in (int[])[1, 512, 4097, 9000])
                {
                    await using SluiceHandle handle = OpenNew(end, out byte[] content);
                    await WriteAsync(handle, memory[..length], offset, isAsync);
                    byte[] expected = Written(content, memory.Span[..length], offset);
                    handle.Length.ShouldBe(expected.Length);
                    Content(handle).ShouldBeBytes(expected, $"end {end}, offset {offset}, length {length}:");
                }
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Files_over_4_GiB_are_read_and_written(bool isAsync)
    {
        const long far = (5L << 30) + 7;
        byte[] bytes = Bytes.Pattern(9000);
        await using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        await WriteAsync(handle, bytes, far, isAsync);
        handle.Length.ShouldBe(far + bytes.Length);
        byte[] buffer = new byte[bytes.Length + 10];
        (await ReadAsync(handle, buffer, far - 3, isAsync)).ShouldBe(bytes.Length + 3);
        buffer.AsMemory(0, 3).ShouldBeBytes([0, 0, 0]);
        buffer.AsMemory(3, bytes.Length).ShouldBeBytes(bytes);
        (await ReadAsync(handle, buffer, 4L << 30, isAsync)).ShouldBe(buffer.Length);
        buffer.ShouldAllBe(b => b == 0);
    }

    [Fact]
    public async Task Many_reads_and_writes_at_once_do_not_mix_up()
    {
        const int block = 1000;
        int count = IsFaulty ? 200 : 1000;
        await using SluiceHandle handle = OpenNew(block * count, out byte[] content);
        Task[] tasks = new Task[count];
        for (int i = 0; i < count; i++)
        {
            int offset = i * block;
            tasks[i] = i % 2 == 0 ? ReadAndCheckAsync(offset) : handle.WriteAsync(content.AsMemory(count - i, block), offset).AsTask();
        }

        await Task.WhenAll(tasks);
        byte[] expected = [.. content];
        for (int i = 1; i < count; i += 2)
        {
            content.AsSpan(count - i, block).CopyTo(expected.AsSpan(i * block));
        }

        Content(handle).ShouldBeBytes(expected);

        async Task ReadAndCheckAsync(int offset)
        {
            byte[] buffer = new byte[block];
            (await handle.ReadAsync(buffer, offset)).ShouldBe(block);
            buffer.ShouldBeBytes(content.AsSpan(offset, block));
        }
    }

    [Fact]
    public async Task A_long_transfer_survives_many_partial_ones()
    {
        // In Debug builds one call carries 48 KiB: dozens of submissions, each with faults of its own.
        byte[] content = Bytes.Pattern((IsFaulty ? 2 : 6) * 1024 * 1024 + 3);
        await using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        await handle.WriteAsync(content, 1);
        byte[] buffer = new byte[content.Length];
        (await handle.ReadAsync(buffer, 1)).ShouldBe(content.Length);
        buffer.ShouldBeBytes(content);
    }

    [Fact]
    public async Task Memory_that_is_not_an_array_is_read_into_and_written_from()
    {
        using CountingMemory memory = new(10_000);
        await using SluiceHandle handle = OpenNew(10_000, out byte[] content);
        (await handle.ReadAsync(memory.Memory, 0)).ShouldBe(10_000);
        memory.Memory.ShouldBeBytes(content);
        memory.Memory.Span.Reverse();
        await handle.WriteAsync(memory.Memory, 0);
        Array.Reverse(content);
        Content(handle).ShouldBeBytes(content);
        memory.Pins.ShouldBe(0);
    }

    [Fact]
    public async Task Two_handles_on_one_file_see_each_other_to_the_byte()
    {
        string path = _temp.NewFile(5000);
        await using SluiceHandle first = Open(path);
        await using SluiceHandle second = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        byte[] expected = Bytes.Pattern(5000);
        byte[] bytes = Bytes.Pattern(1500, 77);
        byte[] buffer = new byte[8000];
        for (int offset = 0; offset < 6000; offset += 997)
        {
            await first.WriteAsync(bytes, offset);
            expected = Written(expected, bytes, offset);
            (await second.ReadAsync(buffer, 0)).ShouldBe(expected.Length);
            buffer.AsMemory(0, expected.Length).ShouldBeBytes(expected);
            second.Write(bytes.AsSpan(0, 700), offset + 100);
            expected = Written(expected, bytes.AsSpan(0, 700), offset + 100);
            (await first.ReadAsync(buffer, 0)).ShouldBe(expected.Length);
            buffer.AsMemory(0, expected.Length).ShouldBeBytes(expected);
        }
    }

    [Fact]
    public async Task What_took_effect_can_be_read_from_the_handle()
    {
        string path = _temp.NewFile(100);
        await using SluiceHandle handle = Open(path);
        handle.Path.ShouldBe(path);
        handle.Access.ShouldBe(FileAccess.ReadWrite);
        handle.CanSeek.ShouldBeTrue();
        handle.SafeFileHandle.IsClosed.ShouldBeFalse();
        handle.EngineName.ShouldBe((_engine ?? SluiceEngines.Default).Name);
        if (handle.Caching == _caching)
        {
            handle.CachingReason.ShouldBeNull();
        }
        else
        {
            handle.CachingReason.ShouldNotBeNullOrWhiteSpace();
        }

        if (handle.Caching == FileCaching.Direct)
        {
            int.IsPow2(handle.Alignment.Offset).ShouldBeTrue();
            handle.Alignment.Offset.ShouldBeGreaterThan(1);
        }
        else
        {
            handle.Alignment.ShouldBe(FileAlignment.None);
        }
    }

    [SkippableFact]
    public async Task A_large_transfer_hears_its_token_while_it_is_on_its_way()
    {
        const int size = 16 * 1024 * 1024;
        Skip.If(IsFaulty, "the faults would take minutes here");
        await using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        Memory<byte> bytes = Bytes.Pinned(size);
        handle.Write(bytes.Span, 0);
        foreach (bool isRead in (bool[])[false, true])
        {
            // A thread may sleep between the call and its cancellation: then the transfer has ended, and another is begun.
            bool isCancelled = false;
            for (int i = 0; i < 50 && !isCancelled; i++)
            {
                using var source = new CancellationTokenSource();
                Task transfer = isRead ? handle.ReadAsync(bytes, 0, source.Token).AsTask()
                    : handle.WriteAsync(bytes, 0, source.Token).AsTask();
                await source.CancelAsync();
                isCancelled = await Record.ExceptionAsync(() => transfer) is OperationCanceledException;
            }

            isCancelled.ShouldBeTrue(isRead ? "reading" : "writing");
        }
    }

    [SkippableTheory]
    [InlineData(0, 100_000)]
    [InlineData(512, 100_000)]
    [InlineData(3, 100_000)]
    public async Task Many_small_segments_make_few_transfers_of_a_direct_file(int offset, int length)
    {
        RecordingEngine engine = new();
        using SluiceHandle handle = SluiceHandle.Open(
            _temp.NewFile(Bytes.Pattern(200_000)),
                new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Direct, Engine = engine });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        Memory<byte>[] segments = [.. Enumerable.Range(0, 200).Select(_ => (Memory<byte>)new byte[length / 200])];
        (await handle.ReadAsync(segments, offset)).ShouldBe(length);
        segments.SelectMany(s => s.ToArray()).ToArray().ShouldBeBytes(Bytes.Pattern(200_000).AsSpan(offset, length));
        engine.Transfers.Count.ShouldBeLessThan(20);
    }

    [Fact]
    public async Task A_write_to_a_handle_opened_to_append_honours_its_offset()
    {
        string path = _temp.NewFile(10);
        using (SluiceHandle handle = Open(path, FileMode.Append, FileAccess.Write))
        {
            handle.Write([1, 2], 3);
            await handle.WriteAsync(new byte[] { 5 }, 0);
            handle.AppendAndGetOffset([9]).ShouldBe(10);
        }

        byte[] expected = [.. Bytes.Pattern(10), 9];
        (expected[0], expected[3], expected[4]) = (5, 1, 2);
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(expected);
    }
}
