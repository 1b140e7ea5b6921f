namespace Sluice.Cli.Bench.Logs;

/// <summary>Rows that compare SluiceLog with a lock around a FileStream at each durability, and rows that read and open logs.</summary>
internal static class LogSuite
{
    public const int RecordBytes = 200;
    private const int ManyThreads = 100;

    public static Suite Create() => new("log", 2, static scale => scale.SliceTime, [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        foreach (Row row in (Row[])[Buffered(), Written(), WrittenByTasks()])
            yield return row with { Fills = PageCacheFill.ForSlice };
        foreach (int threads in (int[])[1, 8, 64, ManyThreads])
            yield return Durable(threads);
        yield return ReadBack();
    }

    private static Row Buffered() => new(
        "log-buffered-t1", "append 200 B, one thread, buffered",
        "a logger's fast path, what is in memory at the end written too; .NET: FileStream.Write",
        context =>
        {
            LogSide log = new(context, LogDurability.Buffered);
            LockSide locked = new(context, "locked.dat", flushes: false, flushToDisk: false);
            return new Contest(
                new Contender("Sluice", slice => Finish(slice, log.Append, log.Finish)) { Prepare = log.Renew },
                new Contender(".NET", slice => Finish(slice, locked.WriteUnlocked, locked.Finish)) { Prepare = locked.Renew },
                log, locked);
        });

    private static Row Written() => new(
        $"log-written-t{ManyThreads}", $"append 200 B, {ManyThreads} threads, written",
        $"each append returns when the operating system has the record; .NET: lock, FileStream.Write and Flush",
        context =>
        {
            LogSide log = new(context, LogDurability.Written);
            LockSide flushed = new(context, "flushed.dat", flushes: true, flushToDisk: false);
            LockSide buffered = new(context, "buffered.dat", flushes: false, flushToDisk: false);
            return new Contest(Loops.Threads("Sluice", ManyThreads, _ => log.Append(), log.Renew), Threads(ManyThreads, flushed), log, flushed, buffered)
            {
                Second = Threads(ManyThreads, buffered) with { Name = "lock without Flush" },
            };
        });

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
                Threads(ManyThreads, flushed), log, flushed);
        });

    private static Row Durable(int threads) => new(
        $"log-durable-t{threads}", $"append 200 B, {threads} {(threads == 1 ? "thread" : "threads")}, durable",
        "each append returns when the record is on the disk; .NET: lock, FileStream.Write and Flush(true)",
        context => OpenDurable(context, threads))
    {
        Fio = new FioJob("write", RecordBytes, 1) { IsDurable = true },
    };

    /// <summary>Compares durable appends by several threads. Each append returns when its record is on the disk.</summary>
    public static Contest OpenDurable(BenchContext context, int threads)
    {
        LogSide log = new(context, LogDurability.Durable);
        LockSide locked = new(context, "synced.dat", flushes: true, flushToDisk: true);
        return new Contest(Loops.Threads("Sluice", threads, _ => log.Append(), log.Renew), Threads(threads, locked), log, locked)
            .Checked(slice => log.Verify(slice.Operations), slice => locked.Verify(slice.Operations));
    }

    private static Contender Threads(int threads, LockSide side) => Loops.Threads(".NET", threads, _ => side.Append(), side.Renew);

    private static Row ReadBack() => new(
        "log-read", "read back, checked, hot", "every frame's sum is right; .NET: BinaryReader over records with a length, unchecked",
        static context =>
        {
            (string directory, string plain) = (context.KeptPath("log-made"), context.KeptPath("log-plain.dat"));
            byte[] record = new byte[RecordBytes];
            using (SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions { Durability = LogDurability.Buffered }))
            using (BinaryWriter writer = new(File.Create(plain)))
            {
                for (long left = context.Scale.LogFileBytes; left > 0; left -= RecordBytes + sizeof(int))
                {
                    log.Append(record);
                    writer.Write(record.Length);
                    writer.Write(record);
                }
            }
            return Contest.Passes(() => Read(directory), () => ReadPlain(plain), countUnits: true);
        })
    {
        BytesPerOperation = static _ => RecordBytes,
    };

    private static long Read(string directory)
    {
        long records = 0;
        using SluiceLogReader reader = new(directory);
        foreach (LogEntry entry in reader.Entries)
            records += entry.Bytes.Length == RecordBytes ? 1 : 0;
        return records;
    }

    private static long ReadPlain(string path)
    {
        long records = 0;
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, 64 * 1024);
        using BinaryReader reader = new(file);
        Span<byte> record = stackalloc byte[RecordBytes];
        while (file.Position < file.Length)
        {
            reader.BaseStream.ReadExactly(record[..reader.ReadInt32()]);
            records++;
        }
        return records;
    }

    /// <summary>Appends until the slice ends, and then writes the records that are still in memory, as part of the measured time.</summary>
    private static Task Finish(Slice slice, Action append, Action finish)
    {
        Task appended = Loops.Repeat(slice, _ => append());
        finish();
        return appended;
    }
}
