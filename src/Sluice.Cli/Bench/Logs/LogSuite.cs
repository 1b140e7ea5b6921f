using System.Diagnostics;
using Sluice.Cli.Load;

namespace Sluice.Cli.Bench.Logs;

/// <summary>SluiceLog against a lock around a FileStream, at each durability; reading back and opening after a crash.</summary>
internal static class LogSuite
{
    public const int RecordBytes = 200;
    private const int ManyThreads = 100;

    /// <summary>Whoever comes while a sync runs waits for its end, and for the next one; a third is for what comes between.</summary>
    private const double SyncsOfTail = 3;

    public static Suite Create() => new(
        "log", "SluiceLog against a lock around a FileStream: records of 200 B, by durability and threads", "3 minutes",
        scale => scale.SliceTime,
        static scale => new SuiteSpace(4 * scale.AppendLimitBytes, ("log-made", scale.LogFileBytes), ("log-plain.dat", scale.LogFileBytes)),
        [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        yield return Buffered().FillingForSlice();
        yield return Written().FillingForSlice();
        yield return WrittenByTasks().FillingForSlice();
        foreach (int threads in (int[])[1, 8, 64])
            yield return Durable(threads, new RowTarget { MaxAllocatedBytes = 0 });
        yield return Durable(ManyThreads, new RowTarget { MinRatio = 40, MaxAllocatedBytes = 0 });
        yield return DurableTail();
        yield return LogReadRows.ReadBack();
        yield return LogReadRows.OpenAfterCrash();
    }

    private static Row Buffered() => new(
        "log-buffered-t1", "append 200 B, one thread, buffered",
        "a logger's fast path, what is in memory at the end written too; .NET: FileStream.Write",
        context =>
        {
            LogSide log = new(context, LogDurability.Buffered);
            LockSide locked = new(context, "locked.dat", flushes: false, flushToDisk: false);
            return new Contest(
                new Contender("Sluice", slice => Finish(Loops.Repeat(slice, _ => log.Append()), log.Finish)) { Prepare = log.Renew },
                new Contender(".NET", slice => Finish(Loops.Repeat(slice, _ => locked.WriteUnlocked()), locked.Finish))
                {
                    Prepare = locked.Renew,
                },
                log, locked);
        })
    {
        Target = new RowTarget { MinRatio = 1, MaxNanoseconds = 60, MaxAllocatedBytes = 0 },
    };

    private static Row Written() => new(
        $"log-written-t{ManyThreads}", $"append 200 B, {ManyThreads} threads, written",
        $"each append returns when the operating system has the record; .NET: lock, FileStream.Write and Flush",
        context =>
        {
            LogSide log = new(context, LogDurability.Written);
            LockSide flushed = new(context, "flushed.dat", flushes: true, flushToDisk: false);
            LockSide buffered = new(context, "buffered.dat", flushes: false, flushToDisk: false);
            return new Contest(Threads("Sluice", ManyThreads, log), Threads(".NET", ManyThreads, flushed), log, flushed, buffered)
            {
                Second = Threads("lock without Flush", ManyThreads, buffered),
            };
        })
    {
        Target = new RowTarget { MinRatio = 20, MinSecondRatio = 2, MaxAllocatedBytes = 0 },
    };

    private static Row WrittenByTasks() => new(
        $"log-written-c{ManyThreads}", $"append 200 B, {ManyThreads} tasks, written",
        "AppendAsync, where nobody's thread waits; .NET: the same lock and Flush in each task",
        context =>
        {
            LogSide log = new(context, LogDurability.Written);
            LockSide flushed = new(context, "flushed.dat", flushes: true, flushToDisk: false);
            return new Contest(
                new Contender("Sluice", slice => Loops.RunLoops(ManyThreads, loop => log.AppendAsync(slice, loop)))
                {
                    Loops = ManyThreads,
                    Prepare = log.Renew,
                },
                Threads(".NET", ManyThreads, flushed), log, flushed);
        })
    {
        Target = new RowTarget { MinRatio = 1, MaxAllocatedBytes = 0 },
    };

    private static Row Durable(int threads, RowTarget target) => new(
        $"log-durable-t{threads}", $"append 200 B, {threads} {(threads == 1 ? "thread" : "threads")}, durable",
        "each append returns when the record is on the disk; .NET: lock, FileStream.Write and Flush(true)",
        context => OpenDurable(context, threads))
    {
        Target = target,
        Fio = new FioJob("write", RecordBytes, 1) { IsDurable = true },
    };

    /// <summary>Records that so many threads append, each of which returns when its record is on the disk.</summary>
    public static Contest OpenDurable(BenchContext context, int threads)
    {
        LogSide log = new(context, LogDurability.Durable);
        LockSide locked = new(context, "synced.dat", flushes: true, flushToDisk: true);
        return new Contest(Threads("Sluice", threads, log), Threads(".NET", threads, locked), log, locked)
            .Checked(slice => log.Verify(slice.Operations), slice => locked.Verify(slice.Operations));
    }

    private static Row DurableTail() => new(
        $"log-durable-t{ManyThreads}-p99", $"append 200 B, {ManyThreads} threads, durable, p99, beside one sync",
        "the slowest in a hundred appends; .NET: a thread alone, FileStream.Write and Flush(true); rates are one over these times",
        context =>
        {
            LogSide log = new(context, LogDurability.Durable);
            LockSide alone = new(context, "alone.dat", flushes: true, flushToDisk: true);
            return new Contest(
                new Contender("Sluice", slice => TailAsync(slice, log)) { Loops = ManyThreads, Prepare = log.Renew },
                Threads(".NET", 1, alone), log, alone);
        })
    {
        Target = new RowTarget { MinRatio = 1 / SyncsOfTail },
    };

    private static async Task TailAsync(Slice slice, LogSide log)
    {
        const double percent = 99;
        LatencyHistogram histogram = new();
        await Loops.OnThreads(ManyThreads, _ =>
        {
            long began = Stopwatch.GetTimestamp();
            log.Append();
            histogram.Record((long)Stopwatch.GetElapsedTime(began).TotalNanoseconds);
        })(slice);
        slice.Elapsed = TimeSpan.FromMicroseconds(histogram.Percentile(percent) / 1000.0) * slice.Operations;
    }

    private static Contender Threads(string name, int threads, ILogSide side) => new(name, Loops.OnThreads(threads, _ => side.Append()))
    {
        Loops = threads,
        Prepare = side.Renew,
    };

    /// <summary>What is still in memory at the end belongs to the slice.</summary>
    private static async Task Finish(Task loop, Action finish)
    {
        await loop;
        finish();
    }
}
