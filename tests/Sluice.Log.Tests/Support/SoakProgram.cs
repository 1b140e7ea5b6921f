using System.Diagnostics;
using Sluice.Tests.Shared;

namespace Sluice.Log.Tests.Support;

/// <summary>
/// Works on a log in rounds: one log stays open all the while, another is opened and closed in each round. After each round descriptors,
/// threads and memory must be what they were, and every record that is kept must be there.
/// </summary>
internal static class SoakProgram
{
    private const int Threads = 8;
    private const int FewRecords = 200;
    private const int ManyRecords = 2000;
    private const int FirstRounds = 3;
    private const long MoreMemory = 8 * 1024 * 1024;

    /// <summary>The folder, log.lock, log.state, the segment that is written and the next one.</summary>
    private const int MaxDescriptors = 5;

    /// <summary>The threads that all logs share.</summary>
    private const int MaxLogThreads = 4;

    private static readonly SluiceLogOptions s_options = new()
    {
        SegmentBytes = 1024 * 1024,
        MaxRecordBytes = 16 * 1024,
        BufferBytes = 256 * 1024,
        RetainSegments = 12,
    };

    public static int Run(string directory, int minutes)
    {
        Stopwatch time = Stopwatch.StartNew();
        string kept = Path.Combine(directory, "kept");
        string opened = Path.Combine(directory, "opened");
        using SluiceLog log = SluiceLog.Open(kept, s_options);
        long memory = 0;
        for (int round = 1; round <= FirstRounds + 2 || time.Elapsed.TotalMinutes < minutes; round++)
        {
            Work(log, round, minutes > 0 ? ManyRecords : FewRecords);
            using (SluiceLog another = SluiceLog.Open(opened, s_options))
            {
                Work(another, round, minutes > 0 ? ManyRecords : FewRecords);
            }

            // A thread that was waited for is in /proc for a moment more; what leaks stays for ever.
            (string[] own, int others, string[] threads) = ([], 0, []);
            SpinWait.SpinUntil(
                () =>
                {
                    (own, others, threads) = ([.. OpenFiles.Of(kept)], OpenFiles.Of(opened).Count, LogThreads());
                    return own.Length <= MaxDescriptors && others == 0 && threads.Length <= MaxLogThreads;
                },
                TimeSpan.FromMinutes(2));
            long bytes = GC.GetTotalMemory(forceFullCollection: true);
            Console.WriteLine($"{round} {time.Elapsed.TotalSeconds:0} s: {own.Length} descriptors, {threads.Length} threads, "
                + $"{bytes >> 10} KiB, "
                + $"{Environment.WorkingSet >> 20} MiB resident, {log.NextSequence - 1} records");
            if (round == FirstRounds)
            {
                memory = bytes;
            }

            string? wrong = others != 0 ? $"{others} descriptors of a closed log"
                : threads.Length > MaxLogThreads ? $"threads: {string.Join(", ", threads)}"
                : round > FirstRounds && bytes > memory + MoreMemory ? $"{bytes} bytes, after {memory}"
                : own.Length > MaxDescriptors ? $"descriptors of the log that is open: {string.Join(", ", own)}"
                : log.LastError is { } error ? error.ToString()
                : null;
            if (wrong is not null)
            {
                Console.WriteLine($"round {round}: {wrong}");
                return 1;
            }
        }

        return 0;
    }

    /// <summary>Threads and tasks append, a reader follows, and drops and reads back what is kept.</summary>
    private static void Work(SluiceLog log, int round, int recordsOfAThread)
    {
        long first = log.NextSequence;
        long total = (long)Threads * recordsOfAThread * 2;
        using SluiceLogReader follower = new(
            log.Directory, new SluiceLogReaderOptions { FromEnd = true, UpTo = LogDurability.Written, SkipDamage = true });
        Task<long> following = Task.Run(async () =>
        {
            long last = first - 1;
            await foreach (SluiceLogRecord record in follower.FollowAsync())
            {
                // It may be overtaken by what is not kept; never the other way round.
                record.Sequence.ShouldBeGreaterThan(last);
                last = record.Sequence;
                _ = Records.Check(record.Bytes.Span);
                if (last == first + total - 1)
                {
                    break;
                }
            }

            return last;
        });
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(t => new Thread(() =>
        {
            for (int i = 0; i < recordsOfAThread; i++)
            {
                log.Append(Records.Make(t, i, (i * 37) % 900), (i % 200) switch
                {
                    0 => LogDurability.Durable,
                    < 100 => LogDurability.Written,
                    _ => LogDurability.Buffered,
                });
            }
        }))];
        Task[] tasks = [.. Enumerable.Range(Threads, Threads).Select(t => Task.Run(async () =>
        {
            for (int i = 0; i < recordsOfAThread; i++)
            {
                await log.AppendAsync(Records.Make(t, i, (i * 37) % 900), i % 2 == 0 ? LogDurability.Written : LogDurability.Buffered);
            }
        }))];
        Array.ForEach(threads, static t => t.Start());
        Array.ForEach(threads, static t => t.Join());
        Task.WaitAll(tasks);
        log.Flush(LogDurability.Durable);
        following.GetAwaiter().GetResult().ShouldBe(first + total - 1);
        if (round % 5 == 0)
        {
            log.TruncateAfter(first + total - 101);
        }

        (long sequence, int count) = (0, 0);
        using SluiceLogReader reader = new(
            log.Directory, new SluiceLogReaderOptions { UpTo = LogDurability.Written, SkipDamage = true });
        foreach (LogEntry entry in reader.Entries)
        {
            // What is not kept may still be on its way out.
            entry.Sequence.ShouldBeGreaterThan(sequence);
            sequence = entry.Sequence;
            _ = Records.Check(entry.Bytes);
            count++;
        }

        reader.Damage.ShouldAllBe(static d => d.Reason.Contains("removed before it was read", StringComparison.Ordinal));
        sequence.ShouldBe(log.NextSequence - 1);
        count.ShouldBeGreaterThan(1000);
    }

    private static string[] LogThreads() =>
    [
        .. Directory.GetDirectories("/proc/self/task").Select(NameOf)
            .Where(static n => n.StartsWith("Sluice log", StringComparison.Ordinal)),
    ];

    private static string NameOf(string thread)
    {
        try
        {
            return File.ReadAllText(Path.Combine(thread, "comm")).Trim();
        }
        catch (IOException)
        {
            // It has ended since it was listed.
            return "";
        }
    }
}
