using System.Collections.Concurrent;
using System.IO.Compression;
using System.Runtime.ExceptionServices;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// A program that logs each exception where it is thrown, to the log that it comes from: also on the log's own threads, which have what
/// others wait for.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class HandlerTests : IDisposable
{
    private const int ENOSPC = 28;
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>Whoever appends waits for the segment that is being made; who makes it has no space, and would wait for that one.</summary>
    [SkippableTheory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void Who_makes_a_segment_does_not_wait_for_who_waits_for_it(LogDurability durability)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        Exception? refusal = null;
        Exception? error = null;
        int appended = 0;
        using ManualResetEventSlim isMaking = new();
        Thread appending = new(() => error = Record.Exception(() =>
        {
            for (; appended < 20; appended++)
            {
                log.Append(Records.Make(0, appended, 900));
                if (appended == 2)
                {
                    // More than half of a segment: the next one is asked for.
                    isMaking.Wait(Patience).ShouldBeTrue();
                }
            }
        }))
        { IsBackground = true };
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call != "openat" || Thread.CurrentThread.Name is not ("Sluice log maker" or "Sluice log keeper") || isMaking.IsSet)
            {
                return 0;
            }

            isMaking.Set();
            SpinWait.SpinUntil(() => (appending.ThreadState & ThreadState.WaitSleepJoin) != 0 && appended > 2, Patience).ShouldBeTrue();
            return -ENOSPC;
        });
        void Tell(object? sender, FirstChanceExceptionEventArgs e)
        {
            if (e.Exception is IOException { HResult: ENOSPC } && refusal is null)
            {
                refusal = Record.Exception(() => log.Append(Records.Make(8, 0, 30), durability));
                log.Append(Records.Make(7, 0, 30), LogDurability.Buffered);
            }
        }

        AppDomain.CurrentDomain.FirstChanceException += Tell;
        try
        {
            appending.Start();
            appending.Join(Patience).ShouldBeTrue("the appends have not ended");
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Tell;
        }

        // Not where they have not ended: nothing would.
        error.ShouldBeNull();
        refusal.ShouldBeOfType<IOException>();
        log.Dispose();
        (int Writer, int Number)[] records = [.. Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes))];
        records.Where(static r => r.Writer == 0).Select(static r => r.Number).ShouldBe(Enumerable.Range(0, 20));
        records.ShouldContain((7, 0));
        records.ShouldNotContain(static r => r.Writer == 8);
    }

    /// <summary>
    /// Nobody waits for who compresses, but where it gives a file its name: appends from its thread are taken, also those that wait; only
    /// what would end that thread is refused.
    /// </summary>
    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void Who_compresses_may_append_and_wait(LogFormat format)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        ConcurrentDictionary<string, Exception?> outcomes = new();
        Exception? closing = null;
        SluiceLog? log = null;
        using ManualResetEventSlim isOpen = new();
        using ManualResetEventSlim isDone = new();
        log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            Format = format,
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            Compression = CompressionLevel.Fastest,
            CompressionStep = step =>
            {
                if (isDone.IsSet || !isOpen.Wait(Patience))
                {
                    return;
                }

                foreach (LogDurability durability in (LogDurability[])[LogDurability.Written, LogDurability.Durable])
                {
                    outcomes[$"{step} {durability}"] = Record.Exception(() => log!.Append(Records.Make(8, 0, 30), durability));
                }

                closing = Record.Exception(() => log!.Dispose());
                if (step == "removed")
                {
                    isDone.Set();
                }
            },
        });
        isOpen.Set();
        for (int i = 0; i < 20; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        isDone.Wait(Patience).ShouldBeTrue($"not one segment was compressed: {log.LastError}");
        log.Dispose();
        closing.ShouldBeOfType<IOException>();
        string[] refused = [.. outcomes.Where(static o => o.Value is not null).Select(static o => o.Key).Order(StringComparer.Ordinal)];
        refused.ShouldBe(format == LogFormat.Raw ? [] : ["name Durable", "name Written", "named Durable", "named Written"]);
        outcomes.Count.ShouldBeGreaterThanOrEqualTo(12);
    }

    /// <summary>
    /// Writes that are cut short and then find no space, threads that are interrupted, and a handler that logs to the same log where each
    /// error is thrown: no record is torn, none comes twice, and all that were acknowledged are there in their writer's order.
    /// </summary>
    [SkippableTheory]
    [InlineData(LogFormat.Raw, 1)]
    [InlineData(LogFormat.Raw, 2)]
    [InlineData(LogFormat.Framed, 3)]
    public void No_record_is_torn_where_writes_are_cut_threads_interrupted_and_errors_logged(LogFormat format, int seed)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        const int threads = 4;
        const int each = 300;
        using TempFolder folder = new(isInMemory: true);
        List<string>[] acknowledged = [.. Enumerable.Range(0, threads).Select(static _ => new List<string>())];
        int told = 0;
        int cut = 0;
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.With(format)))
        {
            Random random = new(seed);
            SystemCallFaults.Use((call, _, length) =>
            {
                if (call is not ("write" or "pwrite") || length < 60)
                {
                    return 0;
                }

                lock (random)
                {
                    int kind = random.Next(8);
                    cut += kind == 0 ? 1 : 0;
                    return kind == 0 ? random.NextInt64(1, length) : kind is 1 or 2 ? -ENOSPC : 0;
                }
            });
            void Tell(object? sender, FirstChanceExceptionEventArgs e)
            {
                if (e.Exception is IOException { HResult: ENOSPC })
                {
                    int number = Interlocked.Increment(ref told);
                    _ = Record.Exception(() => log.Append(Line(9, number), (LogDurability)(number % 2)));
                }
            }

            Thread[] appending = [.. Enumerable.Range(0, threads).Select(t => new Thread(() =>
            {
                for (int i = 0; i < each; i++)
                {
                    try
                    {
                        log.Append(Line(t, i), (LogDurability)(i % 2));
                        acknowledged[t].Add(Text(t, i));
                        Thread.Sleep(0);
                    }
                    catch (Exception e) when (e is IOException or ThreadInterruptedException)
                    {
                        // It may be there all the same.
                    }
                }
            }) { IsBackground = true })];
            AppDomain.CurrentDomain.FirstChanceException += Tell;
            try
            {
                Array.ForEach(appending, static t => t.Start());
                SpinWait.SpinUntil(
                    () =>
                    {
                        Array.ForEach(appending, static t => t.Interrupt());
                        return Array.TrueForAll(appending, static t => !t.IsAlive);
                    },
                    2 * Patience).ShouldBeTrue("the appends have not ended");
            }
            finally
            {
                AppDomain.CurrentDomain.FirstChanceException -= Tell;
                SystemCallFaults.Use(null);
            }
        }

        told.ShouldBeGreaterThan(0);
        cut.ShouldBeGreaterThan(0);
        IEnumerable<string> texts = format == LogFormat.Raw
            ? Directory.GetFiles(folder.Log).Order(StringComparer.Ordinal).SelectMany(File.ReadLines)
            : Records.ReadAll(folder.Log).Select(static r => System.Text.Encoding.ASCII.GetString(r.Bytes).TrimEnd('\n'));
        List<string> all = [.. texts];
        HashSet<string> whole = [.. Enumerable.Range(0, threads).SelectMany(static t => Enumerable.Range(0, each).Select(i => Text(t, i))),
            .. Enumerable.Range(1, told).Select(static i => Text(9, i))];
        all.ShouldAllBe(l => whole.Contains(l));
        all.Count.ShouldBe(all.Distinct().Count());
        for (int t = 0; t < threads; t++)
        {
            HashSet<string> own = [.. acknowledged[t]];
            all.Where(own.Contains).ShouldBe(acknowledged[t]);
        }
    }

    private static string Text(int writer, int number) => $"{writer} {number} {new string((char)('a' + writer), 20 + (number * 7 % 90))}.";

    private static byte[] Line(int writer, int number) => System.Text.Encoding.ASCII.GetBytes(Text(writer, number) + "\n");

    /// <summary>While a tail is dropped nobody gets a place, and this thread would wait for itself.</summary>
    [SkippableFact]
    public void What_is_logged_from_within_a_drop_that_fails_is_refused_and_holds_nobody_up()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        log.Append(Records.Make(0, 1, 100), LogDurability.Durable);
        Exception? error = null;
        List<Exception?> refusals = [];
        Thread dropping = new(() => error = Record.Exception(() => log.TruncateAfter(1))) { IsBackground = true };
        SystemCallFaults.Use((call, _, _) => Thread.CurrentThread == dropping && call == "fsync" ? -ENOSPC : 0);
        void Tell(object? sender, FirstChanceExceptionEventArgs e)
        {
            if (Thread.CurrentThread == dropping && e.Exception is IOException { HResult: ENOSPC } && refusals.Count == 0)
            {
                refusals.Add(Record.Exception(() => log.Append(Records.Make(8, 0, 30), LogDurability.Buffered)));
                refusals.Add(Record.Exception(() => log.AppendAsync(Records.Make(8, 1, 30), LogDurability.Buffered).AsTask().Wait()));
            }
        }

        AppDomain.CurrentDomain.FirstChanceException += Tell;
        try
        {
            dropping.Start();
            dropping.Join(Patience).ShouldBeTrue("the drop has not ended");
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Tell;
            SystemCallFaults.Use(null);
        }

        error.ShouldBeOfType<IOException>();
        refusals.Count.ShouldBe(2);
        refusals.ShouldAllBe(static e => e is IOException || e is AggregateException);
        log.Append(Records.Make(0, 2, 100), LogDurability.Durable);
        log.Dispose();
        Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes)).ShouldBe([(0, 0), (0, 1), (0, 2)]);
    }
}
