namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [SkippableFact]
    public async Task A_token_that_is_cancelled_already_ends_every_member_before_it_starts()
    {
        await using SluiceHandle handle = OpenNew(100, out byte[] content);
        CancellationToken cancelled = new(canceled: true);
        byte[] buffer = new byte[10];
        Task[] tasks =
        [
            handle.ReadAsync(buffer, 0, cancelled).AsTask(),
            handle.ReadAsync([buffer], 0, cancelled).AsTask(),
            handle.WriteAsync(buffer, 0, cancelled).AsTask(),
            handle.WriteAsync([(ReadOnlyMemory<byte>)buffer], 0, cancelled).AsTask(),
            handle.AppendAsync(buffer, cancelled).AsTask(),
            handle.FlushToDiskAsync(cancellationToken: cancelled).AsTask(),
        ];
        foreach (Task task in tasks)
        {
            (await Should.ThrowAsync<OperationCanceledException>(task)).CancellationToken.ShouldBe(cancelled);
            task.IsCanceled.ShouldBeTrue();
        }

        buffer.ShouldAllBe(b => b == 0);
        Content(handle).ShouldBeBytes(content);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Cancelling_ends_a_read_in_flight_and_its_buffer_is_not_touched_afterwards(bool isVector)
    {
        await using SluiceHandle fifo = Open(_temp.NewFifo());
        Skip.IfNot(Internals.UsesRing(fifo), "the pool cancels before a transfer starts: this one would never end");
        for (int i = 0; i < 20; i++)
        {
            using CancellationTokenSource source = new();
            byte[] buffer = new byte[100];
            Task read = isVector
                ? fifo.ReadAsync([buffer.AsMemory(0, 40), buffer.AsMemory(40)], 0, source.Token).AsTask()
                : fifo.ReadAsync(buffer, 0, source.Token).AsTask();
            read.IsCompleted.ShouldBeFalse();
            if (i % 2 == 0)
            {
                await Task.Yield();
            }

            await source.CancelAsync();
            (await Should.ThrowAsync<OperationCanceledException>(read)).CancellationToken.ShouldBe(source.Token);
            fifo.Write(Bytes.Pattern(30), 0);
            byte[] next = new byte[100];
            int got = 0;
            while (got < 30)
            {
                got += await fifo.ReadAsync(next.AsMemory(got), 0);
            }

            next.AsMemory(0, 30).ShouldBeBytes(Bytes.Pattern(30));
            buffer.ShouldAllBe(b => b == 0);
        }
    }

    [SkippableFact]
    public async Task A_cancelled_read_took_no_byte_and_one_that_was_not_took_its_own()
    {
        // Cancellation races with the byte that would end the read: whatever wins, no byte is lost and none comes twice.
        await using SluiceHandle fifo = Open(_temp.NewFifo());
        Skip.IfNot(Internals.UsesRing(fifo), "the pool cancels before a transfer starts");
        int rounds = IsFaulty ? 60 : 300;
        byte expected = 1;
        byte sent = 1;
        int cancelled = 0;
        for (int i = 0; i < rounds; i++)
        {
            using CancellationTokenSource source = new();
            byte[] buffer = new byte[1];
            Task<int> read = fifo.ReadAsync(buffer, 0, source.Token).AsTask();
            Task write = Task.CompletedTask;
            if (expected == sent)
            {
                byte next = sent;
                sent = Following(sent);
                write = Task.Run(() => fifo.Write([next], 0));
            }

            if (i % 3 != 0)
            {
                Thread.SpinWait(i % 50 * 20);
                await source.CancelAsync();
            }

            await write;
            try
            {
                (await read).ShouldBe(1);
                buffer[0].ShouldBe(expected);
                expected = Following(expected);
            }
            catch (OperationCanceledException)
            {
                cancelled++;
                buffer[0].ShouldBe((byte)0);
            }
        }

        while (expected != sent)
        {
            byte[] rest = new byte[1];
            (await fifo.ReadAsync(rest, 0)).ShouldBe(1);
            rest[0].ShouldBe(expected);
            expected = Following(expected);
        }

        cancelled.ShouldBeLessThan(rounds);

        static byte Following(byte value) => (byte)(value == 255 ? 1 : value + 1);
    }

    [Fact]
    public async Task Cancelling_at_any_moment_gives_the_right_bytes_or_a_cancelled_task()
    {
        const int block = 4096;
        int rounds = IsFaulty ? 60 : 300;
        await using SluiceHandle handle = OpenNew(block * 64, out byte[] content);
        Random random = new(11);
        for (int i = 0; i < rounds; i++)
        {
            using CancellationTokenSource source = new();
            byte[][] buffers = [.. Enumerable.Range(0, 4).Select(_ => new byte[block + (i % 2)])];
            int[] offsets = [.. Enumerable.Range(0, 4).Select(_ => random.Next(60) * block)];
            Task<int>[] reads = [.. buffers.Select((b, n) => handle.ReadAsync(b, offsets[n], source.Token).AsTask())];
            Thread.SpinWait(random.Next(400));
            await source.CancelAsync();
            for (int n = 0; n < reads.Length; n++)
            {
                try
                {
                    (await reads[n]).ShouldBe(buffers[n].Length);
                    buffers[n].ShouldBeBytes(content.AsSpan(offsets[n], buffers[n].Length));
                }
                catch (OperationCanceledException)
                {
                    reads[n].IsCanceled.ShouldBeTrue();
                }
            }
        }
    }

    [SkippableFact]
    public async Task Disposing_during_transfers_ends_them_right_or_with_ObjectDisposedException()
    {
        string path = _temp.NewFile(100_000);
        byte[] content = Bytes.Pattern(100_000);
        for (int round = 0; round < 8; round++)
        {
            SluiceHandle handle = Open(path);
            using ManualResetEventSlim begun = new();
            Task[] tasks = [.. Enumerable.Range(0, 8).Select(n => Task.Run(async () =>
            {
                byte[] buffer = new byte[3000];
                try
                {
                    for (int i = 0; i < 10_000; i++)
                    {
                        if (i == round * 3)
                        {
                            begun.Set();
                        }

                        int offset = (n * 911) + (i % 7);
                        (await ReadAsync(handle, buffer, offset, isAsync: n % 2 == 0)).ShouldBe(3000);
                        buffer.ShouldBeBytes(content.AsSpan(offset, 3000));
                        await WriteAsync(handle, content.AsMemory(offset, 100), offset, isAsync: n % 2 == 0);
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The only right way to end early.
                }
            }))];
            begun.Wait();
            handle.Dispose();
            await Task.WhenAll(tasks);
            handle.SafeFileHandle.IsClosed.ShouldBeTrue();
        }

        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(content);
    }

    [SkippableFact]
    public async Task Disposing_leaves_a_read_in_flight_its_descriptor_until_it_ends()
    {
        string path = _temp.NewFifo();
        await using SluiceHandle other = Open(path);
        SluiceHandle fifo = Open(path);
        byte[] buffer = new byte[10];
        Task<int> read = fifo.ReadAsync(buffer, 0).AsTask();
        Skip.If(read.IsCompleted, "the read ended before it could be overtaken");
        fifo.Dispose();
        fifo.Dispose();
        other.Write([1, 2, 3], 0);
        (await read).ShouldBeGreaterThan(0);
        buffer[0].ShouldBe((byte)1);
    }
}
