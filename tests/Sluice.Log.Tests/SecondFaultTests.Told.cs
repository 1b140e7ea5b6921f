using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What is told of it: to who closes the log, and to who follows it.</summary>
public sealed partial class SecondFaultTests
{
    /// <summary>Nobody tries again behind the end: a power cut would bring back what was withdrawn, or readers miss what is
    /// durable.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_closing_tells_of_what_could_not_be_set_back(bool isState)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        Append(log, 1, 5);
        bool hasBegun = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (IsSyncOf(call, fd, "0000000002.slog"))
            {
                hasBegun = true;
            }

            bool fails = (call.Contains("sync", StringComparison.Ordinal) && NameOf(fd) == "0000000002.slog")
                || (isState ? call == "pwrite" && NameOf(fd) == LogFolder.StateName : call == "unlinkat");
            return hasBegun && fails ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.TruncateAfter(2));
        hasBegun.ShouldBeTrue();
        Should.Throw<IOException>(log.Dispose).Message.ShouldContain("Closing");
        SystemCallFaults.Use(null);
        SluiceLog.Open(folder.Log).Dispose();
        Numbers(folder).ShouldBe([1, 2, 3, 4, 5]);
    }

    /// <summary>A segment that could not be begun is still there: the others are closed as ever, and keep no space that they do not
    /// use.</summary>
    [SkippableFact]
    public void A_closing_that_tells_of_what_is_still_there_has_done_the_rest()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable, SegmentBytes = 1 << 20 });
        Append(log, 1, 5);
        int syncs = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // The first is the header's.
            bool isSync = call == "fsync" && NameOf(fd) == "0000000002.slog" && ++syncs > 1;
            return isSync || call == "unlinkat" ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.TruncateAfter(2));
        Should.Throw<IOException>(log.Dispose).Message.ShouldContain("Closing");
        SystemCallFaults.Use(null);
        new FileInfo(Path.Combine(folder.Log, "0000000001.slog")).Length.ShouldBeLessThan(4096);
        SluiceLog.Open(folder.Log).Dispose();
        Numbers(folder).ShouldBe([1, 2, 3, 4, 5]);
    }

    /// <summary>
    /// What is left keeps the space that it had reserved: the segment that drops the tail is on the disk by then, and the log goes on in
    /// it. The largest file that there may be, and an operation that nobody has cancelled, are a file system's errors like others.
    /// </summary>
    [SkippableTheory]
    [InlineData(EIO)]
    [InlineData(27)]
    [InlineData(125)]
    public void A_tail_is_dropped_where_no_length_can_be_set(int errno)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable, SegmentBytes = 1 << 20 });
        Append(log, 1, 5);
        int failed = 0;
        SystemCallFaults.Use((call, _, _) => call == "ftruncate" && Interlocked.Increment(ref failed) > 0 ? -errno : 0);
        log.TruncateAfter(2);
        failed.ShouldBeGreaterThan(0);
        log.Append(Records.Make(0, 11, 40), LogDurability.Durable).ShouldBe(3);
        Should.Throw<IOException>(log.Dispose).Message.ShouldContain("Setting the length of");
        SystemCallFaults.Use(null);
        SluiceLog.Open(folder.Log).Dispose();
        Numbers(folder).ShouldBe([1, 2, 11]);
    }

    /// <summary>A file that is too large (EFBIG) is an argument out of range for .NET, and none of whoever calls the log.</summary>
    [SkippableFact]
    public void What_the_file_system_finds_too_large_is_no_argument_of_the_callers()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        Func<string, bool> isOf = static _ => true;
        SystemCallFaults.Use((call, fd, length) => call == "pwrite" && length > 0 && isOf(NameOf(fd) ?? "") ? -27 : 0);
        ShouldFail(() => SluiceLog.Open(folder.Log).Dispose());
        isOf = static _ => false;
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        Append(log, 1, 5);
        isOf = static name => name == LogFolder.StateName;
        ShouldFail(() => log.TruncateAfter(2));
        isOf = static name => name == "0000000002.slog";
        ShouldFail(() => log.TruncateAfter(2));
        isOf = static name => name == "0000000001.slog";
        ShouldFail(() => log.Append(new byte[10]));
        isOf = static _ => false;
        log.TruncateAfter(2);
        Numbers(folder).ShouldBe([1, 2]);

        static void ShouldFail(Action action)
        {
            IOException error = Should.Throw<IOException>(action);
            (error.HResult, error.Message).ShouldSatisfyAllConditions(
                static e => e.HResult.ShouldBe(27), static e => e.Message.ShouldContain("Writing '"));
        }
    }

    /// <summary>The frame of a record that failed was there as a whole, and the next writer has another record in its place.</summary>
    [SkippableFact]
    public void A_record_in_the_place_of_one_that_failed_is_not_skipped()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLogOptions options = new() { Durability = LogDurability.Written, SegmentBytes = 8192, FlushInterval = TimeSpan.FromHours(1) };
        SluiceLog log = SluiceLog.Open(folder.Log, options);
        Append(log, 1, 3);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        Follow(follower).ShouldBe([1, 2, 3]);
        LoseAfterReading(log, follower, 4);
        using SluiceLog again = SluiceLog.Open(folder.Log, options);
        long sequence = again.Append(Records.Make(0, 11, 40), LogDurability.Durable);
        again.Append(Records.Make(0, 12, 40), LogDurability.Durable).ShouldBe(sequence + 1);
        Numbers(folder).ShouldBe([1, 2, 3, 11, 12]);
        Follow(follower).ShouldBe([11, 12]);
    }

    /// <summary>No sync of them has succeeded, and the segment that takes them back begins where theirs does.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_never_durable_and_was_dropped_is_given_to_nobody_who_reads_what_is_durable(bool isRemoved)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Durability = LogDurability.Written, Preallocate = false });
        Append(log, 1, 3);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Durable });
        SystemCallFaults.Use((call, fd, _) =>
            (call == "unlinkat" && !isRemoved) || IsSyncOf(call, fd, "0000000001.slog", "0000000002.slog") ? -EIO : 0);
        log.TruncateAfter(0);
        log.DurableSequence.ShouldBe(0);
        for (int i = 11; i <= 13; i++)
        {
            log.Append(Records.Make(0, i, 40), LogDurability.Durable).ShouldBe(i - 10);
        }

        SystemCallFaults.Use(null);
        Follow(follower).ShouldBe([11, 12, 13]);
        follower.Drops.ShouldBe(0);
    }

    /// <summary>The lock on log.state is the writer's own.</summary>
    [SkippableFact]
    public void A_name_that_cannot_be_looked_at_for_once_is_no_other_writer()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable });
        Append(log, 1, 3);
        int looks = 0;
        SystemCallFaults.Use((call, fd, _) =>
            call == "statx" && fd == PathCalls.CurrentFolder && Interlocked.Increment(ref looks) == 1 ? -EIO : 0);
        Should.Throw<IOException>(() => log.TruncateAfter(2)).Message.ShouldStartWith("Looking at");
        log.TruncateAfter(2);
        looks.ShouldBeGreaterThan(1);
        log.DurableSequence.ShouldBe(2);
    }

    /// <summary>What was taken back of a segment is so where that was removed since: whoever has it open is not given it.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_taken_back_of_a_segment_that_is_gone_is_given_to_nobody(bool isDropped)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Durability = LogDurability.Written, Preallocate = false });
        for (int i = 1; i <= 3; i++)
        {
            log.Append(Records.Make(0, i, 40), LogDurability.Durable);
        }

        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Durable });
        Follow(follower).ShouldBe([1, 2, 3]);
        Append(log, 4, 5);
        int failed = 0;
        SystemCallFaults.Use((call, fd, _) =>
            (isDropped ? IsSyncOf(call, fd, "0000000001.slog", "0000000002.slog") : failed == 0 && IsSyncOf(call, fd, "0000000001.slog"))
            && ++failed > 0 ? -EIO : 0);
        if (isDropped)
        {
            Should.Throw<IOException>(() => log.Flush());
            log.TruncateAfter(3);
            log.Append(Records.Make(0, 11, 40), LogDurability.Durable);
            log.Append(Records.Make(0, 12, 40), LogDurability.Durable);
        }
        else
        {
            log.Flush();
        }

        SystemCallFaults.Use(null);
        failed.ShouldBeGreaterThan(0);
        log.TruncateBefore(4).ShouldBeGreaterThan(0);
        Follow(follower).ShouldBe(isDropped ? [11, 12] : [4, 5]);
        follower.Drops.ShouldBe(0);
    }

    /// <summary>The frame that was read is lost, and the segment that the log went on in has come to nothing: its successor has the
    /// record's number.</summary>
    [SkippableFact]
    public void A_record_in_the_place_of_a_lost_one_is_not_skipped_behind_an_opening_that_failed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        using TempFolder folder = new(isInMemory: true);
        SluiceLogOptions options = new()
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            FlushInterval = TimeSpan.FromHours(1),
            Durability = LogDurability.Written,
        };
        SluiceLog log = SluiceLog.Open(folder.Log, options);
        for (int i = 1; i <= 4; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        Follow(follower).ShouldBe([1, 2, 3, 4]);
        LoseAfterReading(log, follower, 5);
        using SluiceLog again = SluiceLog.Open(folder.Log, options);
        int writes = 0;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call != "pwrite" || length <= 0 || length == LogLayout.HeaderBytes || NameOf(fd) is not { } name
                || !name.EndsWith(".slog", StringComparison.Ordinal) || name == "0000000001.slog")
            {
                return 0;
            }

            writes++;
            if (writes == 2)
            {
                Follow(follower).ShouldBeEmpty();
            }

            return writes == 1 ? OpeningBytes - 3 : -EIO;
        });
        again.Append(Records.Make(0, 11, 900), LogDurability.Buffered).ShouldBe(5);
        Should.Throw<IOException>(() => again.Flush());
        writes.ShouldBeGreaterThan(1);
        SystemCallFaults.Use(null);
        again.Append(Records.Make(0, 12, 900), LogDurability.Durable).ShouldBe(6);
        Follow(follower).ShouldBe([11, 12]);
        follower.Drops.ShouldBe(1);
        follower.DroppedFrom.ShouldBe(5);
    }

    /// <summary>Several frames that a follower has read were not on the disk, and the next writer has others in their place.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(9)]
    public void All_lost_frames_are_gone_back_behind(int lost)
    {
        using TempFolder folder = new();
        SluiceLogOptions options = new() { Durability = LogDurability.Durable, AcceptLoss = true };
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            Append(log, 1, 3);
        }

        string path = Path.Combine(folder.Log, "0000000001.slog");
        long length = new FileInfo(path).Length;
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            Append(log, 4, 3 + lost);
            Follow(follower).ShouldBe(Enumerable.Range(1, 3 + lost));
        }

        using (FileStream file = File.OpenWrite(path))
        {
            file.SetLength(length);
        }

        using SluiceLog again = SluiceLog.Open(folder.Log, options);
        Append(again, 101, 120);
        Follow(follower).ShouldBe(Enumerable.Range(101, 20));
        (follower.Drops, follower.DroppedFrom).ShouldBe((1, 4));
    }

    /// <summary>Closes a log whose append has failed: the frame was there as a whole, but for zeros, was read, and is torn now.</summary>
    private static void LoseAfterReading(SluiceLog log, SluiceLogReader follower, int number)
    {
        long kept = 0;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call != "pwrite" || length == 0 || NameOf(fd) != "0000000001.slog")
            {
                return 0;
            }

            // All but its last zeros, or little of it; then no more, nor zeros in the place of its head.
            long cut = Interlocked.Exchange(ref kept, 0);
            return cut == 0 ? -EIO : cut > 0 ? length - cut : -cut;
        });
        kept = 2;
        Should.Throw<IOException>(() => log.Append(Records.Make(0, number, 42)));
        Follow(follower).ShouldBe([number]);
        kept = -10;
        Should.Throw<IOException>(log.Dispose);
        SystemCallFaults.Use(null);
    }
}
