using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Handles;

/// <summary>SluiceHandle against RandomAccess: direct, hot, cold, appended, gathered, batched, opened.</summary>
internal static class HandleSuite
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int BlockBytes = (int)(64 * ByteSize.KiB);

    public static Suite Create() => new(
        "handle", "SluiceHandle against RandomAccess on one open file", 5, static scale => scale.SliceTime, [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        yield return DirectRead(1);
        yield return DirectRead(4);
        yield return DirectRead(32);
        yield return DirectRead(128);
        yield return DirectOverwrite(1);
        yield return DirectOverwrite(32);
        yield return new Row("hot-read-4k-async", "hot 4 KiB ReadAsync",
            "one loop: data in the page cache must not cost a thread hop", OpenHotReadWithSynchronousPeer);
        yield return new Row("hot-read-64k-async", "hot 64 KiB ReadAsync", "one loop: copying dominates, the hop still costs CPU",
            context => HotContest(context, asynchronous: true, FileAccess.Read, (target, offsets) =>
                Loops.Read(target, 1, BlockBytes, offsets), BlockBytes));
        yield return new Row("cold-read-4k-d32", "cold 4 KiB random read, depth 32",
            "buffered ReadAsync: page-cache misses of many callers at once", OpenColdRead)
        {
            IsRequest = true,
        }.FillingForSlice();
        yield return BufferedAppend(PageBytes, "4k").FillingForSlice();
        yield return BufferedOverwrite(PageBytes, "4k");
        yield return BufferedAppend(BlockBytes, "64k").FillingForSlice();
        yield return BufferedOverwrite(BlockBytes, "64k");
        yield return new Row("sync-read-4k", "hot 4 KiB Read", "synchronous: the plain call must cost no more than .NET's",
            context => HotContest(context, asynchronous: false, FileAccess.Read, (target, offsets) =>
                Loops.Read(target, 1, PageBytes, offsets), PageBytes));
        yield return new Row("sync-write-4k", "hot 4 KiB Write", "synchronous: the plain call must cost no more than .NET's",
            context => HotContest(context, asynchronous: false, FileAccess.ReadWrite, (target, offsets) =>
                Loops.Write(target, 1, PageBytes, offsets), PageBytes));
        yield return BatchRows.DirectReadBatch();
        yield return VectorRows.Scatter();
        yield return VectorRows.Gather().FillingForSlice();
        yield return HandleFileRows.ThreadsAppend().FillingForSlice();
        yield return HandleFileRows.OpenClose();
        foreach (int us in (int[])[50, 200, 1000])
        {
            yield return NeighbourRows.Neighbour(us, isMedian: true);
            yield return NeighbourRows.Neighbour(us, isMedian: false);
        }
        foreach (int us in (int[])[20, 100, 500])
            yield return NeighbourRows.Working(us);
        foreach (int loops in (int[])[1, 2, 4])
            yield return EngineRows.Alone(loops, "engine-alone");
        yield return HandleFileRows.FirstOpen();
        // Last, because the pool gives up its threads only slowly, and the rows above are about the pool as it comes.
        yield return DirectReadManyThreads(32);
        yield return DirectReadManyThreads(128);
    }

    /// <summary>Both sides on the same file, opened alike.</summary>
    public static Contest Pair(
        TargetOptions options, Func<IoTarget, Func<Slice, Task>> loop, int depth = 1, Action<IoTarget>? prepare = null,
        params IDisposable[] owned)
    {
        try
        {
            DirectIo.Require(options.Path, options.Caching);
        }
        catch (RowSkippedException)
        {
            foreach (IDisposable resource in owned)
                resource.Dispose();
            throw;
        }
        IoTarget sluice = IoTarget.Open(IoSide.Sluice, options);
        IoTarget dotNet = IoTarget.Open(IoSide.Bcl, options);
        return new Contest(Side("Sluice", sluice), Side(".NET", dotNet), [sluice, dotNet, .. owned]);

        Contender Side(string name, IoTarget target) =>
            new(name, loop(target)) { Loops = depth, Prepare = prepare is null ? null : () => prepare(target) };
    }

    private static Row DirectRead(int depth) => DirectRead(
        "direct-read-4k", depth,
        depth == 1 ? "ReadAsync, one loop: the latency of one read" : "ReadAsync in so many loops: threads run out, rings do not");

    public static Row DirectRead(string prefix, int depth, string why) => new(
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
            context => OpenDirectRead(context, depth, new PoolThreads(Threads)))
        {
            IsRequest = true,
        };
    }

    public static Contest OpenDirectRead(BenchContext context, int depth, params IDisposable[] owned)
    {
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, depth);
        return Pair(Direct(context, FileAccess.Read), side => Loops.Read(side, depth, PageBytes, offsets), depth, owned: owned);
    }

    private static Row DirectOverwrite(int depth) => new(
        $"direct-write-4k-d{depth}", $"direct 4 KiB overwrite, depth {depth}", "WriteAsync at random offsets, past the page cache",
        context =>
        {
            RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, depth);
            return Pair(Direct(context, FileAccess.ReadWrite), side => Loops.Write(side, depth, PageBytes, offsets), depth);
        })
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
    };

    private static Row BufferedOverwrite(int requestSizeBytes, string size) => new(
        $"overwrite-{size}-async", $"hot {ByteSize.Format(requestSizeBytes)} WriteAsync overwrite", "pages that are in the cache already",
        context => HotContest(
            context, asynchronous: true, FileAccess.ReadWrite, (side, offsets) => Loops.Write(side, 1, requestSizeBytes, offsets),
            requestSizeBytes))
    {
        BytesPerOperation = _ => requestSizeBytes,
    };

    private static Contest OpenHotReadWithSynchronousPeer(BenchContext context)
    {
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.HotFileBytes, PageBytes);
        var options = new TargetOptions(context.HotFile, FileMode.Open, FileAccess.Read) { Asynchronous = true };
        IoTarget sluice = IoTarget.Open(IoSide.Sluice, options);
        IoTarget dotNet = IoTarget.Open(IoSide.Bcl, options);
        IoTarget synchronous = IoTarget.Open(IoSide.Bcl, options with { Asynchronous = false });
        return new Contest(
            Loops.Read(sluice, 1, PageBytes, offsets), Loops.Read(dotNet, 1, PageBytes, offsets), prepare: null,
            sluice, dotNet, synchronous)
        {
            Second = new Contender("RandomAccess.Read", Loops.Read(synchronous, 1, PageBytes, offsets)),
        };
    }

    private static Contest OpenColdRead(BenchContext context)
    {
        const int Depth = 32;
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, Depth);
        var options = new TargetOptions(context.DirectFile, FileMode.Open, FileAccess.Read) { Asynchronous = true };
        return Pair(options, side => Loops.Read(side, Depth, PageBytes, offsets), Depth, side => PageCache.Drop(side.SafeFileHandle));
    }

    private static Contest HotContest(
        BenchContext context, bool asynchronous, FileAccess access, Func<IoTarget, RandomOffsets, Func<Slice, Task>> loop,
        int requestSizeBytes)
    {
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.HotFileBytes, requestSizeBytes);
        return Pair(
            new TargetOptions(context.HotFile, FileMode.Open, access) { Asynchronous = asynchronous }, side => loop(side, offsets));
    }

    /// <summary>The direct file, opened for asynchronous transfers past the page cache.</summary>
    public static TargetOptions Direct(BenchContext context, FileAccess access) =>
        new(context.DirectFile, FileMode.Open, access) { Asynchronous = true, Caching = FileCaching.Direct };
}
