namespace Sluice.Tests;

[Collection(AloneCollection.Name)]
public sealed partial class UringEngineTests
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

    [SkippableTheory]
    [InlineData(FileCaching.Direct, 1)]
    [InlineData(FileCaching.Direct, 4)]
    [InlineData(FileCaching.Cached, 3)]
    public async Task A_continuation_may_block_on_an_operation_that_it_has_just_started(FileCaching caching, int loops)
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        ThreadPool.GetMaxThreads(out int threads, out _);
        Skip.If(threads <= loops, $"{loops} threads of the pool block here, and it has {threads}");
        using TempFolder temp = new();
        byte[] content = Bytes.Pattern(1 << 20);
        using SluiceHandle handle = SluiceHandle.Open(temp.NewFile(content), share: FileShare.ReadWrite, caching: caching);

        // The limit only ends a test that hangs.
        await Task.WhenAll(Enumerable.Range(0, loops).Select(loop => Task.Run(async () =>
        {
            byte[] first = new byte[4096];
            byte[] second = new byte[4096];
            for (int i = 0; i < 40; i++)
            {
                Internals.Drop(handle);
                int offset = ((loop * 40) + i) % 200 * 4096;
                (await handle.ReadAsync(first, offset)).ShouldBe(4096);
                handle.ReadAsync(second, offset + 4096).AsTask().GetAwaiter().GetResult().ShouldBe(4096);
                first.ShouldBeBytes(content.AsSpan(offset, 4096));
                second.ShouldBeBytes(content.AsSpan(offset + 4096, 4096));
            }
        }))).WaitAsync(TimeSpan.FromMinutes(2));
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
                return waited.Wait(TimeSpan.FromMinutes(2));
            }
        }
    }

    [SkippableFact]
    public async Task What_one_continuation_leaves_in_the_threads_contexts_the_next_does_not_see()
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
                Interlocked.Add(ref seen, local.Value is null && SynchronizationContext.Current is null ? 0 : 1);
                local.Value = "left behind";
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
                _ = awaiter.GetResult();
                ended.Signal();
            });
        }

        fifo.Write(new byte[count], 0);
        await Task.Run(() => ended.Wait());
        seen.ShouldBe(0);
    }

    [SkippableFact]
    public async Task No_callers_code_runs_on_the_thread_that_takes_completions()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        using TempFolder temp = new();
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        List<string?> threads = [];
        SlowContext context = new(() =>
        {
            lock (threads)
            {
                threads.Add(Thread.CurrentThread.Name);
            }
        });
        for (int i = 0; i < 40; i++)
        {
            ThreadMemory memory = new(1, threads);
            Task read = context.Start(async () => (await fifo.ReadAsync(memory.Memory, 0)).ShouldBe(1));
            Task inline = Task.Factory.StartNew(
                async () => (await fifo.ReadAsync(new byte[1], 0)).ShouldBe(1),
                CancellationToken.None, TaskCreationOptions.None, new InlineScheduler(threads)).Unwrap();

            // Until nobody leads any more.
            await Task.Delay(5);
            fifo.Write(new byte[2], 0);
            await Task.WhenAll(read, inline).WaitAsync(TimeSpan.FromMinutes(2));
        }

        threads.Count.ShouldBeGreaterThan(0);
        threads.ShouldNotContain("Sluice completions");
    }

    /// <summary>Runs what is posted at once, on the thread that posts, after something of the test's.</summary>
    private sealed class SlowContext(Action before) : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
            before();
            SynchronizationContext? previous = Current;
            SetSynchronizationContext(this);
            d(state);
            SetSynchronizationContext(previous);
        }

        public Task Start(Func<Task> function)
        {
            SynchronizationContext? previous = Current;
            SetSynchronizationContext(this);
            Task task = function();
            SetSynchronizationContext(previous);
            return task;
        }
    }

    private sealed class InlineScheduler(List<string?> threads) : TaskScheduler
    {
        protected override IEnumerable<Task> GetScheduledTasks() => [];

        protected override void QueueTask(Task task)
        {
            lock (threads)
            {
                threads.Add(Thread.CurrentThread.Name);
            }

            TryExecuteTask(task);
        }

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => TryExecuteTask(task);
    }

    /// <summary>Memory that notes on which thread it is given back.</summary>
    private sealed class ThreadMemory(int length, List<string?> threads) : System.Buffers.MemoryManager<byte>
    {
        private readonly byte[] _array = GC.AllocateArray<byte>(length, pinned: true);

        public override Span<byte> GetSpan() => _array;

        public override unsafe System.Buffers.MemoryHandle Pin(int elementIndex = 0) =>
            new((byte*)System.Runtime.InteropServices.Marshal.UnsafeAddrOfPinnedArrayElement(_array, elementIndex), default, this);

        public override void Unpin()
        {
            lock (threads)
            {
                threads.Add(Thread.CurrentThread.Name);
            }
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
