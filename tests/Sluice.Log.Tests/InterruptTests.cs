namespace Sluice.Log.Tests;

/// <summary>Thread.Interrupt, and closing, beside appends that wait.</summary>
public sealed class InterruptTests
{
    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void An_interrupted_append_still_says_what_became_of_its_record(LogDurability durability)
    {
        using TempFolder folder = new();
        const int threads = 8;
        const int each = 60;
        List<long>[] acknowledged = [.. Enumerable.Range(0, threads).Select(static _ => new List<long>())];
        int running = threads;
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            Thread[] appending = [.. Enumerable.Range(0, threads).Select(t => new Thread(() =>
            {
                for (int i = 0; i < each; i++)
                {
                    acknowledged[t].Add(log.Append(Records.Make(t, i, 40), durability));
                    try
                    {
                        // The interruption is kept for the thread's next wait.
                        Thread.Sleep(0);
                    }
                    catch (ThreadInterruptedException)
                    {
                    }
                }

                Interlocked.Decrement(ref running);
            }))];
            Array.ForEach(appending, static t => t.Start());
            SpinWait.SpinUntil(
                () =>
                {
                    Array.ForEach(appending, static t => t.Interrupt());
                    return Volatile.Read(ref running) == 0;
                },
                TimeSpan.FromMinutes(3)).ShouldBeTrue("the appends have not ended");

            Array.ForEach(appending, static t => t.JoinInTime());
        }

        Dictionary<long, byte[]> all = Records.ReadAll(folder.Log).ToDictionary(static r => r.Sequence, static r => r.Bytes);
        all.Count.ShouldBe(threads * each);
        for (int t = 0; t < threads; t++)
        {
            for (int i = 0; i < each; i++)
            {
                Records.Check(all[acknowledged[t][i]]).ShouldBe((t, i));
            }
        }
    }

    [Fact]
    public void Dropping_a_tail_waits_for_a_place_to_be_filled()
    {
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log);
        for (int i = 1; i <= 10; i++)
        {
            log.Append(Records.Make(0, i, 40), LogDurability.Durable);
        }

        bool ends = false;
        using ManualResetEventSlim isReserved = new();
        Thread reserving = new(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                using LogReservation reservation = log.Reserve(100);
                isReserved.Set();

                // Longer than anybody spins without sleeping.
                Thread.Sleep(20);
                reservation.Commit(LogDurability.Buffered);
            }
        });
        reserving.IsBackground = true;
        reserving.Start();
        isReserved.Wait();
        Exception? during = null;
        Exception? afterwards = null;
        Thread truncating = new(() =>
        {
            Thread.CurrentThread.Interrupt();
            during = Record.Exception(() => log.TruncateAfter(5));
            afterwards = Record.Exception(static () => Thread.Sleep(0));
        });
        truncating.Start();
        truncating.JoinInTime();
        Volatile.Write(ref ends, true);
        during.ShouldBeNull();
        afterwards.ShouldBeOfType<ThreadInterruptedException>();
        reserving.JoinInTime();
        log.Append(Records.Make(0, 6, 40), LogDurability.Durable);
        log.Dispose();
        byte[][] all = [.. Records.ReadAll(folder.Log).Select(static r => r.Bytes).Where(static b => b.Length != 100)];
        all.Select(static b => Records.Check(b).Number).ShouldBe([1, 2, 3, 4, 5, 6]);
    }

    [Fact]
    public void Closing_beside_appends_ends_each_of_them()
    {
        for (int round = 0; round < 5; round++)
        {
            using TempFolder folder = new(isInMemory: true);
            SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
            List<long>[] acknowledged = [.. Enumerable.Range(0, 6).Select(static _ => new List<long>())];
            using CountdownEvent started = new(6);
            Thread[] appending = [.. Enumerable.Range(0, 6).Select(t => new Thread(() =>
            {
                started.Signal();
                try
                {
                    for (int i = 0; ; i++)
                    {
                        LogDurability durability = (LogDurability)(1 + (t % 2));
                        acknowledged[t].Add(t < 3
                            ? log.Append(Records.Make(t, i, 40), durability)
                            : log.AppendAsync(Records.Make(t, i, 40), durability).AsTask().GetAwaiter().GetResult());
                    }
                }
                catch (Exception e) when (e is ObjectDisposedException or IOException)
                {
                }
            }))];
            Array.ForEach(appending, static t => t.Start());
            started.Wait();
            Thread.Sleep(round % 5);
            log.Dispose();
            Array.ForEach(appending, static t => t.JoinInTime());
            Dictionary<long, byte[]> all = Records.ReadAll(folder.Log).ToDictionary(static r => r.Sequence, static r => r.Bytes);
            for (int t = 0; t < 6; t++)
            {
                for (int i = 0; i < acknowledged[t].Count; i++)
                {
                    Records.Check(all[acknowledged[t][i]]).ShouldBe((t, i));
                }
            }
        }
    }

    /// <summary>What a thread sleeps on goes with it, while others may just be waking it.</summary>
    [Fact]
    public void Threads_that_end_after_a_few_records_are_all_served()
    {
        const int makers = 8;
        const int threads = 60;
        const int each = 8;
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            Thread[] making = [.. Enumerable.Range(0, makers).Select(_ => new Thread(() =>
            {
                for (int t = 0; t < threads; t++)
                {
                    Thread thread = new(() =>
                    {
                        for (int i = 0; i < each; i++)
                        {
                            log.Append([1, 2, 3], i % 4 == 0 ? LogDurability.Durable : LogDurability.Written);
                        }
                    });
                    thread.Start();
                    thread.Interrupt();
                    GC.Collect(0);
                    thread.JoinInTime();
                }
            }))];
            Array.ForEach(making, static t => t.Start());
            Array.ForEach(making, static t => t.JoinInTime());
            log.WrittenSequence.ShouldBe(makers * threads * each);
        }

        using SluiceLogReader reader = new(folder.Log);
        long read = 0;
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBe(++read);
        }

        read.ShouldBe(makers * threads * each);
    }
}
