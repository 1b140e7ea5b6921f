using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_fifo_ignores_offsets_and_gives_what_is_there(bool isAsync)
    {
        await using SluiceHandle fifo = Open(_temp.NewFifo());
        fifo.CanSeek.ShouldBeFalse();
        byte[] sent = Bytes.Pattern(3000);
        await WriteAsync(fifo, sent.AsMemory(0, 1000), 0, isAsync);
        await WriteAsync(fifo, sent.AsMemory(1000), 12_345, isAsync);

        // Faults may cut a transfer short, as a pipe itself may: whoever reads one reads on.
        byte[] got = new byte[5000];
        int done = 0;
        while (done < sent.Length)
        {
            int bytes = await ReadAsync(fifo, got.AsMemory(done), done % 2 == 0 ? 99 : -1, isAsync);
            bytes.ShouldBeGreaterThan(0);
            done += bytes;
        }

        done.ShouldBe(sent.Length);
        got.AsMemory(0, done).ShouldBeBytes(sent);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_fifo_takes_scattered_and_gathered_transfers(bool isAsync)
    {
        await using SluiceHandle fifo = Open(_temp.NewFifo());
        byte[] sent = Bytes.Pattern(900);
        await WriteAsync(fifo, (ReadOnlyMemory<byte>[])[sent.AsMemory(0, 100), default, sent.AsMemory(100)], 5, isAsync);
        byte[] got = new byte[1200];
        int done = 0;
        while (done < sent.Length)
        {
            long bytes = await ReadAsync(fifo, (Memory<byte>[])[got.AsMemory(done, 50), got.AsMemory(done + 50, 100)], 7, isAsync);
            bytes.ShouldBeGreaterThan(0);
            done += (int)bytes;
        }

        got.AsMemory(0, done).ShouldBeBytes(sent);
    }

    [SkippableFact]
    public async Task A_fifo_has_no_length_no_end_to_append_to_and_no_batches()
    {
        await using SluiceHandle fifo = Open(_temp.NewFifo());
        Should.Throw<NotSupportedException>(() => fifo.Length);
        Should.Throw<NotSupportedException>(() => fifo.SetLength(1));
        Should.Throw<NotSupportedException>(() => fifo.Append([1]));
        await Should.ThrowAsync<NotSupportedException>(async () => await fifo.AppendAsync(new byte[1]));
        Should.Throw<NotSupportedException>(() => fifo.ReadBatch(new ReadRequest[1]));
        Should.Throw<NotSupportedException>(() => fifo.WriteBatch(new WriteRequest[1]));
        Should.Throw<NotSupportedException>(() => fifo.Allocate(0, 1));
        Should.Throw<NotSupportedException>(() => fifo.PunchHole(0, 1));
        fifo.Caching.ShouldBe(FileCaching.Cached);
        (fifo.CachingReason is null).ShouldBe(_caching == FileCaching.Cached);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pipe_ends_when_its_writers_are_gone_and_breaks_when_its_readers_are(bool isAsync)
    {
        using IDisposable? scope = _engine is null ? null : IoEngine.UseForCurrentContext(_engine);
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using SluiceHandle reader = SluiceHandle.FromSafeFileHandle(read, FileAccess.Read, ownsHandle: true);
        SluiceHandle writer = SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true);
        await WriteAsync(writer, new byte[] { 5 }, 0, isAsync);
        writer.Dispose();
        byte[] buffer = new byte[10];
        (await ReadAsync(reader, buffer, 0, isAsync)).ShouldBe(1);
        (await ReadAsync(reader, buffer, 0, isAsync)).ShouldBe(0);

        (SafeFileHandle read2, SafeFileHandle write2) = Native.Pipe();
        read2.Dispose();
        using SluiceHandle broken = SluiceHandle.FromSafeFileHandle(write2, FileAccess.Write, ownsHandle: true);
        await Should.ThrowAsync<IOException>(async () => await WriteAsync(broken, new byte[] { 5 }, 0, isAsync));
    }

    /// <summary>Of a pipe the offset is ignored, also a negative one.</summary>
    [SkippableTheory]
    [InlineData("memory")]
    [InlineData("address")]
    [InlineData("list")]
    public async Task Asynchronous_reads_of_a_pipe_at_a_negative_offset_lose_nothing_and_block_nobody(string form)
    {
        using IDisposable? scope = _engine is null ? null : IoEngine.UseForCurrentContext(_engine);
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using SluiceHandle reader = SluiceHandle.FromSafeFileHandle(read, FileAccess.Read, ownsHandle: true);
        using FileStream writer = new(write, FileAccess.Write, bufferSize: 0);
        byte[] buffer = GC.AllocateArray<byte>(10, pinned: true);
        Task<long> reading = await ReturnsAsync(Read, writer.Dispose);
        reading.IsCompleted.ShouldBeFalse();
        writer.Write([7]);
        (await reading).ShouldBe(1);
        buffer[0].ShouldBe((byte)7);

        writer.Write([1, 2, 3, 4, 5]);
        writer.Dispose();
        List<byte> got = [];
        long bytes;
        while ((bytes = await Read()) > 0)
        {
            got.AddRange(buffer.AsSpan(0, (int)bytes));
        }

        got.ShouldBe([1, 2, 3, 4, 5]);

        async Task<long> Read() => form switch
        {
            "memory" => await reader.ReadAsync(buffer, -1),
            "address" => await reader.ReadAsync((nint)Native.AddressOfPinned(buffer), (nuint)buffer.Length, -1),
            _ => await reader.ReadAsync((Memory<byte>[])[buffer.AsMemory(0, 3), buffer.AsMemory(3)], -1),
        };
    }

    [SkippableTheory]
    [InlineData("memory")]
    [InlineData("address")]
    [InlineData("list")]
    public async Task An_asynchronous_write_to_a_full_pipe_at_a_negative_offset_does_not_block_its_caller(string form)
    {
        using IDisposable? scope = _engine is null ? null : IoEngine.UseForCurrentContext(_engine);
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using FileStream reader = new(read, FileAccess.Read, bufferSize: 0);
        using SluiceHandle writer = SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true);
        byte[] filling = new byte[Native.RoomOf(write)];
        using (FileStream filler = new(new SafeFileHandle(write.DangerousGetHandle(), ownsHandle: false), FileAccess.Write, bufferSize: 0))
        {
            filler.Write(filling);
        }

        byte[] sent = GC.AllocateArray<byte>(100, pinned: true);
        Bytes.Pattern(sent.Length).CopyTo(sent, 0);
        byte[] got = new byte[filling.Length + sent.Length];
        int done = 0;
        Task<long> writing = await ReturnsAsync(Write, () => Drain(1));
        writing.IsCompleted.ShouldBeFalse();
        Drain(got.Length);
        (await writing).ShouldBe(sent.Length);
        got.AsMemory(filling.Length).ShouldBeBytes(sent);

        void Drain(int wanted)
        {
            while (done < wanted)
            {
                done += reader.Read(got.AsSpan(done));
            }
        }

        async Task<long> Write()
        {
            await (form switch
            {
                "memory" => writer.WriteAsync(sent, -1),
                "address" => writer.WriteAsync((nint)Native.AddressOfPinned(sent), (nuint)sent.Length, -1),
                _ => writer.WriteAsync((ReadOnlyMemory<byte>[])[sent.AsMemory(0, 30), sent.AsMemory(30)], -1),
            });
            return sent.Length;
        }
    }

    /// <summary>What a call returns; fails where it blocks its thread for a minute, and has it released.</summary>
    private static async Task<Task<long>> ReturnsAsync(Func<Task<long>> call, Action release)
    {
        Task<Task<long>> calling = Task.Factory.StartNew(
            call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        bool hasReturned = await Task.WhenAny(calling, Task.Delay(TimeSpan.FromMinutes(1))) == calling;
        if (!hasReturned)
        {
            release();
        }

        hasReturned.ShouldBeTrue("the call blocks its caller");
        return await calling;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Devices_are_read_and_written(bool isAsync)
    {
        byte[] buffer = Bytes.Pattern(100_000);
        await using SluiceHandle none = Open("/dev/null");
        await WriteAsync(none, buffer, 0, isAsync);
        (await ReadAsync(none, buffer, 0, isAsync)).ShouldBe(0);
        await using SluiceHandle zeros = Open("/dev/zero");
        for (int done = 0; done < buffer.Length;)
        {
            // The kernel may leave off when its time is up.
            int bytes = await ReadAsync(zeros, buffer.AsMemory(done), 77, isAsync);
            bytes.ShouldBeGreaterThan(0);
            done += bytes;
        }

        buffer.ShouldAllBe(b => b == 0);
        await using SluiceHandle full = Open("/dev/full");
        IOException error = await Should.ThrowAsync<IOException>(async () => await WriteAsync(full, buffer, 0, isAsync));
        error.Message.ShouldContain("/dev/full");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Files_of_proc_are_read_though_they_have_no_length(bool isAsync)
    {
        // A few bytes; /proc gives longer files in pieces of its own choice.
        byte[] expected = await File.ReadAllBytesAsync("/proc/version");
        await using SluiceHandle handle = Open("/proc/version", access: FileAccess.Read);
        handle.Length.ShouldBe(0);
        byte[] got = new byte[10_000];
        int done = 0;
        int bytes;
        while ((bytes = await ReadAsync(handle, got.AsMemory(done), done, isAsync)) > 0)
        {
            done += bytes;
        }

        got.AsMemory(0, done).ShouldBeBytes(expected);
    }
}
