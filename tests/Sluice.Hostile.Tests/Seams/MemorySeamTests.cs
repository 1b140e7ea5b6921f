using Sluice.Engines;
using Sluice.Files;
using Sluice.Handles;
using Sluice.Log.Stages;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// Where .NET has no memory for a moment, nothing that was queued is lost, and no call ends before what it waits for. Debug builds have
/// these places; elsewhere the tests are skipped.
/// </summary>
public sealed class MemorySeamTests : HostileTests
{
    public override void Dispose()
    {
        Seam.Use(null);
        base.Dispose();
    }

    [SkippableFact]
    public async Task What_is_queued_for_a_pool_without_memory_is_done()
    {
        const int count = 20;
        SkipWithoutSeams();
        using CountdownEvent done = new(count);
        int lacks = await RunAsync(
            static _ => true,
            () =>
            {
                for (int i = 0; i < count; i++)
                {
                    PoolWork.Queue(static d => d.Signal(), done);
                }
            });
        lacks.ShouldBeGreaterThan(0);
        await Watchdog.EndsAsync(() => Task.Run(done.Wait), "what was queued");
    }

    /// <summary>More than a ring has room for: those that are in it, and those that wait for room.</summary>
    [SkippableFact]
    public async Task Requests_to_cancel_come_through_without_memory()
    {
        SkipWithoutSeams();
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        using SluiceHandle fifo = SluiceHandle.Open(NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        CancellationTokenSource[] sources = [.. Enumerable.Range(0, 4300).Select(static _ => new CancellationTokenSource())];
        Task<int>[] reads = [.. sources.Select(s => fifo.ReadAsync(new byte[1], 0, s.Token).AsTask())];
        int lacks = await RunAsync(static _ => true, () => Array.ForEach(sources, static s => s.Cancel()));
        lacks.ShouldBeGreaterThan(0);
        await Watchdog.EndsAsync(() => Task.WhenAll(reads.Select(r => Should.ThrowAsync<OperationCanceledException>(r))), "the reads");
    }

    [SkippableTheory]
    [InlineData("CallBuilder")]
    [InlineData("InnerTask")]
    [InlineData("Relay")]
    public async Task A_streams_call_that_is_suspended_without_memory_goes_on(string place)
    {
        SkipWithoutSeams();
        byte[] content = Bytes.Pattern(40_000);
        string path = Temp.NewFile(content);
        Accounts accounts = Accounts.Open(Temp.Root);

        // More at once than tasks are kept for the next use; none ends before all have been asked for.
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        SluiceOptions options = new()
        {
            Engine = new HeldEngine(() => mayEnd.Task),
            BufferSize = 4096,
            Options = FileOptions.Asynchronous,
        };
        SluiceStream[] streams = [.. Enumerable.Range(0, 8).Select(_ => new SluiceStream(path, options))];
        byte[][] read = [.. streams.Select(_ => new byte[content.Length])];
        List<Task> tasks = [];
        int lacks = await RunAsync(stack => stack.Contains(place, StringComparison.Ordinal), () =>
        {
            for (int i = 0; i < streams.Length; i++)
            {
                // The second waits for its turn.
                tasks.Add(streams[i].ReadExactlyAsync(read[i].AsMemory(0, 3000)).AsTask());
                tasks.Add(streams[i].ReadExactlyAsync(read[i].AsMemory(3000)).AsTask());
            }
        });
        mayEnd.SetResult();
        lacks.ShouldBeGreaterThan(0);
        await Watchdog.EndsAsync(() => Task.WhenAll(tasks), "the reads");
        Array.ForEach(read, bytes => bytes.ShouldBeBytes(content));
        Array.ForEach(streams, static s => s.Dispose());
        await accounts.CloseAsync(place);
    }

    /// <summary>What was taken for failed, and was in flight, was written once more and its memory given to the next window.</summary>
    [SkippableFact]
    public async Task A_write_behind_that_is_waited_for_without_memory_has_not_failed()
    {
        SkipWithoutSeams();
        byte[] content = Bytes.Pattern(8192);
        string path = Temp.NewPath();
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            Engine = new HeldEngine(() => mayEnd.Task),
        });
        MemoryLease memory = AlignedBufferPool.Rent(content.Length);
        content.CopyTo(memory.Span);
        WriteBehind behind = new();
        behind.Start(handle, new User(), memory, memory.Start, content.Length, 0);
        int looks = 0;
        int lacks = await RunAsync(
            stack =>
            {
                // The task is made at the third, and waited for at the sixth.
                bool isHere = stack.Contains("WriteBehind.Settle", StringComparison.Ordinal);
                if (isHere && ++looks == 6)
                {
                    mayEnd.SetResult();
                }

                return isHere;
            },
            behind.Settle);
        lacks.ShouldBeGreaterThanOrEqualTo(4);
        behind.IsPending.ShouldBeFalse();
        behind.Reset();
        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    /// <summary>What is read ahead is waited for at the end.</summary>
    [SkippableFact]
    public async Task A_stream_that_is_closed_without_memory_leaves_no_file_open()
    {
        SkipWithoutSeams();
        Accounts accounts = Accounts.Open(Temp.Root);
        SluiceStream stream = new(Temp.NewFile(Bytes.Pattern(200_000)), new SluiceOptions { Engine = new HeldEngine() });
        await stream.ReadExactlyAsync(new byte[100]);
        for (int i = 0; i < 100; i++)
        {
            await stream.ReadExactlyAsync(new byte[200]);
        }

        int lacks = await RunAsync(static stack => stack.Contains("SluiceStream.", StringComparison.Ordinal), stream.Dispose);
        lacks.ShouldBeGreaterThan(0);
        await accounts.CloseAsync("the stream");
    }

    /// <summary>Whoever ends the waits of others for a log has the pool tell each of them.</summary>
    [SkippableFact]
    public async Task Awaited_appends_end_where_the_pool_has_no_memory()
    {
        SkipWithoutSeams();
        const int count = 20;
        WaiterList waiters = new();
        Task<long>[] tasks = [.. Enumerable.Range(1, count).Select(i =>
        {
            AsyncWaiter waiter = AsyncWaiter.Rent(i, 0, default, i);
            Task<long> task = waiter.Task.AsTask();
            waiters.Push(waiter);
            return task;
        })];
        int lacks = await RunAsync(static _ => true, () => waiters.Complete(count));
        lacks.ShouldBeGreaterThan(0);
        await Watchdog.EndsAsync(() => Task.WhenAll(tasks), "the appends");
        (await Task.WhenAll(tasks)).ShouldBe(Enumerable.Range(1, count).Select(static i => (long)i));
    }

    /// <summary>Whoever leads reads the memory of the one that waits until it has ended.</summary>
    [SkippableFact]
    public async Task An_append_that_waits_without_memory_does_not_leave_before_it_is_served()
    {
        SkipWithoutSeams();
        AppendRequest? request = null;
        AppendState left = AppendState.Waiting;
        Task? serving = null;
        int lacks = await RunAsync(
            stack =>
            {
                bool isAsleep = stack.Contains(nameof(AppendRequest.Sleep), StringComparison.Ordinal);
                serving ??= isAsleep ? Task.Run(() => request!.Complete(7)) : null;
                return isAsleep;
            },
            () =>
            {
                request = AppendRequest.Rent();
                request.Begin(0, 0, isHeld: true);
                request.TryPark().ShouldBeTrue();
                request.Sleep();
                left = request.State;
            });
        lacks.ShouldBeGreaterThan(0);
        left.ShouldBe(AppendState.Done);
        await serving!;
    }

    /// <summary>The place in the queue is made before anybody waits there, and outside the gate.</summary>
    [SkippableTheory]
    [InlineData(4096)]
    [InlineData(100)]
    public async Task Who_has_no_memory_for_a_place_at_the_gate_hears_of_it_and_leaves_nothing_behind(int bytes)
    {
        const int count = 300;
        SkipWithoutSeams();
        Accounts accounts = Accounts.Open(Temp.Root);
        SluiceHandle handle = SluiceHandle.Open(Temp.NewFile(new byte[8192]), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Caching = FileCaching.Direct,
        });
        Skip.If(handle.Caching != FileCaching.Direct, "no direct transfers here");
        handle.DirectGate!.TryEnterAlone().ShouldBeTrue();
        List<Task> writes = [];
        int refused = 0;
        int lacks = await RunAsync(
            static stack => stack.Contains("MakeNode", StringComparison.Ordinal),
            () =>
            {
                // More at once than operations are kept for the next use.
                for (int i = 0; i < count; i++)
                {
                    try
                    {
                        writes.Add(handle.WriteAsync(new byte[bytes], 0).AsTask());
                    }
                    catch (OutOfMemoryException)
                    {
                        refused++;
                    }
                }
            });
        handle.DirectGate.Exit();
        await Watchdog.EndsAsync(() => Task.WhenAll(writes), "the writes");
        lacks.ShouldBeGreaterThan(0);
        refused.ShouldBe(lacks);
        writes.Count.ShouldBe(count - lacks);
        handle.DirectGate.TryEnterAlone().ShouldBeTrue("somebody is still in the gate");
        handle.DirectGate.Exit();
        handle.Dispose();
        await accounts.CloseAsync("the gate");
    }

    /// <summary>The thread that takes completions does not end, nor the process with it.</summary>
    [SkippableFact]
    public async Task The_thread_of_a_ring_that_has_no_memory_to_wait_with_looks_again()
    {
        const int enough = 5;
        SkipWithoutSeams();
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        using SluiceHandle fifo = SluiceHandle.Open(NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        int lacks = 0;
        Seam.Use(kind =>
        {
            // By the thread's name: of its methods those that are called often are compiled into their callers.
            if (kind == SeamKind.QueueMemory && Thread.CurrentThread.Name == "Sluice completions"
                && Volatile.Read(ref lacks) < enough)
            {
                Interlocked.Increment(ref lacks);
                throw new OutOfMemoryException();
            }
        });
        await Watchdog.EndsAsync(
            async () =>
            {
                byte[] got = new byte[1];
                for (int i = 0; i < 1000 || (Volatile.Read(ref lacks) < enough && i < 20_000); i++)
                {
                    ValueTask<int> read = fifo.ReadAsync(got, 0);
                    fifo.Write([(byte)i], 0);
                    (await read).ShouldBe(1);
                    got[0].ShouldBe((byte)i);
                }
            },
            "the reads");
        Skip.If(Volatile.Read(ref lacks) == 0, "the thread has never slept: it waits in the kernel for what others have left there");
    }

    /// <summary>
    /// At the first place, at the second, and so on: a file that there is no memory for is read alone, and where it is wanted for the group
    /// the group fails; none of its files stays open or locked, and the next group is read.
    /// </summary>
    [SkippableFact]
    public async Task A_group_without_memory_leaves_no_file_open()
    {
        SkipWithoutSeams();
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere files are read one by one");
        byte[] content = Bytes.Pattern(3000);
        string[] paths = [.. Enumerable.Range(0, 24).Select(i =>
        {
            string folder = Directory.CreateDirectory(Path.Combine(Temp.Root, $"folder{i / 8}")).FullName;
            string path = Path.Combine(folder, $"{i}");
            File.WriteAllBytes(path, content);
            return path;
        })];
        bool isOver = false;
        int read = 0;
        int failed = 0;
        for (int at = 1; !isOver; at++)
        {
            Accounts accounts = Accounts.Open(Temp.Root);
            SmallFile[] files = [.. paths.Select(static p => new SmallFile { Path = p })];
            int thread = Environment.CurrentManagedThreadId;
            int wanted = 0;
            Seam.Use(kind =>
            {
                if (kind == SeamKind.Memory && Environment.CurrentManagedThreadId == thread && ++wanted == at)
                {
                    throw new OutOfMemoryException();
                }
            });
            Exception? error = Record.Exception(() => SmallFileReader.Read(files));
            Seam.Use(null);
            isOver = wanted < at;
            await accounts.CloseAsync($"place {at}");
            if (error is null)
            {
                Array.ForEach(files, f => f.Content.ShouldNotBeNull().ShouldBeBytes(content, $"place {at}"));
                read++;
            }
            else
            {
                error.ShouldBeOfType<OutOfMemoryException>();
                Array.ForEach(paths, static p => new FileStream(p, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose());
                failed++;
            }
        }

        // Each file has a place of its own, and each folder one; the last round has none.
        read.ShouldBeGreaterThan(paths.Length);
        failed.ShouldBeGreaterThanOrEqualTo(3);
    }

    internal static void SkipWithoutSeams()
    {
#if !DEBUG
        throw new SkipException("only Debug builds have these places");
#endif
    }

    /// <summary>
    /// Runs it on a thread of its own, which has no memory at two of three places of those that are chosen by the stack; says at how many.
    /// </summary>
    private static async Task<int> RunAsync(Predicate<string> isChosen, Action action)
    {
        int count = 0;
        int lacks = 0;
        Exception? error = null;
        Thread thread = new(() => error = Record.Exception(action));
        Seam.Use(kind =>
        {
            if (kind is SeamKind.Memory or SeamKind.QueueMemory && Thread.CurrentThread == thread
                && isChosen(Environment.StackTrace) && ++count % 3 != 0)
            {
                lacks++;
                throw new OutOfMemoryException();
            }
        });
        thread.Start();
        await Watchdog.EndsAsync(
            () =>
            {
                thread.Join();
                return Task.CompletedTask;
            },
            "the calls");
        Seam.Use(null);
        error.ShouldBeNull();
        return lacks;
    }

    private sealed class User : IMemoryUser
    {
        public bool IsCopying => false;
    }

    private string NewFifo()
    {
        string path = Temp.NewPath();
        Native.MakeFifo(path);
        return path;
    }
}
