using Shouldly;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

internal static class TransferChecks
{
    /// <summary>Around sectors, pages, the largest Debug bounce buffer and the largest Debug transfer.</summary>
    private static readonly int[] Lengths = [1, 511, 512, 513, 4095, 4096, 4097, 8191, 16_385, 49_153, 100_003];

    public static Task Caching_is_what_the_file_system_allows(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        FileCaching expected = target.Caching == FileCaching.Direct && !target.TakesDirect ? FileCaching.Cached : target.Caching;

        // The first transfer may tell what opening did not.
        handle.Write(Pattern.Bytes(1, 4096), 0);
        handle.Caching.ShouldBe(expected, handle.CachingReason);
        (handle.CachingReason is null).ShouldBe(expected == target.Caching, handle.CachingReason);
        if (expected == FileCaching.Direct)
        {
            int.IsPow2(handle.Alignment.Offset).ShouldBeTrue();
            handle.Alignment.Offset.ShouldBeGreaterThanOrEqualTo(512);
        }
        else
        {
            handle.Alignment.ShouldBe(new FileAlignment(1, 1, 1));
        }

        return Task.CompletedTask;
    }

    public static async Task End_of_file_is_right_to_the_byte(ConformanceTarget target)
    {
        foreach (int length in Lengths)
        {
            using ScratchFile file = target.NewFile();
            using SluiceHandle handle = target.Open(file);
            byte[] expected = Pattern.Bytes(length, length);
            if (length % 2 == 0)
            {
                handle.Write(expected, 0);
            }
            else
            {
                await handle.WriteAsync(expected, 0);
            }

            handle.Length.ShouldBe(length);
            new FileInfo(file.Path).Length.ShouldBe(length);
            byte[] buffer = new byte[length + 5000];
            handle.Read(buffer, 0).ShouldBe(length);
            FileModel.ShouldMatch(buffer.AsSpan(0, length), expected, $"Read of {length}");
            buffer.AsSpan(length).ContainsAnyExcept((byte)0).ShouldBeFalse("bytes behind the end of file were touched");
            Array.Clear(buffer);
            (await handle.ReadAsync(buffer.AsMemory(3), 0)).ShouldBe(length);
            FileModel.ShouldMatch(buffer.AsSpan(3, length), expected, $"ReadAsync of {length}");
            buffer.AsSpan(length + 3).ContainsAnyExcept((byte)0).ShouldBeFalse("bytes behind the end of file were touched");
            (await handle.ReadAsync(buffer, length - 1)).ShouldBe(1);
            buffer[0].ShouldBe(expected[^1]);
            handle.Read(buffer, length).ShouldBe(0);
            (await handle.ReadAsync(buffer, length + 1)).ShouldBe(0);
            (await handle.ReadAsync(buffer, length + 12_345)).ShouldBe(0);
            FileModel.ShouldMatch(file.Content, expected, $"file of {length}");
        }
    }

    public static async Task Empty_transfers_change_nothing(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        byte[] content = Pattern.Bytes(3, 777);
        handle.Write(content, 0);
        handle.Write(ReadOnlySpan<byte>.Empty, 100_000);
        await handle.WriteAsync(ReadOnlyMemory<byte>.Empty, 200_001);
        handle.Write((IReadOnlyList<ReadOnlyMemory<byte>>)[], 300_000);
        await handle.WriteAsync([ReadOnlyMemory<byte>.Empty, ReadOnlyMemory<byte>.Empty], 300_000);
        handle.WriteBatch([new WriteRequest(400_000, default)]);
        handle.WriteBatch([]);
        handle.ReadBatch([]);
        handle.Length.ShouldBe(777);
        handle.Read(Span<byte>.Empty, 5).ShouldBe(0);
        (await handle.ReadAsync(Memory<byte>.Empty, 5)).ShouldBe(0);
        (await handle.ReadAsync((IReadOnlyList<Memory<byte>>)[], 5)).ShouldBe(0);
        handle.AppendAndGetOffset([]).ShouldBe(777);
        (await handle.AppendAndGetOffsetAsync(ReadOnlyMemory<byte>.Empty)).ShouldBe(777);
        FileModel.ShouldMatch(file.Content, content, "file");
    }

    public static async Task Vectored_transfers_of_odd_segments(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        FileModel model = new();

        // Few segments, more than one call takes (IOV_MAX is 1024), and whole blocks.
        foreach ((int count, int most, int start) in ((int, int, int)[])[(5, 3000, 1), (1500, 70, 40_001), (4, 4096, 8192),
            (3, 60_000, 513)])
        {
            int offset = start;
            Random random = new(count);
            ReadOnlyMemory<byte>[] segments = new ReadOnlyMemory<byte>[count];
            for (int i = 0; i < count; i++)
            {
                segments[i] = Pattern.Bytes(i, most == 4096 ? most : i % 7 == 3 ? 0 : random.Next(most));
            }

            byte[] all = segments.SelectMany(static s => s.ToArray()).ToArray();
            await handle.WriteAsync(segments, offset);
            model.Write(all, offset);
            FileModel.ShouldMatch(file.Content, model.Content, $"WriteAsync of {count} segments");
            offset += 12_345;
            handle.Write(segments, offset);
            model.Write(all, offset);
            FileModel.ShouldMatch(file.Content, model.Content, $"Write of {count} segments");

            Memory<byte>[] target1 = segments.Select(static s => (Memory<byte>)new byte[s.Length]).ToArray();
            (await handle.ReadAsync(target1, offset)).ShouldBe(all.Length);
            FileModel.ShouldMatch(target1.SelectMany(static s => s.ToArray()).ToArray(), all, $"ReadAsync of {count} segments");
            foreach (Memory<byte> segment in target1)
            {
                segment.Span.Clear();
            }

            handle.Read(target1, offset).ShouldBe(all.Length);
            FileModel.ShouldMatch(target1.SelectMany(static s => s.ToArray()).ToArray(), all, $"Read of {count} segments");
        }

        // Across the end of file: the segments behind it stay as they are.
        Memory<byte>[] tail = [new byte[10], Memory<byte>.Empty, new byte[5000], new byte[7]];
        tail[3].Span.Fill(9);
        (await handle.ReadAsync(tail, model.Length - 100)).ShouldBe(100);
        FileModel.ShouldMatch(tail[0].Span, model.Range(model.Length - 100, 10), "first segment at the end");
        FileModel.ShouldMatch(tail[2].Span[..90], model.Range(model.Length - 90, 90), "second segment at the end");
        tail[3].Span.ToArray().ShouldAllBe(b => b == 9);
    }

    public static Task Batches_of_odd_places(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        FileModel model = new();
        Random random = new(99);
        WriteRequest[] writes = new WriteRequest[600];
        int offset = 0;
        for (int i = 0; i < writes.Length; i++)
        {
            bool aligned = i % 3 == 0;
            offset = aligned ? (offset + 4095) & ~4095 : offset + random.Next(300);
            byte[] bytes = Pattern.Bytes(i, aligned ? 4096 : i % 100 == 7 ? 30_000 : random.Next(2000));
            writes[i] = new WriteRequest(offset, bytes);
            model.Write(bytes, offset);
            offset += bytes.Length;
        }

        random.Shuffle(writes);
        handle.WriteBatch(writes);
        writes.ShouldAllBe(w => w.Error == null && w.BytesWritten == w.Buffer.Length);
        FileModel.ShouldMatch(file.Content, model.Content, "WriteBatch");

        ReadRequest[] reads = new ReadRequest[700];
        for (int i = 0; i < reads.Length; i++)
        {
            bool aligned = i % 4 == 0;
            int at = random.Next(model.Length + 5000);
            reads[i] = new ReadRequest(aligned ? at & ~4095 : at, new byte[aligned ? 8192 : i % 90 == 5 ? 50_000 : random.Next(3000)]);
        }

        handle.ReadBatch(reads);
        foreach (ReadRequest read in reads)
        {
            read.Error.ShouldBeNull();
            ReadOnlySpan<byte> expected = model.Range((int)read.FileOffset, read.Buffer.Length);
            FileModel.ShouldMatch(read.Buffer.Span[..read.BytesRead], expected, $"ReadBatch at {read.FileOffset} for {read.Buffer.Length}");
        }

        return Task.CompletedTask;
    }

    public static async Task Write_only_and_read_only_handles(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        FileModel model = new();
        byte[] buffer = new byte[3000];
        using (SluiceHandle writer = target.Open(file, FileAccess.Write))
        {
            foreach (int offset in (int[])[0, 1001, 4095, 777, 20_000, 8192])
            {
                byte[] bytes = Pattern.Bytes(offset, 5001);
                await writer.WriteAsync(bytes, offset);
                model.Write(bytes, offset);
            }

            writer.AppendAndGetOffset(buffer).ShouldBe(model.Length);
            model.Append(buffer);
            writer.FlushToDisk();
            Should.Throw<UnauthorizedAccessException>(() => writer.Read(buffer, 0)).Message.ShouldContain(file.Path);
            (await Should.ThrowAsync<UnauthorizedAccessException>(async () =>
                await writer.ReadAsync(buffer, 1))).Message.ShouldContain(file.Path);
        }

        using SluiceHandle reader = target.Open(file, FileAccess.Read, FileMode.Open);
        byte[] all = new byte[model.Length];
        (await reader.ReadAsync(all, 0)).ShouldBe(all.Length);
        FileModel.ShouldMatch(all, model.Content, "read-only handle");
        Should.Throw<UnauthorizedAccessException>(() => reader.Write(buffer, 1)).Message.ShouldContain(file.Path);
        (await Should.ThrowAsync<UnauthorizedAccessException>(async () =>
            await reader.WriteAsync(buffer, 0))).Message.ShouldContain(file.Path);
        (await Should.ThrowAsync<UnauthorizedAccessException>(async () =>
            await reader.AppendAsync(buffer))).Message.ShouldContain(file.Path);
        Should.Throw<UnauthorizedAccessException>(() => reader.Append(buffer));
        FileModel.ShouldMatch(file.Content, model.Content, "file after refused writes");
    }

    public static async Task Cached_readers_and_writers_see_the_same_bytes(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        using FileStream other = new(file.Path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, 0);
        FileModel model = new();
        Random random = new(5);
        byte[] seen = new byte[70_000];
        for (int i = 0; i < 60; i++)
        {
            byte[] bytes = Pattern.Bytes(i, random.Next(1, 9000));
            int offset = random.Next(50_000);
            if (i % 2 == 0)
            {
                RandomAccess.Write(other.SafeFileHandle, bytes, offset);
                model.Write(bytes, offset);
                int read = i % 4 == 0 ? handle.Read(seen, 0) : await handle.ReadAsync(seen, 0);
                FileModel.ShouldMatch(seen.AsSpan(0, read), model.Content, $"step {i}: written by System.IO");
            }
            else
            {
                await handle.WriteAsync(bytes, offset);
                model.Write(bytes, offset);
                int read = RandomAccess.Read(other.SafeFileHandle, seen, 0);
                FileModel.ShouldMatch(seen.AsSpan(0, read), model.Content, $"step {i}: written by Sluice");
            }
        }
    }

    public static async Task Offsets_behind_4_GiB(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        long offset = (5L << 30) + 12_347;
        byte[] bytes = Pattern.Bytes(8, 10_001);
        await handle.WriteAsync(bytes, offset);
        handle.Length.ShouldBe(offset + bytes.Length);
        byte[] buffer = new byte[20_000];
        handle.Read(buffer, offset - 100).ShouldBe(bytes.Length + 100);
        buffer.AsSpan(0, 100).ContainsAnyExcept((byte)0).ShouldBeFalse();
        FileModel.ShouldMatch(buffer.AsSpan(100, bytes.Length), bytes, "behind 4 GiB");
        (await handle.ReadAsync(buffer, 3L << 30)).ShouldBe(buffer.Length);
        buffer.AsSpan().ContainsAnyExcept((byte)0).ShouldBeFalse("a hole does not read as zeros");
        handle.AppendAndGetOffset(bytes).ShouldBe(offset + bytes.Length);
        handle.SetLength(0);
        handle.Length.ShouldBe(0);
    }

    public static async Task Impossible_offsets_fail_and_leave_the_handle_as_it_was(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        byte[] content = Pattern.Bytes(4, 5000);
        handle.Write(content, 0);
        FileCaching caching = handle.Caching;
        byte[] buffer = new byte[4096];
        foreach (long offset in (long[])[long.MaxValue, long.MaxValue - 5, long.MaxValue & ~4095L])
        {
            Exception? expected = Record(() => RandomAccess.Write(handle.SafeFileHandle, buffer, offset));
            Record(() =>
                handle.Write(buffer, offset)).ShouldBeOfType(expected.ShouldNotBeNull().GetType(),
                    $"Write at {offset}: {expected.Message}");
            Exception? error = null;
            try
            {
                await handle.WriteAsync(buffer, offset);
            }
            catch (Exception e)
            {
                error = e;
            }

            error.ShouldBeOfType(expected.GetType(), $"WriteAsync at {offset}: {expected.Message}");

            // Reading there is an error or the end of file, by the file system; never bytes, and never something else.
            Exception? read = Record(() => handle.Read(buffer, offset).ShouldBe(0));
            (read is null or IOException or ArgumentOutOfRangeException).ShouldBeTrue($"Read at {offset}: {read}");
        }

        Should.Throw<ArgumentOutOfRangeException>(() => handle.Write(buffer, -1));
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Read(buffer, -1));
        handle.Caching.ShouldBe(caching, handle.CachingReason);
        FileModel.ShouldMatch(file.Content, content, "file");
        handle.Read(buffer, 1).ShouldBe(4096);
        FileModel.ShouldMatch(buffer, content.AsSpan(1, 4096), "Read afterwards");
    }

    public static Task Sharing_is_refused_as_System_IO_refuses_it(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using (SluiceHandle _ = target.Open(file, share: FileShare.None))
        {
            Exception? expected = Record(() => File.OpenHandle(file.Path, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose());
            Exception? actual = Record(() => target.Open(file, share: FileShare.None).Dispose());
            actual?.GetType().ShouldBe(expected?.GetType());
            (actual is null).ShouldBe(expected is null, expected?.Message);
            actual?.Message.ShouldContain(file.Path);
        }

        // Free again, and the refused open has left no lock behind.
        target.Open(file, share: FileShare.None).Dispose();
        return Task.CompletedTask;
    }

    internal static Exception? Record(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
