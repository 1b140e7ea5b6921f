using System.Runtime.InteropServices;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What somebody does to a log's folder between two system calls of an opening, for each of them.</summary>
/// <remarks>These tests look at every system call of the process; whichever engine it has, they are the same.</remarks>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class WriterWindowTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>The folder is moved away, and one with another log has its name: nothing of that one is written to or removed.</summary>
    [SkippableTheory]
    [InlineData(90)]
    [InlineData(5)]
    public void A_folder_that_is_exchanged_at_any_moment_of_an_opening_keeps_its_files(int others)
    {
        Linux.OrSkip();
        SmallLog small = new(40, isDurable: true);
        using TempFolder folder = new(isInMemory: true);
        string moved = folder.Log + "-moved";
        string another = folder.Log + "-another";
        new SmallLog(others, isDurable: true).WriteTo(another);
        Dictionary<string, byte[]> before = FolderImage.Read(another);
        bool isOver = false;
        for (int step = 0; !isOver; step++)
        {
            // What is superfluous in the one is a segment in the other.
            small.WriteTo(folder.Log);
            SmallLog.MakeAhead(folder.Log, small.LogId);

            // From where it has opened log.state.
            bool isExchanged = SystemCallSteps.At(step, () =>
            {
                Directory.Move(folder.Log, moved);
                Directory.Move(another, folder.Log);
            }, () => folder.Open(SmallLog.Options).Dispose(), from: "fcntl");
            isOver = !isExchanged;
            if (isExchanged)
            {
                FolderImage.ShouldBe(folder.Log, before, $"step {step}");
                Records.ShouldHave(moved, small.All.Count, $"step {step}");
                Directory.Move(folder.Log, another);
                Directory.Delete(moved, recursive: true);
            }
        }
    }

    /// <summary>An error of a lock is no lock: the log is refused, or what may be written to is locked.</summary>
    [SkippableTheory]
    [InlineData(LogFormat.Framed, 37)]
    [InlineData(LogFormat.Framed, 5)]
    [InlineData(LogFormat.Raw, 37)]
    public void A_file_that_cannot_be_locked_is_not_written_to(LogFormat format, int errno)
    {
        Linux.OrSkip();
        SmallLog small = new(40, isDurable: false);
        SluiceLogOptions options = format == LogFormat.Framed ? SmallLog.Options : new() { Format = format };
        using TempFolder folder = new(isInMemory: true);
        int refused = 0;
        bool isOver = false;
        for (int step = 0; !isOver; step++)
        {
            small.WriteTo(folder.Log);
            int calls = 0;
            SystemCallSteps.UseOwn((call, _, _) =>
                call == "fcntl" && calls++ == step ? -errno : 0);
            SluiceLog? log = null;
            try
            {
                log = folder.Open(options);
            }
            catch (IOException)
            {
                refused++;
            }
            finally
            {
                SystemCallFaults.Use(null);
            }

            using (log)
            {
                isOver = calls <= step;
                if (log is not null)
                {
                    log.Append("x"u8, LogDurability.Written);
                    string newest = Directory.GetFiles(folder.Log, format == LogFormat.Framed ? "*.slog" : "*.log")
                        .Where(static f => new FileInfo(f).Length > LogLayout.HeaderBytes || f.EndsWith(".log", StringComparison.Ordinal))
                        .Max()!;
                    using SluiceHandle other = LogFile.Open(newest, FileMode.Open, FileAccess.ReadWrite);
                    LogFile.LockNow(other, alone: true).ShouldBe(-11, $"step {step}");
                }
            }
        }

        refused.ShouldBeGreaterThan(0);
    }

    /// <summary>
    /// A full segment whose last sync failed has no footer, and the page cache has what the disk has not: the log ends where the disk
    /// says, however many segments were begun behind it.
    /// </summary>
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(5)]
    public void What_an_earlier_segment_has_in_the_cache_alone_is_not_taken_for_durable(int durable)
    {
        Linux.OrSkip();
        SmallLog small = new(70, isDurable: false);
        using TempFolder folder = new(isInMemory: true);
        small.WriteTo(folder.Log);
        string[] paths = folder.Segments;
        Array.ForEach(paths[2..], File.Delete);
        SegmentInfo[] segments = [.. paths[..2].Select(static (path, i) => Segment.Read(path, i + 1).ShouldNotBeNull())];
        foreach (SegmentInfo segment in segments)
        {
            using SluiceHandle file = SluiceHandle.Open(segment.Path, FileMode.Open, FileAccess.ReadWrite);
            file.SetLength(segment.FooterOffset);
        }

        long whole = segments[0].LastSequence;
        long lost = segments[0].FooterOffset - 8;
        int dropped = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // What the disk has: all of the first segment but its last frame.
            if (call == "posix_fadvise" && dropped++ == 0)
            {
                using SluiceHandle file = SluiceHandle.Open(paths[0], FileMode.Open, FileAccess.ReadWrite);
                file.SetLength(lost);
            }

            return 0;
        });
        try
        {
            if (durable > 0)
            {
                using SluiceHandle state = SluiceHandle.Open(
                    folder.PathOf(LogFolder.StateName), FileMode.CreateNew, FileAccess.Write);
                new LogState(LogDurability.Written, segments[0].Header.LogId, durable, 1).Write(state);
            }

            using SluiceLog log = folder.Open(SmallLog.Options);
            dropped.ShouldBeGreaterThan(0);
            log.NextSequence.ShouldBe(whole);
            log.Cut.ShouldNotBeNull().Sequence.ShouldBe(whole);
            log.Append(Records.Make(7, 7, 100), LogDurability.Durable).ShouldBe(whole);
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        List<(long Sequence, byte[] Bytes)> all = folder.ReadAll();
        all.Count.ShouldBe((int)whole);
        all[..^1].ShouldAllBe(r => r.Bytes.SequenceEqual(small.All[(int)r.Sequence - 1].Bytes));
        Records.Check(all[^1].Bytes).ShouldBe((7, 7));
    }
}
