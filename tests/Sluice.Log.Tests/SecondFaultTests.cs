using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// What undoes something that has failed may fail as well: a mark that is to say again what it said, a file that is to go.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed partial class SecondFaultTests : IDisposable
{
    private const int EIO = 5;

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>
    /// A tail could not be dropped, and the mark that said less for a moment could not be set back: it is, once it can be.
    /// </summary>
    [SkippableFact]
    public void What_is_durable_is_read_again_though_its_mark_could_not_be_set_back_at_once()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        Append(log, 1, 5);
        bool hasFailed = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (IsSyncOf(call, fd, "0000000002.slog"))
            {
                hasFailed = true;
            }

            return hasFailed && (call.Contains("sync", StringComparison.Ordinal) || (call == "pwrite" && NameOf(fd) == LogFolder.StateName))
                ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.TruncateAfter(2));
        hasFailed.ShouldBeTrue();
        SystemCallFaults.Use(null);

        // Nobody appends, and nobody flushes.
        SluiceLogReaderOptions durable = new() { UpTo = LogDurability.Durable };
        SpinWait.SpinUntil(() => Records.ReadAll(folder.Log, durable).Count == 5, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log, durable), 1, 1);
    }

    /// <summary>The kernel tells of a page that it could not write once, and calls it clean from then on: a footer is not to be written on
    /// the strength of the next flush.</summary>
    [SkippableFact]
    public void A_mark_whose_flush_failed_is_written_anew_before_the_next_one()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Durability = LogDurability.Durable,
            Preallocate = false,
        });
        bool fails = true;
        List<string> calls = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (NameOf(fd) != LogFolder.StateName)
            {
                return 0;
            }

            bool isFailed = Volatile.Read(ref fails) && call.Contains("sync", StringComparison.Ordinal);
            lock (calls)
            {
                calls.Add(isFailed ? "failed" : call == "pwrite" ? "write" : call);
            }

            return isFailed ? -EIO : 0;
        });
        for (int i = 1; i <= 6; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        Should.Throw<IOException>(() => log.TruncateBefore(1));
        Volatile.Write(ref fails, false);
        log.TruncateBefore(1).ShouldBe(0);
        SystemCallFaults.Use(null);
        int failure = calls.LastIndexOf("failed");
        failure.ShouldBeGreaterThanOrEqualTo(0);
        int flush = calls.FindIndex(failure, static c => c.Contains("sync", StringComparison.Ordinal));
        flush.ShouldBeGreaterThan(failure);
        calls[failure..flush].ShouldContain("write");
    }

    /// <summary>Whoever drops a log's beginning where the disk is full wants its space: what is closed is removed.</summary>
    [SkippableFact]
    public void What_is_closed_is_removed_though_the_state_cannot_be_flushed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);

        // Four of them are a segment.
        Append(0, 13);
        log.TruncateBefore(1).ShouldBe(0);
        SystemCallFaults.Use(static (call, fd, _) => call == "fsync" && NameOf(fd) == LogFolder.StateName ? -FailingEngine.ENOSPC : 0);
        try
        {
            Append(13, 17);
            Should.Throw<IOException>(() => log.TruncateBefore(13));
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        Directory.GetFiles(folder.Log, "*.slog").Select(Path.GetFileName).Order(StringComparer.Ordinal).Take(2)
            .ShouldBe(["0000000004.slog", "0000000005.slog"]);
        log.TruncateBefore(13).ShouldBe(0);
        log.FirstSequence.ShouldBe(13);

        void Append(int first, int end)
        {
            for (int i = first; i < end; i++)
            {
                log.Append(Records.Make(0, i, 900), LogDurability.Durable).ShouldBe(i + 1);
            }
        }
    }

    /// <summary>
    /// The segment that was to take records back is there, since it could not be removed: nothing is acknowledged behind it, unless it is
    /// empty on the disk.
    /// </summary>
    [SkippableTheory]
    [InlineData(LogDurability.Written, false)]
    [InlineData(LogDurability.Written, true)]
    [InlineData(LogDurability.Durable, false)]
    [InlineData(LogDurability.Durable, true)]
    public void A_segment_that_cannot_be_withdrawn_takes_nothing_back(LogDurability durability, bool isEmptied)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = durability, Preallocate = false }))
        {
            Append(log, 1, 5);
            bool hasBegun = false;
            SystemCallFaults.Use((call, fd, _) =>
            {
                bool isSync = IsSyncOf(call, fd, "0000000002.slog")
                    || (hasBegun && !isEmptied && call.Contains("sync", StringComparison.Ordinal) && NameOf(fd) == "0000000002.slog");
                if (isSync)
                {
                    hasBegun = true;
                }

                return isSync || call == "unlinkat" ? -EIO : 0;
            });
            Should.Throw<IOException>(() => log.TruncateAfter(2));
            (Record.Exception(() => Append(log, 6, 6)) is null).ShouldBe(isEmptied);
            SystemCallFaults.Use(null);
            Append(log, 7, 8);
            Check();
        }

        SluiceLog.Open(folder.Log).Dispose();
        Check();
        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBe(1);

        void Check() => Numbers(folder).ShouldBe([1, 2, 3, 4, 5, .. isEmptied ? new[] { 6 } : [], 7, 8]);
    }

    /// <summary>So is one that was to have the records of a segment whose sync had failed.</summary>
    [SkippableFact]
    public void A_segment_of_a_recovery_that_cannot_be_withdrawn_takes_nothing_back()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false }))
        {
            Append(log, 1, 5);
            SystemCallFaults.Use(static (call, fd, _) =>
                call == "unlinkat" || IsSyncOf(call, fd, "0000000001.slog", "0000000002.slog") ? -EIO : 0);
            Should.Throw<IOException>(() => log.Flush());
            SystemCallFaults.Use(null);
            Append(log, 6, 7);
            Numbers(folder).ShouldBe([1, 2, 3, 4, 5, 6, 7]);
        }

        SluiceLog.Open(folder.Log).Dispose();
        Numbers(folder).ShouldBe([1, 2, 3, 4, 5, 6, 7]);
    }

    /// <summary>The opening of the next segment has failed, and is removed: no sync has failed, and nothing is written again.</summary>
    [SkippableFact]
    public void A_folder_that_cannot_be_flushed_for_once_costs_no_segment()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            FlushInterval = TimeSpan.FromHours(1),
            Durability = LogDurability.Written,
        });
        for (int i = 1; i <= 4; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        Follow(follower).ShouldBe([1, 2, 3, 4]);
        bool isOpened = false;
        int failures = 2;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call == "pwrite" && length > 0 && length != LogLayout.HeaderBytes && NameOf(fd) == "0000000002.slog")
            {
                isOpened = true;
                return -FailingEngine.ENOSPC;
            }

            return isOpened && call == "fsync" && PathOf(fd) == folder.Log && Interlocked.Decrement(ref failures) >= 0 ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 5, 900), LogDurability.Durable));
        SystemCallFaults.Use(null);
        (isOpened, failures > 0).ShouldBe((true, false));

        // A segment that takes nothing back may be there again behind what was written before it.
        log.DurableSequence.ShouldBe(4);
        log.Flush();
        log.Append(Records.Make(0, 6, 900), LogDurability.Durable);
        Follow(follower).ShouldBe([6]);
        follower.Drops.ShouldBe(0);
    }

    /// <summary>Another thread appends while what stays is synced, and the tail is not dropped: what is to take it back is still
    /// there, or would be after a power cut.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_could_be_withdrawn_only_later_costs_no_segment(bool isRemoved)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Durability = LogDurability.Written, Preallocate = false });
        Append(log, 1, 5);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        bool isAppended = false;
        bool hasBegun = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (IsSyncOf(call, fd, "0000000001.slog") && !isAppended)
            {
                isAppended = true;
                Thread other = new(() => Append(log, 6, 6));
                other.Start();
                other.JoinInTime();
            }

            bool isSync = IsSyncOf(call, fd, "0000000002.slog");
            if (isSync)
            {
                hasBegun = true;
            }

            bool fails = isRemoved ? hasBegun && call == "fsync" && PathOf(fd) == folder.Log : call == "unlinkat";
            return isSync || fails ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.TruncateAfter(2));
        if (isRemoved)
        {
            // It takes back records from 3 on.
            Should.Throw<IOException>(() => log.Flush());
        }

        SystemCallFaults.Use(null);
        (isAppended, log.DurableSequence, log.WrittenSequence).ShouldBe((true, 5, 6));
        Follow(follower).ShouldBe([1, 2, 3, 4, 5, 6]);
        log.Flush();
        Append(log, 7, 7);
        Follow(follower).ShouldBe([7]);
        follower.Drops.ShouldBe(0);
    }

    /// <summary>It is deleted between its opening frame and its first record: whoever appends hears of it, and nobody misses it.</summary>
    [SkippableFact]
    public void A_segment_that_is_deleted_before_its_first_record_is_missed_by_nobody()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        string killed = Path.Combine(folder.Root, "killed");
        using ManualResetEventSlim isLookedAt = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentBytes = 4096, Preallocate = false }))
        {
            bool isDeleted = false;
            SystemCallFaults.Use((call, fd, length) =>
            {
                if (call == "pwrite" && length < 64 && NameOf(fd) == "0000000002.slog" && !isDeleted)
                {
                    isDeleted = true;

                    // Until it is looked whether it has its name.
                    Thread.Sleep(1100);
                    File.Delete(PathOf(fd)!);
                }

                // The keeper's sync would find it out, and write all that is not durable anew.
                return IsSyncOf(call, fd, "0000000001.slog") && !isLookedAt.Wait(TimeSpan.FromMinutes(1)) ? -EIO : 0;
            });
            int failed = 0;
            for (int i = 1; i <= 20; i++)
            {
                failed += Record.Exception(() => log.Append(Records.Make(0, i, 1000))) is null ? 0 : 1;
            }

            (isDeleted, failed).ShouldBe((true, 1));
            Numbers(folder).Count().ShouldBe(19);

            // What the next writer would find if this one were killed.
            foreach (string file in Directory.GetFiles(folder.Log))
            {
                File.Copy(file, Path.Combine(Directory.CreateDirectory(killed).FullName, Path.GetFileName(file)));
            }

            isLookedAt.Set();
        }

        SystemCallFaults.Use(null);
        using SluiceLog next = SluiceLog.Open(killed);
        next.NextSequence.ShouldBe(21);
    }

    private static void Append(SluiceLog log, int first, int last)
    {
        for (int i = first; i <= last; i++)
        {
            log.Append(Records.Make(0, i, 40));
        }
    }

    private static List<int> Follow(SluiceLogReader follower)
    {
        List<int> numbers = [];
        while (follower.TryRead(out LogEntry entry))
        {
            numbers.Add(Records.Check(entry.Bytes).Number);
        }

        return numbers;
    }

    private static IEnumerable<int> Numbers(TempFolder folder) =>
        Records.ReadWritten(folder.Log).Select(static r => Records.Check(r.Bytes).Number);

    /// <summary>A flush of a segment that has begun; its header is flushed when it is made.</summary>
    private static bool IsSyncOf(string call, int fd, params ReadOnlySpan<string> names) =>
        call.Contains("sync", StringComparison.Ordinal)
        && names.Contains(NameOf(fd))
        && new FileInfo(PathOf(fd)!).Length > LogLayout.HeaderBytes;

    private static string NameOf(int fd) => Path.GetFileName(PathOf(fd)) ?? "";

    private static string? PathOf(int fd) =>
        fd < 0 ? null : File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.FullName;
}
