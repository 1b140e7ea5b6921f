using System.Diagnostics;
using Sluice.Faults.Tests.Support;
using Sluice.Log.Frames;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Openings that are written in part.</summary>
public sealed partial class PartlyWrittenTests
{
    /// <summary>
    /// An opening frame is written in part, and the segment is taken for records that are to be written anew: what is behind its opening
    /// stays when that is written.
    /// </summary>
    [SkippableFact]
    public void What_failed_before_takes_nothing_with_it_that_was_written_since()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        int opened = 0;
        int failed = 0;
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        SystemCallFaults.Use((call, fd, length) =>
        {
            string? name = fd < 0 ? null : Path.GetFileName(PathOf(fd));
            if (call == "pwrite" && name == SecondFile && Volatile.Read(ref failed) == 0 && length > 0 && length != LogLayout.HeaderBytes)
            {
                return length == OpeningBytes && opened++ == 0 ? OpeningBytes - 4 : -ENOSPC;
            }

            // Once: what is not durable is written anew, to the segment whose opening failed, and there is space for it.
            return call == "fsync" && name == FirstFile && opened > 0 && Interlocked.Exchange(ref failed, 1) == 0 ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900)));
        opened.ShouldBe(1);
        _ = Record.Exception(() => log.Flush());
        failed.ShouldBe(1);
        SystemCallFaults.Use(null);
        log.Append(Records.Make(0, 5, 900));
        Check(folder.Log);
        log.Dispose();
        SluiceLog.Open(folder.Log).Dispose();
        Check(folder.Log);

        static void Check(string path) => Records.ReadAll(path).Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0, 1, 2, 3, 5]);
    }

    /// <summary>The opening is whole although its end, which is zeros, was not written; what comes next fits into the segment
    /// before.</summary>
    [SkippableTheory]
    [InlineData(3)]
    [InlineData(20)]
    public void An_opening_that_failed_is_gone_when_the_log_goes_on_in_the_segment_before(int missing)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        bool hasFailed = false;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call != "pwrite" || length <= 0 || length == LogLayout.HeaderBytes || fd < 0 || Path.GetFileName(PathOf(fd)) != SecondFile)
            {
                return 0;
            }

            bool isFirst = !hasFailed && length == OpeningBytes;
            if (isFirst)
            {
                hasFailed = true;
            }

            return isFirst ? OpeningBytes - missing : -ENOSPC;
        });
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900)));
        hasFailed.ShouldBeTrue();
        SystemCallFaults.Use(null);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        List<int> followed = [];
        Follow();
        log.Append(Records.Make(0, 5, 40), LogDurability.Durable);
        Follow();
        followed.ShouldBe([0, 1, 2, 3, 5]);
        Check(folder.Log);

        // What a kill leaves.
        using TempFolder killed = new(isInMemory: true);
        Directory.CreateDirectory(killed.Log);
        foreach (string file in Directory.EnumerateFiles(folder.Log))
        {
            File.Copy(file, Path.Combine(killed.Log, Path.GetFileName(file)));
        }

        SluiceLog.Open(killed.Log).Dispose();
        Check(killed.Log);

        void Follow()
        {
            while (follower.TryRead(out LogEntry entry))
            {
                followed.Add(Records.Check(entry.Bytes).Number);
            }
        }

        static void Check(string path) => Records.ReadAll(path).Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0, 1, 2, 3, 5]);
    }

    /// <summary>Then a tail is dropped, and others get its numbers.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_has_entered_at_an_opening_that_failed_hears_of_a_drop(bool readsBetween)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        Directory.CreateDirectory(folder.Log);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        List<string> followed = [];
        using SluiceLog log = OpenAndFail(folder.Log, whileItIsThere: () => followed = Follow(follower));
        followed.Count.ShouldBe(4);
        log.TruncateAfter(2);
        if (readsBetween)
        {
            followed.AddRange(Follow(follower));
        }

        for (int i = 10; i < 14; i++)
        {
            log.Append(Records.Make(0, i, 40), LogDurability.Durable);
        }

        followed.AddRange(Follow(follower));
        followed.Skip(4).ShouldBe(["3: 10", "4: 11", "5: 12", "6: 13"]);
        (follower.Drops, follower.DroppedFrom).ShouldBe((1, 3));
    }

    /// <summary>Then a sync fails, so that what is not durable is written again to another segment.</summary>
    [SkippableFact]
    public void Who_has_entered_at_an_opening_that_failed_hears_of_what_is_written_again()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        Directory.CreateDirectory(folder.Log);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        using SluiceLog log = OpenAndFail(folder.Log, LogDurability.Written, () => Follow(follower).Count.ShouldBe(4));
        bool hasFailed = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            bool fails = !hasFailed && call == "fsync" && fd >= 0 && Path.GetFileName(PathOf(fd)) == "0000000001.slog";
            if (fails)
            {
                hasFailed = true;
            }

            return fails ? -5 : 0;
        });
        _ = Record.Exception(() => log.Flush());
        SystemCallFaults.Use(null);
        hasFailed.ShouldBeTrue();
        log.Append(Records.Make(0, 9, 40), LogDurability.Durable);
        Follow(follower).ShouldBe(["1: 0", "2: 1", "3: 2", "4: 3", "6: 9"]);
        follower.Drops.ShouldBe(1);
    }

    /// <summary>And a further segment is there before it looks again.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_waits_for_durable_records_at_an_opening_that_failed_gets_them(bool isFromEnd)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLogReader? follower = null;
        using SluiceLog log = OpenAndFail(folder.Log, whileItIsThere: () =>
        {
            long from = isFromEnd ? 1 : 5;
            follower = new SluiceLogReader(
                folder.Log, new SluiceLogReaderOptions { FromEnd = isFromEnd, FromSequence = from, UpTo = LogDurability.Durable });
            Follow(follower).ShouldBeEmpty();
        });
        for (int i = 5; i < 12; i++)
        {
            log.Append(Records.Make(0, i, 900), LogDurability.Durable);
        }

        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBeGreaterThan(2);
        Follow(follower.ShouldNotBeNull()).ShouldBe(["6: 5", "7: 6", "8: 7", "9: 8", "10: 9", "11: 10", "12: 11"]);
        follower.Dispose();
    }

    /// <summary>And it was removed without having been emptied, by another writer perhaps.</summary>
    [SkippableFact]
    public void Who_has_entered_at_an_opening_that_was_not_emptied_goes_back()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using TempFolder killed = new(isInMemory: true);
        Directory.CreateDirectory(killed.Log);
        OpenAndFail(folder.Log, whileItIsThere: () =>
        {
            foreach (string file in Directory.EnumerateFiles(folder.Log))
            {
                File.Copy(file, Path.Combine(killed.Log, Path.GetFileName(file)));
            }
        }).Dispose();
        using SluiceLogReader follower = new(killed.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        Follow(follower).Count.ShouldBe(4);
        File.Delete(Path.Combine(killed.Log, "0000000002.slog"));
        using SluiceLog log = SluiceLog.Open(killed.Log, FourToASegment());
        log.Append(Records.Make(0, 9, 40), LogDurability.Durable).ShouldBe(5);
        Follow(follower).ShouldBe(["5: 9"]);
        log.Append(Records.Make(0, 10, 900), LogDurability.Durable);
        Follow(follower).ShouldBe(["6: 10"]);
        follower.Drops.ShouldBe(0);
    }

    /// <summary>No sync has failed, and nothing is written again.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_segment_that_cannot_be_removed_at_once_costs_no_other(bool isFull)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        Directory.CreateDirectory(folder.Log);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 900), LogDurability.Written);
        }

        Follow(follower).Count.ShouldBe(4);
        bool isFirst = true;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call == "unlinkat" && isFirst)
            {
                isFirst = false;
                return -5;
            }

            string? name = call != "pwrite" || fd < 0 || length <= 0 ? null : Path.GetFileName(PathOf(fd));
            return name == "0000000002.slog" ? length == LogLayout.HeaderBytes ? 0 : -ENOSPC
                : isFull && name?.EndsWith(".slog", StringComparison.Ordinal) == true && name != "0000000001.slog" ? -ENOSPC
                : 0;
        });
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900), LogDurability.Durable));
        isFirst.ShouldBeFalse();
        _ = Follow(follower);
        follower.Drops.ShouldBe(0);
        File.Exists(Path.Combine(folder.Log, "0000000001.slog")).ShouldBeTrue();
        log.DurableSequence.ShouldBeGreaterThanOrEqualTo(4);
        SystemCallFaults.Use(null);
    }

    /// <summary>Nothing can be removed in the folder, but the file is empty: it stands before nothing.</summary>
    [SkippableFact]
    public void A_segment_that_can_never_be_removed_does_not_stop_the_log()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = OpenAndFail(folder.Log, isRemoved: false);
        File.Exists(Path.Combine(folder.Log, "0000000002.slog")).ShouldBeTrue();
        SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -13 : 0);
        log.Append(Records.Make(0, 5, 40), LogDurability.Durable).ShouldBe(6);
        log.Append(Records.Make(0, 6, 900), LogDurability.Durable).ShouldBe(7);
        SystemCallFaults.Use(null);
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe([1, 2, 3, 4, 6, 7]);
    }

    [SkippableFact]
    public void Nothing_is_durable_behind_a_name_that_was_removed_and_not_flushed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = OpenAndFail(folder.Log, isRemoved: false);
        SystemCallFaults.Use((call, fd, _) => call == "fsync" && fd >= 0 && PathOf(fd) == folder.Log ? -5 : 0);
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 5, 40), LogDurability.Durable));
        File.Exists(Path.Combine(folder.Log, "0000000002.slog")).ShouldBeFalse();
        SystemCallFaults.Use(null);
    }

    /// <summary>What was removed of it does not come back in front of a record that is durable.</summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Ext4, 40)]
    [InlineData(FileSystemKind.Ext4, 900)]
    [InlineData(FileSystemKind.Xfs, 40)]
    public void A_power_cut_behind_an_opening_that_failed_takes_nothing_durable(FileSystemKind kind, int bytes)
    {
        using Mount mount = Mount.OrSkip(kind);
        string path = Path.Combine(mount.Folder, "log");
        using SluiceLog log = OpenAndFail(path);
        using (Process sync = Process.Start("sync", ["-f", mount.Folder]))
        {
            sync.WaitForExit();
        }

        log.Append(Records.Make(0, 5, bytes), LogDurability.Durable).ShouldBe(6);
        PowerCut.Cut(mount, kind);
        _ = Record.Exception(log.Dispose);
        mount.Remount().ShouldBeNull();
        Skip.IfNot(PowerCut.HasLost(mount), "the cut lost nothing: somebody's sync(2) came between");
        SluiceLog.Open(path, FourToASegment()).Dispose();
        Records.ReadAll(path).Select(static r => r.Sequence).ShouldBe([1, 2, 3, 4, 6]);
    }

    /// <summary>A log whose first segment has four records, and the opening of whose second was written but for zeros at its end.</summary>
    /// <param name="path">The log's folder.</param>
    /// <param name="durability">Of the four records.</param>
    /// <param name="whileItIsThere">Called when the opening stands there, before what is there of it is removed.</param>
    /// <param name="isRemoved">Whether it can be removed.</param>
    /// <param name="fromThen">Asked for each call, once the opening stands there.</param>
    private static SluiceLog OpenAndFail(
        string path,
        LogDurability durability = LogDurability.Durable,
        Action? whileItIsThere = null,
        bool isRemoved = true,
        SystemCallFault? fromThen = null)
    {
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        SluiceLog log = SluiceLog.Open(path, FourToASegment());
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 900), durability);
        }

        int writes = 0;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call == "unlinkat" && !isRemoved)
            {
                return -ENOSPC;
            }

            if (writes > 0 && fromThen?.Invoke(call, fd, length) is < 0 and long refusal)
            {
                return refusal;
            }

            if (call != "pwrite" || length <= 0 || length == LogLayout.HeaderBytes || fd < 0 || Path.GetFileName(PathOf(fd)) != SecondFile)
            {
                return 0;
            }

            if (writes++ == 0)
            {
                return OpeningBytes - 3;
            }

            if (writes == 2)
            {
                whileItIsThere?.Invoke();
            }

            return -ENOSPC;
        });
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900)));
        writes.ShouldBeGreaterThan(1);
        SystemCallFaults.Use(null);
        return log;
    }

    private static List<string> Follow(SluiceLogReader follower)
    {
        List<string> followed = [];
        while (follower.TryRead(out LogEntry entry))
        {
            followed.Add($"{entry.Sequence}: {Records.Check(entry.Bytes).Number}");
        }

        return followed;
    }

    /// <summary>A segment takes four records of 900 bytes.</summary>
    private static SluiceLogOptions FourToASegment() => new()
    {
        SegmentBytes = 4096,
        MaxRecordBytes = 1000,
        BufferBytes = 4000,
        FlushInterval = TimeSpan.FromHours(1),
        Durability = LogDurability.Written,
    };
}
