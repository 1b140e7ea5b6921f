using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Every wait in a log ends, whichever system calls fail: each caller gets its answer, or an exception.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class WaitTests : IDisposable
{
    private const int EIO = 5;
    private const int ENOSPC = 28;
    private const int Each = 150;
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>
    /// Eight threads append, reserve, flush, wait and drop tails, some of them interrupted, beside a reader that follows; then the log is
    /// closed while calls still fail.
    /// </summary>
    [SkippableTheory]
    [InlineData(1, LogFormat.Framed)]
    [InlineData(2, LogFormat.Framed)]
    [InlineData(3, LogFormat.Framed)]
    [InlineData(4, LogFormat.Framed)]
    [InlineData(5, LogFormat.Raw)]
    public void Whatever_fails_each_wait_ends(int seed, LogFormat format)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = folder.Open(SmallLog.With(format));
        Random random = new(seed);
        long failed = 0;
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call is "futex" or "getrandom")
            {
                return 0;
            }

            lock (random)
            {
                int kind = random.Next(60);
                failed += kind < 2 ? 1 : 0;
                return kind == 0 ? -EIO : kind == 1 ? -ENOSPC : kind == 2 && length > 1 ? random.NextInt64(1, length) : 0;
            }
        });
        using CancellationTokenSource ends = new();
        Thread following = new(() => Follow(folder.Log, ends.Token)) { IsBackground = true };
        try
        {
            following.Start();
            Thread[] working = Threads.Start(8, t => Work(log, t, seed, format));
            Threads.WaitUntil(() =>
                {
                    working[0].Interrupt();
                    working[1].Interrupt();
                    return Array.TrueForAll(working, static t => !t.IsAlive);
                }, "a thread waits for ever");
            Thread closing = new(() => Record.Exception(log.Dispose)) { IsBackground = true };
            closing.Start();
            closing.JoinInTime();
            ends.Cancel();
            following.JoinInTime();
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        failed.ShouldBeGreaterThan(0);
        folder.Open(SmallLog.With(format)).Dispose();
    }

    private static void Work(SluiceLog log, int thread, int seed, LogFormat format)
    {
        Random random = new((seed * 100) + thread);
        bool isFramed = format == LogFormat.Framed;
        for (int i = 0; i < Each; i++)
        {
            LogDurability durability = (LogDurability)random.Next(3);
            try
            {
                switch (random.Next(10))
                {
                    case 0 when isFramed:
                        using (LogReservation place = log.Reserve(100))
                        {
                            place.Span.Fill(1);
                            _ = i % 2 == 0 ? place.Commit(durability) : 0;
                        }

                        break;
                    case 1:
                        log.AppendAsync(new byte[200], durability).AsTask().Wait(Patience).ShouldBeTrue("an append never ends");
                        break;
                    case 2:
                        log.WaitDurableAsync(Math.Max(log.NextSequence - 1, 0)).AsTask().Wait(Patience).ShouldBeTrue("a wait never ends");
                        break;
                    case 3:
                        log.Flush(durability);
                        break;
                    case 4 when isFramed && thread == 2 && i % 20 == 0:
                        log.TruncateAfter(log.WrittenSequence);
                        break;
                    case 5 when isFramed && thread == 3:
                        log.TruncateBefore(log.DurableSequence - 20);
                        break;
                    default:
                        log.Append(new byte[random.Next(900)], durability);
                        break;
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or AggregateException or ThreadInterruptedException
                or ArgumentOutOfRangeException)
            {
                // Its answer: something has failed, or was dropped meanwhile.
            }
        }
    }

    private static void Follow(string directory, CancellationToken ends)
    {
        while (!ends.IsCancellationRequested)
        {
            try
            {
                using SluiceLogReader reader = new(directory, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
                while (!ends.IsCancellationRequested)
                {
                    _ = reader.TryRead(out _) || Thread.Yield();
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // Raw logs have no such readers, and what fails is read anew.
                Thread.Yield();
            }
        }
    }
}
