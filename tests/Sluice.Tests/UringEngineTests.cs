namespace Sluice.Tests;

[Collection(AloneCollection.Name)]
public sealed class UringEngineTests
{
    [SkippableFact]
    public async Task Cold_reads_survive_the_end_of_the_thread_that_submitted_them()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int block = 4096;
        const int blocks = 4096;
        using TempFolder temp = new();
        byte[] content = Bytes.Pattern(block * blocks);

        // Plugged in, so that no read is tried inline.
        using SluiceHandle handle = SluiceHandle.Open(temp.NewFile(content), new SluiceOptions { Engine = SluiceEngines.Default });
        Random random = new(3);
        for (int round = 0; round < 8; round++)
        {
            Internals.Drop(handle);
            List<(int Offset, byte[] Buffer, Task<int> Read)> reads = [];
            for (int i = 0; i < 50; i++)
            {
                Thread thread = new(() =>
                {
                    for (int j = 0; j < 4; j++)
                    {
                        int offset = random.Next(blocks) * block;
                        byte[] buffer = new byte[block];
                        reads.Add((offset, buffer, handle.ReadAsync(buffer, offset).AsTask()));
                    }
                });
                thread.Start();
                thread.Join();
            }

            foreach ((int offset, byte[] buffer, Task<int> read) in reads)
            {
                (await read).ShouldBe(block);
                buffer.ShouldBeBytes(content.AsSpan(offset, block));
            }
        }
    }

    [SkippableFact]
    public async Task More_operations_than_the_ring_has_room_for_wait_and_all_end()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int count = 6_000;
        using TempFolder temp = new();
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        byte[][] buffers = [.. Enumerable.Range(0, count).Select(_ => new byte[1])];
        Task<int>[] reads = [.. buffers.Select(b => fifo.ReadAsync(b, 0).AsTask())];
        reads.ShouldAllBe(r => !r.IsCompleted);
        byte[] sent = Bytes.Pattern(count);
        fifo.Write(sent, 0);
        await Task.WhenAll(reads);

        // Which read gets which byte is the kernel's choice; each byte comes once.
        buffers.Select(b => b[0]).Order().ToArray().ShouldBeBytes([.. sent.Order()]);
    }

    [SkippableFact]
    public async Task Operations_beyond_the_ring_are_cancelled_while_those_in_it_go_on_waiting()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int count = 6_000;
        using TempFolder temp = new();
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using CancellationTokenSource all = new();
        using CancellationTokenSource late = new();
        Task<int>[] reads = [.. Enumerable.Range(0, count).Select(_ => fifo.ReadAsync(new byte[1], 0, all.Token).AsTask())];
        Task<int>[] beyond = [.. Enumerable.Range(0, 100).Select(_ => fifo.ReadAsync(new byte[1], 0, late.Token).AsTask())];
        await late.CancelAsync();
        foreach (Task<int> read in beyond)
        {
            await Should.ThrowAsync<OperationCanceledException>(read);
        }

        reads.ShouldAllBe(r => !r.IsCompleted);
        await all.CancelAsync();
        foreach (Task<int> read in reads)
        {
            await Should.ThrowAsync<OperationCanceledException>(read);
        }

        // The engine is whole afterwards.
        Task<int> last = fifo.ReadAsync(new byte[1], 0).AsTask();
        fifo.Write([1], 0);
        (await last).ShouldBe(1);
    }

    [SkippableTheory]
    [InlineData(FileCaching.Direct, 1)]
    [InlineData(FileCaching.Direct, 4)]
    [InlineData(FileCaching.Cached, 3)]
    public async Task A_continuation_may_block_on_an_operation_that_it_has_just_started(FileCaching caching, int loops)
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        byte[] content = new byte[1 << 20];
        new Random(11).NextBytes(content);
        string path = System.IO.Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, content);
            using SluiceHandle handle = SluiceHandle.Open(path, share: FileShare.ReadWrite, caching: caching);

            // The limit only ends a test that hangs.
            await Task.WhenAll(Enumerable.Range(0, loops).Select(loop => Task.Run(async () =>
            {
                byte[] first = new byte[4096];
                byte[] second = new byte[4096];
                for (int i = 0; i < 40; i++)
                {
                    Interop.PageCache.Drop(handle.SafeFileHandle);
                    int offset = ((loop * 40) + i) % 200 * 4096;
                    (await handle.ReadAsync(first, offset)).ShouldBe(4096);
                    handle.ReadAsync(second, offset + 4096).AsTask().GetAwaiter().GetResult().ShouldBe(4096);
                    first.AsSpan().SequenceEqual(content.AsSpan(offset, 4096)).ShouldBeTrue();
                    second.AsSpan().SequenceEqual(content.AsSpan(offset + 4096, 4096)).ShouldBeTrue();
                }
            }))).WaitAsync(TimeSpan.FromMinutes(2));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [SkippableFact]
    public async Task A_continuation_may_wait_for_others_that_completed_with_it()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int count = 8;
        using TempFolder temp = new();
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        for (int round = 0; round < 50; round++)
        {
            using CountdownEvent others = new(count - 1);
            int first = 0;
            Task<bool>[] loops = [.. Enumerable.Range(0, count).Select(_ => OneAsync(others))];
            fifo.Write(new byte[count], 0);
            (await Task.WhenAll(loops)).ShouldAllBe(done => done);

            async Task<bool> OneAsync(CountdownEvent waited)
            {
                await fifo.ReadAsync(new byte[1], 0).ConfigureAwait(false);
                if (Interlocked.Exchange(ref first, 1) != 0)
                {
                    waited.Signal();
                    return true;
                }

                // The limit only ends a test that fails.
                return waited.Wait(TimeSpan.FromSeconds(20));
            }
        }
    }

    [SkippableFact]
    public async Task What_one_continuation_leaves_in_the_execution_context_the_next_does_not_see()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int count = 64;
        using TempFolder temp = new();
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        AsyncLocal<string> local = new();
        using CountdownEvent ended = new(count);
        int seen = 0;
        for (int i = 0; i < count; i++)
        {
            var awaiter = fifo.ReadAsync(new byte[1], 0).ConfigureAwait(false).GetAwaiter();

            // Without a captured context of its own, the continuation runs in the thread's.
            awaiter.UnsafeOnCompleted(() =>
            {
                Interlocked.Add(ref seen, local.Value is null ? 0 : 1);
                local.Value = "left behind";
                _ = awaiter.GetResult();
                ended.Signal();
            });
        }

        fifo.Write(new byte[count], 0);
        await Task.Run(() => ended.Wait());
        seen.ShouldBe(0);
    }
}
