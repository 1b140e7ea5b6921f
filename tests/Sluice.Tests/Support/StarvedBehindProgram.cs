using Sluice.Engines;
using Sluice.Testing;

namespace Sluice.Tests.Support;

/// <summary>
/// Synchronous calls behind asynchronous ones of the same object that have not ended, in a process whose pool has few threads, all of them
/// busy until the end.
/// </summary>
internal static class StarvedBehindProgram
{
    private const int MaxSpareThreads = 6;

    private static readonly byte[] Content = Bytes.Pattern(150_000);

    /// <summary>0 when every call came back with the right bytes, 3 when one did not come back.</summary>
    public static int Run(string path)
    {
        AppContext.SetData("Sluice.MaxSpareThreads", MaxSpareThreads);

        // The ring, its thread and its leader are there before.
        using (SluiceHandle first = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct))
        {
            first.WriteAsync(new byte[4096], 0).AsTask().Wait();
        }

        string step = "";
        List<Task> atGate = [];
        using SluiceHandle direct = SluiceHandle.Open(
            $"{path}-gate", FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite, caching: FileCaching.Direct);
        StarvedGate.BeginAtGate(direct, atGate);
        using BusyPool pool = new(Math.Max(2, Environment.ProcessorCount), () => step);
        Volatile.Write(ref step, "a stream behind a handle's calls at the gate");
        StarvedGate.CheckBehindGate(direct, atGate);
        Volatile.Write(ref step, "whoever is interrupted again and again");
        StarvedGate.CheckInterruptedAgain($"{path}-again");
        int files = 0;

        // What is left under way writes into files of its own.
        string NewPath() => $"{path}-{files++}";

        FaultyEngine faulty = new(new FaultPlan(7) { ShortTransfer = 0.2, Eintr = 0.1, Eagain = 0.1 });
        foreach (IoEngine? engine in (IoEngine?[])[null, SluiceEngines.Pool, faulty])
        {
            foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
            {
                SluiceOptions Options(FileMode mode, int bufferSize) => new()
                {
                    Mode = mode,
                    Access = FileAccess.ReadWrite,
                    Share = FileShare.ReadWrite,
                    Caching = caching,
                    Engine = engine,
                    BufferSize = bufferSize,
                };
                foreach (int bufferSize in (int[])[SluiceOptions.Adaptive, 4096, 0])
                {
                    string[] ways = bufferSize == SluiceOptions.Adaptive
                        ? ["write", "flush", "flush to disk", "set length", "read", "nothing", "async", "end", "close", "interrupted"]
                        : ["write", "end", "close", "interrupted"];
                    foreach (string way in ways)
                    {
                        Volatile.Write(ref step, $"{engine?.Name ?? "own"} {caching} {bufferSize} {way}, written");
                        CheckWritten(NewPath(), Options(FileMode.Create, bufferSize), way);
                    }

                    Volatile.Write(ref step, $"{engine?.Name ?? "own"} {caching} {bufferSize}, read");
                    CheckRead(NewPath(), Options(FileMode.Open, bufferSize));
                }

                Volatile.Write(ref step, $"{engine?.Name ?? "own"} {caching}, handle");
                CheckHandle(NewPath(), Options(FileMode.Create, 0));
                Volatile.Write(ref step, $"{engine?.Name ?? "own"} {caching}, writer");
                CheckWriter(NewPath(), Options(FileMode.Create, 0));
                Volatile.Write(ref step, $"{engine?.Name ?? "own"} {caching}, reader");
                CheckReader(NewPath(), Options(FileMode.Open, 0));
            }
        }

        Volatile.Write(ref step, "places in the pool's queue");
        CheckPlaces();
        Volatile.Write(ref step, "threads of the library's own");
        CheckSpareThreads();
        return 0;
    }

    /// <summary>What is queued again and again for a pool that does not come leaves as much behind there as was queued at once.</summary>
    private static void CheckPlaces()
    {
        const int items = 100;
        const int rounds = 20;
        long before = ThreadPool.PendingWorkItemCount;
        for (int round = 0; round < rounds; round++)
        {
            using CountdownEvent left = new(items);
            TaskCompletionSource done = new();
            for (int i = 0; i < items; i++)
            {
                PoolWork.Queue(
                    static x =>
                    {
                        if (x.left.Signal())
                        {
                            x.done.SetResult();
                        }
                    },
                    (left, done));
            }

            PoolWork.Wait(done.Task).ShouldBeTrue();
        }

        (ThreadPool.PendingWorkItemCount - before).ShouldBeLessThan(rounds * items / 2);
    }

    /// <summary>Work that blocks gets a thread each, up to the limit; what is behind it is done when one of them is free.</summary>
    private static void CheckSpareThreads()
    {
        int begun = 0;
        ManualResetEventSlim end = new();
        for (int i = 0; i < 2 * MaxSpareThreads; i++)
        {
            PoolWork.Queue(
                end =>
                {
                    Interlocked.Increment(ref begun);
                    end.Wait();
                },
                end);
        }

        TaskCompletionSource behind = new();
        PoolWork.Queue(static behind => behind.SetResult(), behind);
        PoolWork.Wait(behind.Task, 700).ShouldBeFalse();
        Volatile.Read(ref begun).ShouldBeLessThanOrEqualTo(MaxSpareThreads);
        end.Set();
        PoolWork.Wait(behind.Task).ShouldBeTrue();
    }

    private static void CheckWritten(string path, SluiceOptions options, string way)
    {
        List<Task> left = [];
        int at = 0;
        using (SluiceStream stream = new(path, options))
        {
            void Begin(int count, int bytes)
            {
                for (int i = 0; i < count; i++)
                {
                    left.Add(stream.WriteAsync(Content.AsMemory(at, bytes)).AsTask());
                    at += bytes;
                }
            }

            Begin(10, 3_001);
            Begin(1, 40_000);
            switch (way)
            {
                case "write":
                    if (options.BufferSize != 0)
                    {
                        // Into the buffer is written without waiting, too; more than fits does.
                        stream.Write(Content.AsSpan(at, 0));
                    }

                    stream.Write(Content.AsSpan(at, 5_003));
                    at += 5_003;
                    stream.WriteByte(Content[at++]);
                    break;
                case "flush":
                    stream.Flush();
                    break;
                case "flush to disk":
                    stream.Flush(flushToDisk: true);
                    break;
                case "set length" when options.BufferSize != 0:
                    // Without a buffer nothing is waited for, and what is under way would make the file longer again.
                    stream.SetLength(at);
                    break;
                case "read" when options.BufferSize != 0:
                    stream.ReadByte().ShouldBe(-1);
                    break;
                case "async":
                    left.Add(stream.FlushAsync());
                    break;
                case "end":
                    stream.EndWrite(stream.BeginWrite(Content, at, 20_000, null, null));
                    at += 20_000;
                    break;
                case "interrupted":
                    // What is in flight has the stream's memory: closing waits for it all the same.
                    Thread.CurrentThread.Interrupt();
                    break;
                case "close":
                    // Closed once more behind it, by this thread, which finds all in the file.
                    left.Add(stream.DisposeAsync().AsTask());
                    break;
            }

            if (way is not ("close" or "interrupted"))
            {
                Begin(10, 3_001);
            }
        }

        if (way == "interrupted")
        {
            // Kept for the next wait, which this is.
            Should.Throw<ThreadInterruptedException>(static () => Thread.Sleep(0));
        }

        if (options.BufferSize == 0)
        {
            // Nothing was waited for, and no thread has come for what is under way.
            return;
        }

        // Who awaits these is told by the pool when it has a thread again.
        left.ShouldAllBe(t => !t.IsFaulted);
        File.ReadAllBytes(path).ShouldBeBytes(Content.AsSpan(0, at));
    }

    private static void CheckRead(string path, SluiceOptions options)
    {
        File.WriteAllBytes(path, Content);
        const int last = 5;
        byte[] read = new byte[Content.Length];
        List<Task<int>> left = [];
        int at = 0;
        using SluiceHandle other = SluiceHandle.Open(path, options);
        using (SluiceStream stream = new(path, options))
        {
            while (at < 60_000)
            {
                Internals.Drop(other);
                for (int i = 0; i < 5; i++)
                {
                    left.Add(stream.ReadAsync(read.AsMemory(at, 4_001)).AsTask());
                    at += 4_001;
                }

                // Each takes its place when it begins; there are no short reads in the middle of a file. What is in the buffer is read
                // without waiting for anybody: flushing waits.
                stream.Flush();
                stream.Read(read.AsSpan(at, 3_001)).ShouldBe(3_001);
                at += 3_001;
                read[at++] = (byte)stream.ReadByte();
            }

            for (int i = 0; i < last; i++)
            {
                left.Add(stream.ReadAsync(new byte[4_001]).AsTask());
            }
        }

        if (options.BufferSize == 0)
        {
            return;
        }

        // Those of before the last synchronous call have passed before it. Closing need not wait for reads.
        left.SkipLast(last).ShouldAllBe(t => !t.IsCompleted || t.Result == 4_001);
        read.AsSpan(0, at).ShouldBeBytes(Content.AsSpan(0, at));
    }

    private static void CheckHandle(string path, SluiceOptions options)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, options);
        handle.Write(Content, 0);
        Internals.Drop(handle);
        byte[] read = new byte[Content.Length];
        _ = handle.ReadAsync(read.AsMemory(0, 50_000), 0).AsTask();
        _ = handle.WriteAsync(Content.AsMemory(0, 50_000), 0).AsTask();
        _ = handle.AppendAsync(Content.AsMemory(0, 8192)).AsTask();
        _ = handle.FlushToDiskAsync().AsTask();
        handle.Write(Content.AsSpan(100_000, 10_000), 100_000);
        handle.Append(Content.AsSpan(0, 5)).ShouldBeGreaterThanOrEqualTo(Content.Length);
        ReadRequest[] requests = [.. Enumerable.Range(26, 40).Select(i => new ReadRequest(i * 2_000, new byte[2_000]))];
        handle.ReadBatch(requests);
        Array.ForEach(requests, r => r.Buffer.ShouldBeBytes(Content.AsSpan((int)r.FileOffset, 2_000).ToArray()));
        handle.WriteBatch([.. requests.Select(r => new WriteRequest(r.FileOffset, r.Buffer))]);
        handle.FlushToDisk();
        handle.Read(read, 0).ShouldBe(read.Length);
        read.ShouldBeBytes(Content);
    }

    private static void CheckWriter(string path, SluiceOptions options)
    {
        int at = 0;
        using (SluiceWriter writer = new(SluiceHandle.Open(path, options), new SluiceWriterOptions { RequestSize = 4096, Depth = 4 }))
        {
            for (int round = 0; round < 3; round++)
            {
                // One caller at a time: as many blocks as are on their way while the call has ended.
                int bytes = writer.SluiceHandle.Caching == FileCaching.Direct ? 3 * 4096 : 4096;
                if (!writer.WriteAsync(Content.AsMemory(at, bytes)).AsTask().IsCompletedSuccessfully)
                {
                    return;
                }

                at += bytes;
                writer.Write(Content.AsSpan(at, 9_000));
                at += 9_000;
                writer.Flush();
            }

            writer.Complete();
        }

        File.ReadAllBytes(path).ShouldBeBytes(Content.AsSpan(0, at));
    }

    private static void CheckReader(string path, SluiceOptions options)
    {
        File.WriteAllBytes(path, Content);
        using SluiceReader reader = new(SluiceHandle.Open(path, options), new SluiceReaderOptions { RequestSize = 4096, Depth = 4 });
        List<byte> read = [];
        while (true)
        {
            Internals.Drop(reader.SluiceHandle);
            using CancellationTokenSource source = new();
            Task<ReadOnlyMemory<byte>> left = reader.ReadBlockAsync(source.Token).AsTask();
            source.Cancel();
            if (!left.IsCompleted)
            {
                // Another thread was just ending it, and whoever awaits it may need the pool. One caller at a time.
                return;
            }

            if (left.IsCompletedSuccessfully)
            {
                read.AddRange(left.Result.Span);
            }

            if (!reader.TryReadBlock(out ReadOnlySpan<byte> block))
            {
                break;
            }

            read.AddRange(block);
        }

        read.ToArray().ShouldBeBytes(Content);
    }
}
