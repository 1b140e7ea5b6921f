using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Behind a write that failed nobody's record is forgotten, and the disk gets back what need not be kept.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class RetryTests : IDisposable
{
    private const int EBUSY = 16;
    private const int ENOSPC = 28;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>The record that fails belongs to somebody who waits; the one behind it belongs to nobody any more.</summary>
    [SkippableFact]
    public void Buffered_records_behind_one_that_failed_are_written_within_the_interval()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions
        {
            SegmentBytes = 65536,
            FlushInterval = TimeSpan.FromMilliseconds(20),
        });
        log.Append("one"u8, LogDurability.Written);
        SystemCallFaults.Use(static (call, _, length) => call == "pwrite" && length > 0 ? -ENOSPC : 0);
        LogReservation reserved = log.Reserve(100);
        long buffered = 0;
        Thread another = new(() => buffered = log.Append("buffered"u8, LogDurability.Buffered));
        another.Start();
        another.JoinInTime();
        Exception? error = null;
        try
        {
            _ = reserved.Commit(LogDurability.Written);
        }
        catch (IOException e)
        {
            error = e;
        }

        error.ShouldNotBeNull();
        SystemCallFaults.Use(null);
        Threads.WaitUntil(() => log.WrittenSequence >= buffered);
    }

    /// <summary>A failed write fails the appends whose records it had. One that came during the write is written with the next.</summary>
    [SkippableFact]
    public void An_append_does_not_fail_with_a_write_that_began_before_it()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Preallocate = false });
        log.Append("one"u8, LogDurability.Durable);
        Exception? error = null;
        Thread another = new(() => error = Record.Exception(() => log.Append("three"u8, LogDurability.Durable)));
        int writes = 0;
        using ManualResetEventSlim isWaiting = new();
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call == "futex" && Thread.CurrentThread == another)
            {
                isWaiting.Set();
            }

            if (call != "pwrite" || length == 0 || Interlocked.Increment(ref writes) != 1)
            {
                return 0;
            }

            another.Start();
            isWaiting.Wait(Patience).ShouldBeTrue();
            return -ENOSPC;
        });
        Should.Throw<IOException>(() => log.Append("two"u8, LogDurability.Durable));
        another.JoinInTime();
        error.ShouldBeNull();
        log.DurableSequence.ShouldBe(3);
    }

    /// <summary>Nothing can be written until old files are removed, which only the log's keeper does.</summary>
    [SkippableFact]
    public void A_full_disk_is_given_back_what_need_not_be_kept()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions
        {
            SegmentBytes = 4096,
            Preallocate = false,
            RetainSegments = 3,
            Durability = LogDurability.Written,
        });
        bool mayRemove = false;
        bool isFull = false;
        SystemCallFaults.Use((call, _, length) => call switch
        {
            "unlinkat" or "ftruncate" when !Volatile.Read(ref mayRemove) => -EBUSY,
            "pwrite" when Volatile.Read(ref isFull) && length > 64 && folder.Segments.Length > 4 => -ENOSPC,
            _ => 0,
        });
        log.AppendMany(0, 300);

        // The keeper has tried, and sleeps.
        Threads.WaitUntil(() => log.LastError is not null);
        Volatile.Write(ref isFull, true);
        Volatile.Write(ref mayRemove, true);
        Threads.WaitUntil(() => TryAppend(log));
        folder.Segments.Length.ShouldBeLessThanOrEqualTo(5);
    }

    private static bool TryAppend(SluiceLog log)
    {
        try
        {
            _ = log.Append(Records.Make(0, 1000, 100));
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
