using Sluice.Kernel;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What comes behind the removal of a segment whose opening failed, and where it cannot be removed.</summary>
public sealed partial class PartlyWrittenTests
{
    private const int EIO = 5;
    private const int EACCES = 13;
    private const string FirstFile = "0000000001.slog";
    private const string SecondFile = "0000000002.slog";

    /// <summary>The next writer gives its number again, to a segment that takes records back.</summary>
    [SkippableFact]
    public void Who_waits_for_durable_records_at_an_opening_that_failed_hears_of_what_the_next_writer_drops()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        SluiceLogReader? follower = null;
        OpenAndFail(folder.Log, whileItIsThere: () =>
        {
            follower = new SluiceLogReader(folder.Log, new SluiceLogReaderOptions { FromEnd = true, UpTo = LogDurability.Durable });
            Follow(follower).ShouldBeEmpty();
        }).Dispose();
        using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
        File.Exists(Path.Combine(folder.Log, SecondFile)).ShouldBeFalse();
        log.TruncateAfter(2);
        File.Exists(Path.Combine(folder.Log, SecondFile)).ShouldBeTrue();
        log.Append(Records.Make(0, 10, 40), LogDurability.Durable);
        log.Append(Records.Make(0, 11, 40), LogDurability.Durable);
        Follow(follower.ShouldNotBeNull()).ShouldBe(["3: 10", "4: 11"]);
        (follower.Drops, follower.DroppedFrom).ShouldBe((1, 3));
        follower.Dispose();
    }

    /// <summary>A power cut would bring it back in front of what is durable later.</summary>
    [SkippableFact]
    public void Nothing_is_written_behind_a_name_that_was_removed_and_not_flushed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = OpenAndFail(folder.Log, fromThen: FailsFlush);
        File.Exists(Path.Combine(folder.Log, SecondFile)).ShouldBeFalse();
        SystemCallFaults.Use(FailsFlush);
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 5, 40), LogDurability.Written));
        SystemCallFaults.Use(null);
        log.Append(Records.Make(0, 6, 40), LogDurability.Written).ShouldBe(7);
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe([1, 2, 3, 4, 7]);

        long FailsFlush(string call, int fd, long length) => call == "fsync" && fd >= 0 && PathOf(fd) == folder.Log ? -EIO : 0;
    }

    /// <summary>A flush that is overtaken by the end of the journal says that all is well, and what it was for is lost.</summary>
    [SkippableTheory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public void Whether_the_file_system_lives_is_asked_before_anything_is_written_behind_a_removal(bool isAtOnce, bool isEmptied)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        List<string> calls = [];
        bool isDead = true;
        using SluiceLog log = OpenAndFail(folder.Log, isRemoved: isAtOnce, fromThen: isAtOnce ? Note : null);
        SystemCallFaults.Use((call, fd, length) => call == "unlinkat" && isEmptied ? -EACCES : Note(call, fd, length));
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 5, 40), LogDurability.Written));
        calls.ShouldNotContain("write " + FirstFile);
        calls.Clear();
        Volatile.Write(ref isDead, false);
        log.Append(Records.Make(0, 6, 40), LogDurability.Written).ShouldBe(7);
        SystemCallFaults.Use(null);
        int flushed = calls.IndexOf("fsync " + (isEmptied ? SecondFile : Path.GetFileName(folder.Log)));
        int asked = calls.FindLastIndex(static c => c.StartsWith("ask " + SecondFile, StringComparison.Ordinal));
        int written = calls.IndexOf("write " + FirstFile);
        flushed.ShouldBeGreaterThanOrEqualTo(0);
        asked.ShouldBeGreaterThan(flushed);
        written.ShouldBeGreaterThan(asked);
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe([1, 2, 3, 4, 7]);

        long Note(string call, int fd, long length)
        {
            bool asks = call == "pwrite" && length == 0;
            if (fd >= 0 && call is "fsync" or "pwrite")
            {
                lock (calls)
                {
                    calls.Add($"{(asks ? "ask" : call == "pwrite" ? "write" : call)} {Path.GetFileName(PathOf(fd))}");
                }
            }

            return asks && Volatile.Read(ref isDead) ? -EIO : 0;
        }
    }

    /// <summary>Its number is smaller than that of the segment that is read, and larger than none that is there.</summary>
    [SkippableFact]
    public void An_empty_file_that_stays_does_not_make_what_was_removed_missing()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = OpenAndFail(folder.Log, isRemoved: false);
        SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -EACCES : 0);
        log.Append(Records.Make(0, 5, 900), LogDurability.Durable).ShouldBe(6);
        SystemCallFaults.Use(null);
        using SluiceLogReader follower = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        Follow(follower)[^1].ShouldBe("6: 5");
        for (int i = 6; i < 16; i++)
        {
            log.Append(Records.Make(0, i, 900), LogDurability.Durable);
        }

        log.TruncateBefore(15).ShouldBe(3);
        Directory.GetFiles(folder.Log, "*.slog").Select(Path.GetFileName).Order(StringComparer.Ordinal).Take(2)
            .ShouldBe([SecondFile, "0000000005.slog"]);
        Should.Throw<SluiceLogDamagedException>(() => Follow(follower)).Reason.ShouldContain("it was removed before it was read");
    }

    /// <summary>Nothing can be removed in the folder, when the log is opened again either.</summary>
    /// <param name="isMadeAhead">Whether a file has a header, and was never begun.</param>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_log_is_opened_though_what_is_nothing_in_it_can_never_be_removed(bool isMadeAhead)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = OpenAndFail(folder.Log, isRemoved: false))
        {
            SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -EACCES : 0);
        }

        if (isMadeAhead)
        {
            SmallLog.MakeAhead(folder.Log, LogIdOf(Path.Combine(folder.Log, FirstFile)));
        }

        string newest = Directory.GetFiles(folder.Log, "*.slog").Max(StringComparer.Ordinal)!;
        string last = isMadeAhead ? newest : Path.Combine(folder.Log, SecondFile);
        new FileInfo(last).Length.ShouldBe(isMadeAhead ? LogLayout.HeaderBytes : 0);
        SystemCallFaults.Use((call, fd, _) => call == "unlinkat" ? -EACCES : call == "fsync" && fd >= 0 && PathOf(fd) == last ? -EIO : 0);
        Should.Throw<UnauthorizedAccessException>(() => SluiceLog.Open(folder.Log, FourToASegment())).Message.ShouldContain(last);
        SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -EACCES : 0);
        long[] sequences = [1, 2, 3, 4];
        for (int i = 0; i < 3; i++)
        {
            using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
            sequences = [.. sequences, log.Append(Records.Make(0, i, 900), LogDurability.Durable)];
            Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe(sequences);
            new FileInfo(last).Length.ShouldBe(0);
        }

        SystemCallFaults.Use(null);
        SluiceLog.Open(folder.Log, FourToASegment()).Dispose();
        File.Exists(last).ShouldBeFalse();
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe(sequences);

        static Guid LogIdOf(string path)
        {
            SegmentHeader.Read(File.ReadAllBytes(path).AsSpan(0, LogLayout.HeaderBytes), out SegmentHeader header, out _).ShouldBeNull();
            return header.LogId;
        }
    }

    /// <summary>
    /// What took it back may go when it is gone, or nothing any more: else it would be there again. One that cannot be removed keeps
    /// neither the others that were taken back nor, once it is empty, what comes behind them.
    /// </summary>
    /// <param name="isEmptied">Whether it can be emptied, at least.</param>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public void Others_are_removed_though_one_that_was_taken_back_cannot_be(bool isEmptied)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, FourToASegment());
        Append(log, 0, 12);
        SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -EACCES : 0);
        log.TruncateAfter(2);
        SystemCallFaults.Use(null);
        (SizeOf(SecondFile) > 0 && SizeOf("0000000003.slog") > 0).ShouldBeTrue("what was taken back is there");
        Append(log, 12, 12);
        int thread = Environment.CurrentManagedThreadId;
        int removals = 0;
        SystemCallFaults.Use((call, _, _) =>
            Environment.CurrentManagedThreadId == thread
                && (call == "unlinkat" ? ++removals == 2 : call == "openat" && !isEmptied) ? -EACCES : 0);
        Should.Throw<UnauthorizedAccessException>(() => log.TruncateBefore(9));
        SystemCallFaults.Use(null);
        long[] left = [SizeOf(SecondFile), SizeOf("0000000003.slog")];
        left.Count(static l => l < 0).ShouldBe(1, "what could be removed");
        left.Count(static l => l == 0).ShouldBe(isEmptied ? 1 : 0);
        log.FirstSequence.ShouldBe(isEmptied ? 7 : 3);
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe(Numbers(log.FirstSequence));

        // Told once, and removed when that can be.
        log.TruncateBefore(9).ShouldBe(isEmptied ? 0 : 1);
        log.FirstSequence.ShouldBe(7);
        log.TruncateBefore(11).ShouldBe(1);
        (SizeOf(SecondFile), SizeOf("0000000003.slog")).ShouldBe((-1, -1));
        log.Dispose();
        SluiceLog.Open(folder.Log, FourToASegment()).Dispose();
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe(Numbers(11));

        long SizeOf(string name) => new FileInfo(Path.Combine(folder.Log, name)) is { Exists: true } file ? file.Length : -1;

        static IEnumerable<long> Numbers(long first) => Enumerable.Range((int)first, 15 - (int)first).Select(static s => (long)s);

        static void Append(SluiceLog log, int first, int count)
        {
            for (int i = first; i < first + count; i++)
            {
                log.Append(Records.Make(0, i, 900), LogDurability.Durable);
            }
        }
    }

    /// <summary>It has seen the segments with what they had, before they were taken back, and made empty since they could not be
    /// removed.</summary>
    [SkippableFact]
    public void Who_goes_back_does_not_take_what_was_emptied_for_what_it_was()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 16384,
            MaxRecordBytes = 4000,
            BufferBytes = 16000,
            Preallocate = false,
            FlushInterval = TimeSpan.FromHours(1),
        });
        Append(12, 3900, LogDurability.Durable);
        log.TruncateBefore(1).ShouldBe(0);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        Follow(reader).Count.ShouldBe(12);
        SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -EACCES : 0);
        log.TruncateAfter(4);
        SystemCallFaults.Use(null);
        Append(8, 3900, LogDurability.Durable);
        Follow(reader).Count.ShouldBe(8);
        log.TruncateBefore(1).ShouldBe(0);
        int thread = Environment.CurrentManagedThreadId;
        int removals = 0;
        SystemCallFaults.Use((call, _, _) =>
            call == "unlinkat" && Environment.CurrentManagedThreadId == thread && ++removals is 2 or 3 ? -EACCES : 0);
        Should.Throw<UnauthorizedAccessException>(() => log.TruncateBefore(9));
        SystemCallFaults.Use(null);
        log.FirstSequence.ShouldBe(9);
        Directory.GetFiles(folder.Log, "*.slog").Count(static f => new FileInfo(f).Length == 0).ShouldBe(2);
        Follow(reader).ShouldBeEmpty();

        // More than a reader goes back by itself: it is in the segment that was to have all of them anew, when that comes to nothing.
        const int Copied = Tuning.LogFramesToGoBack + 30;
        Append(Copied, 12, LogDurability.Written);
        bool isInside = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call != "fsync" || isInside || PathOf(fd) is not { } path || !path.EndsWith(".slog", StringComparison.Ordinal)
                || new FileInfo(path).Length <= LogLayout.HeaderBytes)
            {
                return 0;
            }

            isInside = true;
            Follow(reader).Count.ShouldBe(Copied);
            isInside = false;
            return -EIO;
        });
        Should.Throw<IOException>(() => log.Flush());
        SystemCallFaults.Use(null);
        Append(1, 20, LogDurability.Written);
        Follow(reader)[^1].ShouldBe($"{log.NextSequence - 1}: 0");
        log.Flush();
        Records.ReadAll(folder.Log).Select(static r => r.Sequence)
            .ShouldBe(Enumerable.Range(9, (int)log.NextSequence - 9).Select(static s => (long)s));

        void Append(int count, int length, LogDurability durability)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, i, length), durability);
            }
        }
    }
}
