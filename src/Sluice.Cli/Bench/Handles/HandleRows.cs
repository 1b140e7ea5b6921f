using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Handles;

/// <summary>The suites handle and scale, which compare SluiceHandle with RandomAccess on one open file.</summary>
internal static class HandleRows
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int BlockBytes = (int)(64 * ByteSize.KiB);
    private const int BatchSize = 128;
    private const int DepthOfLoop = 32;

    // The segment size of the benchmark in the .NET 6 blog post, which writes 100 MB.
    private const int SegmentBytes = 16_000;
    private const int SegmentCount = 4;
    private const long TransferBytes = SegmentBytes * SegmentCount;

    public static Suite Create() => new(
        "handle", 5, static scale => scale.SliceTime,
        [
            .. ((int[])[1, 4, 32, 128]).Select(static depth => DirectRead(
                "direct-read-4k", depth,
                depth == 1 ? "ReadAsync, one loop: the latency of one read" : "ReadAsync in so many loops: threads run out, rings do not")),
            .. ((int[])[1, 32]).Select(DirectOverwrite),
            new("hot-read-4k-async", "hot 4 KiB ReadAsync", "one loop: data in the page cache must not cost a thread hop",
                OpenHotReadWithSynchronousPeer),
            Hot("hot-read-64k-async", "hot 64 KiB ReadAsync", "one loop: copying dominates, the hop still costs CPU", BlockBytes,
                asynchronous: true, writes: false),
            new("cold-read-4k-d32", "cold 4 KiB random read, depth 32",
                "buffered ReadAsync: page-cache misses of many callers at once", OpenColdRead)
            {
                IsRequest = true,
                Fills = PageCacheFill.ForSlice,
            },
            BufferedAppend(PageBytes, "4k"),
            BufferedOverwrite(PageBytes, "4k"),
            BufferedAppend(BlockBytes, "64k"),
            BufferedOverwrite(BlockBytes, "64k"),
            Hot("sync-read-4k", "hot 4 KiB Read", "synchronous: the plain call must cost no more than .NET's", PageBytes,
                asynchronous: false, writes: false),
            Hot("sync-write-4k", "hot 4 KiB Write", "synchronous: the plain call must cost no more than .NET's", PageBytes,
                asynchronous: false, writes: true),
            new("read-batch-128", "direct ReadBatch 128 x 4 KiB",
                "one thread, one submission for a whole batch; .NET: 128 ReadAsync and WhenAll", OpenReadBatch)
            {
                IsRequest = true,
                Fio = new FioJob("randread", PageBytes, BatchSize) { IsBatch = true },
            },
            new("scatter-read-4x16000", "hot scatter read 4 x 16,000 B", "one call fills four buffers", OpenScatter)
            {
                BytesPerOperation = static _ => TransferBytes,
            },
            new("append-200-t64", "append 200 B from 64 threads",
                "logs and journals with many writers; .NET: a lock around RandomAccess.Write", OpenThreadsAppend)
            {
                Fills = PageCacheFill.ForSlice,
            },
            new("open-close", "open + close", "a handle must not cost more than .NET's", static context =>
            {
                string path = context.HotFile;
                return new Contest(
                    slice => Loops.Repeat(slice, _ =>
                        SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.Read, FileOptions.Asynchronous).Dispose()),
                    slice => Loops.Repeat(slice, _ =>
                        File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read, FileOptions.Asynchronous).Dispose()));
            }),
            .. from us in (int[])[50, 200, 1000]
               from isMedian in (bool[])[true, false]
               select NeighbourRows.Neighbour(us, isMedian),
            .. ((int[])[20, 100, 500]).Select(static us => NeighbourRows.Working(us)),
            .. ((int[])[1, 2, 4]).Select(static loops => EngineRows.Alone(loops, "engine-alone")),
            // These rows are last: the pool reduces its threads slowly, and the rows above need the pool in its default state.
            .. ((int[])[32, 128]).Select(DirectReadManyThreads),
        ]);

    /// <summary>
    /// The suite scale: the engine alone, and direct reads, with 1, 2, 4 and more loops, up to twice the number of processors. The expected
    /// limits are in docs/decisions.
    /// </summary>
    public static Suite CreateScale()
    {
        int[] loops = [.. Enumerable.Range(0, 31).Select(static i => 1 << i).TakeWhile(static n => n <= 2 * Environment.ProcessorCount)];
        return new Suite(
            "scale", 1, static scale => scale.SliceTime,
            [
                .. loops.Select(static n => EngineRows.Alone(n, "scale-engine")),
                .. loops.Select(static n => DirectRead(
                    "scale-read", n * DepthOfLoop, "ReadAsync in so many loops, from as many threads as the pool gives")),
            ]);
    }

    /// <summary>Creates a contest of SluiceHandle and RandomAccess on the same file, with the same options.</summary>
    public static Contest Pair(
        TargetOptions options, Func<IoTarget, Func<Slice, Task>> loop, int depth = 1, Action<IoTarget>? prepare = null,
        params IDisposable[] owned)
    {
        DirectIo.Require(options.Path, options.Caching);
        var sluice = new IoTarget(IoSide.Sluice, options);
        var dotNet = new IoTarget(IoSide.Bcl, options);
        return new Contest(Side("Sluice", sluice), Side(BenchTable.DotNetName, dotNet), [sluice, dotNet, .. owned]);

        Contender Side(string name, IoTarget target) =>
            new(name, loop(target)) { Loops = depth, Prepare = prepare is null ? null : () => prepare(target) };
    }

    /// <summary>Returns the options to open the direct file for asynchronous direct I/O.</summary>
    public static TargetOptions Direct(BenchContext context, FileAccess access) =>
        new(context.DirectFile, FileMode.Open, access) { Asynchronous = true, Caching = FileCaching.Direct };

    private static Row DirectRead(string prefix, int depth, string why) => new(
        $"{prefix}-d{depth}", $"direct 4 KiB random read, depth {depth}", why, context => OpenDirectRead(context, depth))
    {
        IsRequest = true,
        Fio = new FioJob("randread", PageBytes, depth),
    };

    private static Row DirectReadManyThreads(int depth)
    {
        const int Threads = 64;
        return new Row($"direct-read-4k-d{depth}-t{Threads}", $"direct read, depth {depth}, {Threads} pool threads",
            "as it comes, the pool lets few of .NET's blocking reads run at once; with ThreadPool.SetMinThreads it is a stronger peer",
            context =>
            {
                // This is checked before the pool is changed.
                DirectIo.Require(context.DirectFile, FileCaching.Direct);
                return OpenDirectRead(context, depth, new PoolThreads(Threads));
            })
        {
            IsRequest = true,
        };
    }

    public static Contest OpenDirectRead(BenchContext context, int depth, params IDisposable[] owned) => Pair(
        Direct(context, FileAccess.Read), side => Loops.AtRandom(side, depth, PageBytes, context.Scale.DirectFileBytes), depth, owned: owned);

    private static Row DirectOverwrite(int depth) => new(
        $"direct-write-4k-d{depth}", $"direct 4 KiB overwrite, depth {depth}", "WriteAsync at random offsets, past the page cache",
        context => Pair(
            Direct(context, FileAccess.ReadWrite),
            side => Loops.AtRandom(side, depth, PageBytes, context.Scale.DirectFileBytes, writes: true), depth))
    {
        IsRequest = true,
        Fio = new FioJob("randwrite", PageBytes, depth),
    };

    private static Row BufferedAppend(int requestSizeBytes, string size) => new(
        $"append-{size}-async", $"append {ByteSize.Format(requestSizeBytes)} WriteAsync", "a growing file, written through the page cache",
        context => Pair(
            new TargetOptions(context.ScratchFile("append.dat"), FileMode.OpenOrCreate, FileAccess.ReadWrite) { Asynchronous = true },
            side => Loops.AppendAsync(side, requestSizeBytes, context.Scale.AppendLimitBytes),
            prepare: side => RandomAccess.SetLength(side.SafeFileHandle, 0)))
    {
        BytesPerOperation = _ => requestSizeBytes,
        Fills = PageCacheFill.ForSlice,
    };

    private static Row BufferedOverwrite(int requestSizeBytes, string size) => Hot(
        $"overwrite-{size}-async", $"hot {ByteSize.Format(requestSizeBytes)} WriteAsync overwrite", "pages that are in the cache already",
        requestSizeBytes, asynchronous: true, writes: true) with
    {
        BytesPerOperation = _ => requestSizeBytes,
    };

    /// <summary>Creates a row of one loop at random offsets of a file in the page cache.</summary>
    private static Row Hot(string id, string name, string why, int requestSizeBytes, bool asynchronous, bool writes) => new(
        id, name, why, context => Pair(
            new TargetOptions(context.HotFile, FileMode.Open, writes ? FileAccess.ReadWrite : FileAccess.Read)
            {
                Asynchronous = asynchronous,
            },
            side => Loops.AtRandom(side, 1, requestSizeBytes, context.Scale.HotFileBytes, writes)));

    private static Contest OpenHotReadWithSynchronousPeer(BenchContext context)
    {
        var options = new TargetOptions(context.HotFile, FileMode.Open, FileAccess.Read) { Asynchronous = true };
        var synchronous = new IoTarget(IoSide.Bcl, options with { Asynchronous = false });
        Contest contest = Pair(options, Loop, owned: synchronous);
        return new Contest(contest.Sluice, contest.DotNet, contest) { Second = new Contender("RandomAccess.Read", Loop(synchronous)) };

        Func<Slice, Task> Loop(IoTarget side) => Loops.AtRandom(side, 1, PageBytes, context.Scale.HotFileBytes);
    }

    private static Contest OpenColdRead(BenchContext context)
    {
        const int Depth = 32;
        var options = new TargetOptions(context.DirectFile, FileMode.Open, FileAccess.Read) { Asynchronous = true };
        return Pair(
            options, side => Loops.AtRandom(side, Depth, PageBytes, context.Scale.DirectFileBytes), Depth,
            _ => BenchContext.DropCache(context.DirectFile));
    }

    private static Contest OpenReadBatch(BenchContext context)
    {
        DirectIo.Require(context.DirectFile, FileCaching.Direct);
        SluiceHandle sluice = Open();
        SluiceHandle dotNet = Open();
        Memory<byte>[] buffers = Loops.Buffers(BatchSize, PageBytes);
        var requests = new ReadRequest[BatchSize];
        var tasks = new Task<int>[BatchSize];
        return new Contest(ReadBatch, ReadAllAsync, sluice, dotNet);

        SluiceHandle Open() => SluiceHandle.Open(context.DirectFile, options: FileOptions.Asynchronous, caching: FileCaching.Direct);

        long Next() => Loops.RandomOffset(context.Scale.DirectFileBytes, PageBytes);

        Task ReadBatch(Slice slice)
        {
            do
            {
                for (int i = 0; i < BatchSize; i++)
                    requests[i] = new ReadRequest(Next(), buffers[i]);
                sluice.ReadBatch(requests);
                slice.Count(0, BatchSize);
            }
            while (!slice.IsOver);
            return Task.CompletedTask;
        }

        async Task ReadAllAsync(Slice slice)
        {
            do
            {
                for (int i = 0; i < BatchSize; i++)
                    tasks[i] = RandomAccess.ReadAsync(dotNet.SafeFileHandle, buffers[i], Next()).AsTask();
                await Task.WhenAll(tasks);
                slice.Count(0, BatchSize);
            }
            while (!slice.IsOver);
        }
    }

    private static Contest OpenScatter(BenchContext context)
    {
        string path = context.HotFile;
        SluiceHandle sluice = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        SafeFileHandle dotNet = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        IReadOnlyList<Memory<byte>> segments = Loops.Buffers(SegmentCount, SegmentBytes);
        return new Contest(
            slice => Loops.Repeat(slice, _ => sluice.Read(segments, Next())),
            slice => Loops.Repeat(slice, _ => RandomAccess.Read(dotNet, segments, Next())), sluice, dotNet);

        long Next() => Loops.RandomOffset(context.Scale.HotFileBytes, (int)TransferBytes);
    }

    private static Contest OpenThreadsAppend(BenchContext context)
    {
        const int Threads = 64;
        const int RecordBytes = 200;
        string path = context.ScratchFile("log.dat");
        SluiceHandle sluice = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write, FileShare.ReadWrite);
        SafeFileHandle dotNet = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        Memory<byte>[] records = Loops.Buffers(Threads, RecordBytes);
        var gate = new Lock();
        long end = 0;
        return new Contest(
            Side("Sluice", thread => sluice.Append(records[thread].Span)), Side(BenchTable.DotNetName, AppendUnderLock), sluice, dotNet);

        Contender Side(string name, Action<int> append) => Loops.Threads(name, Threads, append, () =>
        {
            RandomAccess.SetLength(dotNet, 0);
            end = 0;
        });

        void AppendUnderLock(int thread)
        {
            lock (gate)
            {
                RandomAccess.Write(dotNet, records[thread].Span, end);
                end += RecordBytes;
            }
        }
    }

    /// <summary>Creates a contest that starts this tool repeatedly as a new process, which opens a file and reads 4 KiB.</summary>
    public static Contest OpenFirstOpen(BenchContext context)
    {
        try
        {
            _ = FirstOpen.Measure("sluice", context.HotFile);
        }
        catch (IOException e)
        {
            throw new RowSkippedException("this tool cannot be started anew here", e);
        }
        return new Contest(
            FirstOpen.Side("Sluice", "sluice", context.HotFile), FirstOpen.Side(BenchTable.DotNetName, "dotnet", context.HotFile));
    }
}
