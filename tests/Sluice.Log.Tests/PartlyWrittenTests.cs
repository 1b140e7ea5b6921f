using System.Text;
using Sluice.Log.Frames;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// A frame is written in part, its append fails, and it is written over, with the record withdrawn, while a reader is between two of its
/// reads: what it reads is one or the other, never the beginning of one and the end of the other.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class PartlyWrittenTests : IDisposable
{
    private const int ENOSPC = 28;

    private static readonly byte[] Refused = [.. Enumerable.Repeat((byte)'r', 200)];

    public void Dispose() => SystemCallFaults.Use(null);

    private static SluiceLogOptions Options(bool preallocates) =>
        new() { SegmentBytes = 65536, Preallocate = preallocates, FlushInterval = TimeSpan.FromHours(1) };

    /// <param name="written">How much of the frame is written before the disk is full.</param>
    /// <param name="zeros">How many bytes at the record's end are zero, as the file is there.</param>
    [SkippableTheory]
    [InlineData(40, 0)]
    [InlineData(150, 0)]
    [InlineData(150, 150)]
    public void A_frame_that_is_overwritten_during_a_read_is_not_combined_with_its_replacement(int written, int zeros)
    {
        Linux.OrSkip();
        byte[] refused = [.. Refused.AsSpan(0, Refused.Length - zeros), .. new byte[zeros]];
        bool isOver = false;
        for (int step = 0; !isOver; step++)
        {
            using TempFolder folder = new(isInMemory: true);
            using SluiceLog log = folder.Open(Options(zeros > 0));
            log.Append("one"u8);
            using SluiceLogReader reader = folder.OpenReader(skips: true);
            reader.Next().Sequence.ShouldBe(1);
            int reading = Environment.CurrentManagedThreadId;
            bool isFull = true;
            bool isCut = false;
            int reads = -1;
            SystemCallFaults.Use((call, _, length) =>
            {
                if (call == "pwrite" && isFull && length > 0)
                {
                    isCut = !isCut && length > 200;
                    return isCut ? written : -ENOSPC;
                }

                if (call == "pread" && Environment.CurrentManagedThreadId == reading && isFull && reads >= 0 && reads++ == step)
                {
                    isFull = false;
                    log.Flush();
                }

                return 0;
            });
            Should.Throw<IOException>(() => log.Append(refused));
            List<string> got = [];
            reads = 0;
            Read();
            isOver = isFull;
            isFull = false;
            for (int i = 0; i < 3; i++)
            {
                log.Append(Records.Make(0, i, 50));
                Read();
            }

            SystemCallFaults.Use(null);
            got.ShouldBe(["3: 0", "4: 1", "5: 2"], $"step {step}");
            folder.Sequences().ShouldBe([1, 3, 4, 5], $"step {step}");

            void Read()
            {
                while (reader.TryRead(out LogEntry entry))
                {
                    got.Add($"{entry.Sequence}: {Records.Check(entry.Bytes).Number}");
                }
            }
        }
    }

    /// <summary>Records that end alike: what the second one's write did not come to may stand there from the first one's.</summary>
    [SkippableFact]
    public void What_failed_before_makes_no_part_of_a_frame_whole()
    {
        Linux.OrSkip();
        const int Missing = 20;
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(Options(false));
        log.Append("one"u8);
        const int First = 400;
        const int Second = 300;
        long[] frames = [LogLayout.Padded(36 + First), LogLayout.Padded(36 + Second)];
        int written = 0;
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call == "pwrite" && frames.Contains(length))
            {
                written++;
                return length - Missing;
            }

            return call == "pwrite" && length == Missing ? -ENOSPC : 0;
        });

        // The second one's frame has no room for zeros at its end. Between the two stands one that says that the first is withdrawn.
        foreach (int bytes in (int[])[First, Second])
        {
            Should.Throw<IOException>(() => log.Append([.. Enumerable.Repeat((byte)'r', bytes)]));
            folder.Sequences().ShouldBe([1], $"{bytes} bytes");
        }

        written.ShouldBe(2);
        SystemCallFaults.Use(null);
        log.Append(Records.Make(0, 0, 50));
        folder.Sequences().ShouldBe([1, 4]);

        // Nor does what was longer stand behind what is shorter: who is killed here leaves nothing torn.
        string killed = Path.Combine(folder.Root, "killed");
        FolderImage.Copy(folder.Log, killed);
        using (SluiceLog next = SluiceLog.Open(killed))
        {
            next.Cut.ShouldBeNull();
        }

        log.Dispose();
        folder.Open().Dispose();
    }

    /// <summary>A frame is written in part, and whole over the zeros that were there; then the log is closed, on a disk that is still
    /// full.</summary>
    [SkippableFact]
    public void What_failed_before_is_cut_off_when_the_log_is_closed_with_an_error()
    {
        Linux.OrSkip();
        const int Zeros = 150;
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = folder.Open(Options(true));
        log.Append("one"u8);
        bool hasFailed = false;
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call != "pwrite" || length <= 0)
            {
                return 0;
            }

            bool isFirst = !hasFailed && length > Refused.Length;
            if (isFirst)
            {
                hasFailed = true;
            }

            return isFirst ? Zeros : -ENOSPC;
        });
        Should.Throw<IOException>(() => log.Append([.. Refused.AsSpan(0, Refused.Length - Zeros), .. new byte[Zeros]]));
        folder.Sequences().ShouldBe([1]);
        Should.Throw<IOException>(log.Dispose);
        SystemCallFaults.Use(null);
        folder.Sequences().ShouldBe([1]);
        folder.Open().Dispose();
        folder.Sequences().ShouldBe([1]);
    }

    /// <summary>
    /// A frame is written in part, and whole over the zeros that were there; then its segment has become too old, so that the next attempt
    /// goes to another one, and nothing can be written to the old one any more, a footer neither.
    /// </summary>
    [SkippableFact]
    public void What_failed_before_stays_in_no_segment_that_is_left()
    {
        Linux.OrSkip();
        TimeSpan age = TimeSpan.FromSeconds(1);
        while (!HasLeft(age))
        {
            age *= 2;
        }
    }

    /// <summary>False where the segment was too old before the write that was to fail.</summary>
    private static bool HasLeft(TimeSpan age)
    {
        const int Zeros = 150;
        byte[] refused = [.. Refused.AsSpan(0, Refused.Length - Zeros), .. new byte[Zeros]];
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions
        {
            SegmentBytes = 65536,
            SegmentAge = age,
            FlushInterval = TimeSpan.FromHours(1),
            Durability = LogDurability.Written,
        });
        log.Append("one"u8, LogDurability.Durable);
        using SluiceLogReader reader = folder.OpenReader(skips: true);
        List<string> got = [];
        string? failed = null;
        int syncs = 0;
        SystemCallFaults.Use((call, fd, length) =>
        {
            string? path = fd >= 0 && (call == "fsync" || (call == "pwrite" && length > 0)) ? OpenFiles.NameOf(fd) : null;
            if (call == "fsync")
            {
                _ = path is not null && path == failed ? Interlocked.Increment(ref syncs) : 0;
                return 0;
            }

            if (failed is null && length > Refused.Length && path?.EndsWith(".slog", StringComparison.Ordinal) == true)
            {
                failed = path;

                // Until the segment is too old.
                Thread.Sleep(age + TimeSpan.FromMilliseconds(100));
                return Zeros;
            }

            return path is not null && path == failed ? -ENOSPC : 0;
        });
        Should.Throw<IOException>(() => log.Append(refused));
        if (Path.GetFileName(failed) != "0000000001.slog")
        {
            SystemCallFaults.Use(null);
            return false;
        }

        folder.Sequences().ShouldBe([1]);
        log.Append("two"u8);
        log.Flush();
        Read();
        got.ShouldBe(["1: one", "3: two"]);
        folder.Sequences().ShouldBe([1, 3]);

        // All its records were on the disk: what was cut off is not to come back before what is behind it.
        syncs.ShouldBePositive();

        // What there would be if the process were killed now.
        string copy = Path.Combine(folder.Root, "copy");
        FolderImage.Copy(folder.Log, copy);
        SystemCallFaults.Use(null);
        using (SluiceLog killed = SluiceLog.Open(copy))
        {
            killed.Append("three"u8).ShouldBe(4);
        }

        Records.Sequences(copy).ShouldBe([1, 3, 4]);
        log.Dispose();
        folder.Open().Dispose();
        folder.Sequences().ShouldBe([1, 3]);
        return true;

        void Read()
        {
            while (reader.TryRead(out LogEntry entry))
            {
                got.Add($"{entry.Sequence}: {(entry.Bytes.SequenceEqual(refused) ? "refused" : Encoding.UTF8.GetString(entry.Bytes))}");
            }
        }
    }

    /// <summary>The opening of the next segment is written in part. The log continues in that segment when there is space.</summary>
    [SkippableTheory]
    [InlineData(3)]
    [InlineData(20)]
    [InlineData(LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes)]
    public void A_segment_whose_opening_failed_takes_the_next_record(int missing)
    {
        Linux.OrSkip();
        const int OpeningBytes = LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        using TempFolder folder = new(isInMemory: true);
        using Follower follower = new(Directory.CreateDirectory(folder.Log).FullName, LogDurability.Written);
        SluiceLogOptions options = SmallLog.With(o => o.FlushInterval = TimeSpan.FromHours(1));
        string failed = Path.Combine(folder.Root, "failed");
        using (SluiceLog log = folder.Open(options))
        {
            log.AppendMany(0, 4, 900);

            bool hasFailed = false;
            SystemCallFaults.Use((call, fd, length) =>
            {
                if (call != "pwrite" || length <= 0 || length == LogLayout.HeaderBytes || fd < 0
                    || Path.GetFileName(OpenFiles.NameOf(fd)) != "0000000002.slog")
                {
                    return 0;
                }

                bool isFirst = !hasFailed && length == OpeningBytes && missing < OpeningBytes;
                hasFailed = true;
                return isFirst ? OpeningBytes - missing : -ENOSPC;
            });
            Should.Throw<IOException>(() => log.Append(Records.Make(0, 4, 900), LogDurability.Durable)).HResult.ShouldBe(ENOSPC);
            SystemCallFaults.Use(null);
            hasFailed.ShouldBeTrue();
            log.Failure.ShouldBeNull();
            follower.Read();
            FolderImage.Copy(folder.Log, failed);
            log.Append(Records.Make(0, 5, 40), LogDurability.Durable).ShouldBe(6);
            log.Append(Records.Make(0, 6, 900), LogDurability.Durable).ShouldBe(7);
            follower.Read();
        }

        folder.Numbers().ShouldBe([0, 1, 2, 3, 5, 6]);
        follower.Numbers.ShouldBe([0, 1, 2, 3, 5, 6]);
        follower.Removals.ShouldBe(0);
        using (SluiceLog log = SluiceLog.Open(failed, options))
        {
            log.Append(Records.Make(0, 7, 40), LogDurability.Durable).ShouldBeInRange(5, 6);
        }

        Records.Numbers(failed).ShouldBe([0, 1, 2, 3, 7]);
    }
}
