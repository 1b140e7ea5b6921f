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
        const int EIO = 5;
        const string First = "0000000001.slog";
        const string Second = "0000000002.slog";
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        bool isFull = true;
        int opened = 0;
        bool hasFailed = false;
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        SystemCallFaults.Use((call, fd, length) =>
        {
            string? name = fd < 0 ? null : Path.GetFileName(PathOf(fd));
            if (call == "pwrite" && name == Second && isFull && length > 0 && length != LogLayout.HeaderBytes)
            {
                return length == OpeningBytes && opened++ == 0 ? OpeningBytes - 4 : -ENOSPC;
            }

            // Once: what is not durable is written anew, to the segment whose opening failed, and there is space for it.
            bool fails = call == "fsync" && name == First && opened > 0 && !hasFailed;
            (hasFailed, isFull) = (hasFailed || fails, isFull && !fails);
            return fails ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900)));
        opened.ShouldBe(1);
        _ = Record.Exception(() => log.Flush());
        (hasFailed, isFull).ShouldBe((true, false));
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
        const string Second = "0000000002.slog";
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        for (int i = 0; i < 4; i++)
        {
            log.Append(Records.Make(0, i, 900));
        }

        bool hasFailed = false;
        SystemCallFaults.Use((call, fd, length) =>
        {
            if (call != "pwrite" || length <= 0 || length == LogLayout.HeaderBytes || fd < 0 || Path.GetFileName(PathOf(fd)) != Second)
            {
                return 0;
            }

            bool isFirst = !hasFailed && length == OpeningBytes;
            hasFailed |= isFirst;
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
