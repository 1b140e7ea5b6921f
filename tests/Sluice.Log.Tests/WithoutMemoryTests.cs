using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Stages;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>A want of memory anywhere: who waits is told, and the log is before a step or behind it.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class WithoutMemoryTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly int _thread = Environment.CurrentManagedThreadId;

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>Nothing was synced then, so that nothing has failed but the call.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_waits_for_a_sync_is_told_where_its_mark_cannot_be_taken(bool isAwaited)
    {
        const int done = 5;
        OutOfMemoryException noMemory = new();
        using DeadOutput output = new(failsWrites: false) { MarkError = noMemory };
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, done + 1);
        WriteStage writes = new(ring, output, "log", done, 1000, static () => { });
        SyncStage syncs = new(writes, output, "log", new DurableMark(static _ => { }, static () => { }, done));
        ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        Placed place = new(ring.Active, offset, sequence);
        ring.Active.EndCopy(place, 10, 1);
        Exception? told;
        if (isAwaited)
        {
            syncs.Start();
            try
            {
                AsyncWaiter waiter = AsyncWaiter.Rent(sequence, 1, place, sequence);
                Task<long> wait = waiter.Task.AsTask();
                syncs.Waiters.Push(waiter);
                syncs.Signal();
                told = await Record.ExceptionAsync(() => wait.WaitAsync(Patience));
            }
            finally
            {
                syncs.End();
            }
        }
        else
        {
            SyncWaiter waiter = new();
            waiter.Begin(sequence, 0, default);
            syncs.Waiters.Push(waiter);
            syncs.TryLead();
            waiter.IsDone.ShouldBeTrue();
            told = Record.Exception(waiter.ThrowIfFailed);
        }

        told.ShouldBeOfType<IOException>().InnerException.ShouldBe(noMemory);
        syncs.LastError.Error.ShouldBe(noMemory);
        syncs.Waiters.IsEmpty.ShouldBeTrue();
    }

    /// <summary>In the place of each call behind the flush of the segment that drops the tail.</summary>
    [SkippableFact]
    public void A_tail_is_dropped_or_is_as_it_was()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        ForEachCall(call =>
        {
            using TempFolder folder = new(isInMemory: true);
            using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
            Append(log, 0, 10);

            // Two are closed, and one is written.
            log.TruncateBefore(1).ShouldBe(0);
            int calls = 0;
            FailBehind("0000000004.slog", call, () => calls++, null);
            Exception? error = Record.Exception(() => log.TruncateAfter(2));
            SystemCallFaults.Use(null);
            if (error is not null)
            {
                error.ShouldBeOfType<OutOfMemoryException>();
            }

            GoesOn(folder, log, [.. Enumerable.Range(0, error is null ? 2 : 10)], $"call {call}: {error}");
            return calls > call;
        });
    }

    /// <summary>In the place of each call behind the flush of the segment that has what a failed sync was for.</summary>
    [SkippableFact]
    public void What_a_failed_sync_was_for_is_there_once()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        ForEachCall(call =>
        {
            using TempFolder folder = new(isInMemory: true);
            using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
            Append(log, 0, 4, LogDurability.Written);
            int calls = 0;
            FailBehind("0000000002.slog", call, () => calls++, "0000000001.slog");
            Exception? error = Record.Exception(() => log.Flush());
            SystemCallFaults.Use(null);
            if (error is not null)
            {
                error.ShouldBeOfType<IOException>().InnerException.ShouldBeOfType<OutOfMemoryException>();
            }

            GoesOn(folder, log, [0, 1, 2, 3], $"call {call}: {error}");
            return calls > call;
        });
    }

    /// <summary>In the place of each call of the closing.</summary>
    [SkippableTheory]
    [InlineData(LogMemory.Process)]
    [InlineData(LogMemory.Shared)]
    public void A_log_that_was_closed_can_be_opened(LogMemory memory)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        ForEachCall(call =>
        {
            using TempFolder folder = new(isInMemory: true);
            SluiceLogOptions options = FourToASegment(memory);
            SluiceLog log = SluiceLog.Open(folder.Log, options);
            Append(log, 0, 3, LogDurability.Written);
            int calls = 0;
            SystemCallFaults.Use((_, _, _) =>
                Environment.CurrentManagedThreadId == _thread && calls++ == call ? throw new OutOfMemoryException() : 0);
            Exception? error = Record.Exception(log.Dispose);
            SystemCallFaults.Use(null);

            // It is closed, whatever came of it.
            log.Dispose();
            OpenFiles.Of(folder.Root).ShouldBeEmpty($"call {call}: {error}");
            using (SluiceLog again = SluiceLog.Open(folder.Log, options))
            {
                again.NextSequence.ShouldBe(4, $"call {call}: {error}");
            }

            return calls > call;
        });
    }

    /// <summary>From the first on, until one is not made any more.</summary>
    private static void ForEachCall(Func<int, bool> isMade)
    {
        int call = 0;
        while (isMade(call))
        {
            call++;
        }

        call.ShouldBeGreaterThan(3);
    }

    /// <summary>Throws in the place of a call that this thread makes behind the flush of a segment with its opening.</summary>
    /// <param name="segment">Its name.</param>
    /// <param name="call">How many pass before.</param>
    /// <param name="count">Counts them.</param>
    /// <param name="failing">A segment the first flush of which fails before; null for none.</param>
    private void FailBehind(string segment, int call, Func<int> count, string? failing)
    {
        bool hasBegun = false;
        bool hasFailed = failing is null;
        SystemCallFaults.Use((name, fd, _) =>
        {
            if (Environment.CurrentManagedThreadId != _thread)
            {
                return 0;
            }

            string? path = fd < 0 ? null : File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.FullName;
            if (hasBegun && count() == call)
            {
                throw new OutOfMemoryException();
            }

            if (name == "fsync" && !hasFailed && Path.GetFileName(path) == failing)
            {
                hasFailed = true;
                return -FailingEngine.EIO;
            }

            if (name == "fsync" && Path.GetFileName(path) == segment && new FileInfo(path!).Length > LogLayout.HeaderBytes)
            {
                hasBegun = true;
            }

            return 0;
        });
    }

    /// <summary>It takes records, and has all of them, now and when it is opened again.</summary>
    private static void GoesOn(TempFolder folder, SluiceLog log, List<int> before, string what)
    {
        Append(log, 20, 30);
        int[] expected = [.. before, .. Enumerable.Range(20, 10)];
        Numbers().ShouldBe(expected, what);
        log.Dispose();
        using (SluiceLog again = SluiceLog.Open(folder.Log, FourToASegment()))
        {
            again.NextSequence.ShouldBe(expected.Length + 1, what);
        }

        Numbers().ShouldBe(expected, what);

        IEnumerable<int> Numbers() => Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes).Number);
    }

    private static void Append(SluiceLog log, int first, int end, LogDurability durability = LogDurability.Durable)
    {
        for (int i = first; i < end; i++)
        {
            log.Append(Records.Make(0, i, 900), durability);
        }
    }

    private static SluiceLogOptions FourToASegment(LogMemory memory = LogMemory.Process) => new()
    {
        Memory = memory,
        SegmentBytes = 4096,
        MaxRecordBytes = 1000,
        BufferBytes = 4000,
        FlushInterval = TimeSpan.FromHours(1),
    };
}
