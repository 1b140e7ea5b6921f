using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>What an opening says of the end that it cuts, and what a process that was killed leaves.</summary>
public sealed class EndCutTests
{
    /// <summary>32 bytes of a frame's header, 4 of the record's, 100, and none up to a multiple of 8.</summary>
    private const int FrameBytes = 136;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    /// <summary>Every length that a torn last record can have, with zeros of reserved space behind it and without.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    public void A_cut_says_how_many_bytes_and_which_record(int zeros)
    {
        using TempFolder folder = new(isInMemory: true);
        byte[] whole;
        string path = Path.Combine(folder.Log, "0000000001.slog");
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < 3; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            whole = File.ReadAllBytes(path);
        }

        for (int torn = 1; torn < FrameBytes; torn++)
        {
            byte[] left = [.. whole[..^(FrameBytes - torn)], .. new byte[zeros]];
            Directory.Delete(folder.Log, recursive: true);
            Directory.CreateDirectory(folder.Log);
            File.WriteAllBytes(path, left);
            int end = whole.Length - FrameBytes;
            int bytes = left.AsSpan(end).LastIndexOfAnyExcept((byte)0) + 1;
            using SluiceLog opened = SluiceLog.Open(folder.Log, SmallLog.Options);
            SluiceLogCut cut = opened.Cut.ShouldNotBeNull($"{torn} bytes of the last frame");
            (cut.Path, cut.FileOffset, cut.Bytes, cut.Sequence).ShouldBe((path, end, bytes, 3), $"{torn} bytes of the last frame");
            opened.NextSequence.ShouldBe(3);
        }
    }

    /// <summary>
    /// Each prefix of a segment that is followed by another one is damage, and changes nothing, but for one that has all records: those are
    /// read, and whoever opens the log writes the footer again.
    /// </summary>
    [Fact]
    public void Every_prefix_of_a_sealed_segment_is_an_error_or_has_all_records()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: true);
        string first = log.Files.Keys.Where(static f => f.EndsWith(".slog", StringComparison.Ordinal)).Min()!;
        first.ShouldNotBe(log.Last);
        byte[] content = log.Files[first];
        log.WriteTo(folder.Log);
        long footer = SegmentInfo.Read(Path.Combine(folder.Log, first), 1)!.FooterOffset;

        // An empty oldest segment is one that was removed and could not be deleted.
        for (int length = 1; length < content.Length; length++)
        {
            log.WriteTo(folder.Log, first, content[..length]);
            string what = $"the first {length} of {content.Length} bytes of {first}, whose footer is at {footer}";
            List<(long Sequence, byte[] Bytes)> read = [];
            Exception? damage = Record.Exception(() => read = Records.ReadWritten(folder.Log));
            if (length < footer || damage is not null)
            {
                damage.ShouldBeOfType<SluiceLogDamagedException>(what).Path.ShouldContain(folder.Log);
            }
            else
            {
                read.Count.ShouldBe(log.All.Count, what);
                Records.ShouldBeInOrder(read, 1, 0);
            }

            Exception? error = Record.Exception(() => SluiceLog.Open(folder.Log, SmallLog.Options).Dispose());
            (error is null or SluiceLogDamagedException).ShouldBeTrue($"{what}: {error}");
            if (error is null)
            {
                // Sealed anew.
                File.ReadAllBytes(Path.Combine(folder.Log, first)).ShouldBe(content, what);
            }
            else
            {
                new FileInfo(Path.Combine(folder.Log, first)).Length.ShouldBe(length, what);
            }
        }
    }

    /// <summary>
    /// A power cut may take the page of a segment's opening, and leave what was written behind it: nothing of that is the log's, and
    /// whoever opens it is told.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_stands_behind_an_opening_that_was_lost_is_cut(bool isAlone)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(60, isDurable: false);
        byte[] bytes = log.Files[log.Last];
        bytes.AsSpan(LogLayout.HeaderBytes, LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes).Clear();
        log.WriteTo(folder.Log, log.Last, bytes);
        string path = Path.Combine(folder.Log, log.Last);
        foreach (string other in Directory.GetFiles(folder.Log).Where(f => isAlone && f != path))
        {
            File.Delete(other);
        }

        int end = bytes.AsSpan().LastIndexOfAnyExcept((byte)0) + 1;
        end.ShouldBeGreaterThan(LogLayout.HeaderBytes);
        using SluiceLog opened = SluiceLog.Open(folder.Log, SmallLog.Options);
        SluiceLogCut cut = opened.Cut.ShouldNotBeNull();
        (cut.Path, cut.FileOffset, cut.Bytes).ShouldBe((path, LogLayout.HeaderBytes, end - LogLayout.HeaderBytes));
        cut.Sequence.ShouldBe(opened.NextSequence);
        cut.Reason.ShouldContain("opening");
    }

    /// <summary>The space that was reserved behind what is cut is none of it.</summary>
    [Fact]
    public void Space_that_a_lost_segment_had_reserved_is_not_counted()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        string first = log.Files.Keys.Order(StringComparer.Ordinal).First();
        log.WriteTo(folder.Log, first, [.. log.Files[first][..1000], .. new byte[3000]]);
        string lost = Path.Combine(folder.Log, log.Last);
        lost.ShouldNotBe(Path.Combine(folder.Log, first));
        File.WriteAllBytes(lost, [.. log.Files[log.Last], .. new byte[1 << 20]]);
        using SluiceLog opened = SluiceLog.Open(folder.Log, SmallLog.Options);
        opened.Cut.ShouldNotBeNull().Bytes.ShouldBeInRange(1, 8192);
    }

    [Fact]
    public void Space_that_a_torn_segment_had_reserved_is_not_counted()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(60, isDurable: false);
        byte[] bytes = [.. log.Files[log.Last], .. new byte[1 << 20]];
        bytes[LogLayout.HeaderBytes + LogLayout.FrameHeaderBytes] ^= 0x40;
        log.WriteTo(folder.Log, log.Last, bytes);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        while (reader.TryRead(out _))
        {
        }

        SluiceLogCut tail = reader.Tail.ShouldNotBeNull();
        tail.Path.ShouldBe(Path.Combine(folder.Log, log.Last));
        tail.Bytes.ShouldBeInRange(1, 8192);
    }

    /// <summary>Zeros of reserved space are unwritten: a process that is killed between two appends leaves nothing that is cut.</summary>
    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void A_killed_process_with_reserved_space_leaves_no_cut(LogDurability durability)
    {
        using TempFolder folder = new();
        string copy = folder.Log + "-killed";
        using (SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { SegmentBytes = 1 << 20, MaxRecordBytes = 8000, Durability = durability }))
        {
            for (int i = 0; i < 50; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            Directory.CreateDirectory(copy);
            foreach (string file in Directory.GetFiles(folder.Log))
            {
                using FileStream from = new(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
                using FileStream to = File.Create(Path.Combine(copy, Path.GetFileName(file)));
                from.CopyTo(to);
            }
        }

        new FileInfo(Path.Combine(copy, "0000000001.slog")).Length.ShouldBe(1 << 20, "no space was reserved");
        using SluiceLog again = SluiceLog.Open(copy, new SluiceLogOptions { MaxRecordBytes = 8000 });
        again.Cut.ShouldBeNull();
        again.NextSequence.ShouldBe(51);
    }

    /// <summary>By default a reader goes no further than what was on the disk, whoever writes, also in another process.</summary>
    [Fact]
    public async Task A_reader_of_another_process_stops_at_what_is_durable()
    {
        using TempFolder folder = new();
        using ChildProcess child = new("append", folder.Log, nameof(LogDurability.Written));
        for (int i = 0; i < 500; i++)
        {
            (await child.ReadLineAsync()).ShouldNotBeNull();
        }

        long written = 0;
        long durable = -1;
        SpinWait.SpinUntil(
            () =>
            {
                // While nothing is written: on a busy machine the log may grow faster than it is read.
                child.Halt();
                long from = Math.Max(1, durable);
                written = Last(folder.Log, LogDurability.Written, from);
                long read = Last(folder.Log, LogDurability.Durable, from);

                // Asked afterwards, since it only grows: what had begun when the process was halted may end yet.
                durable = LogState.TryRead(Path.Combine(folder.Log, LogFolder.StateName))!.Value.DurableSequence;
                read.ShouldBeLessThanOrEqualTo(durable);
                child.GoOn();
                return written > durable;
            },
            Patience).ShouldBeTrue("all that is written is durable, so this test proves nothing");
        child.Kill();
        _ = await child.FinishAsync();
        Last(folder.Log, LogDurability.Durable).ShouldBeLessThanOrEqualTo(
            LogState.TryRead(Path.Combine(folder.Log, LogFolder.StateName))!.Value.DurableSequence);
    }

    /// <summary>The last record that may be read; the one before <paramref name="from"/> where there is none from there on.</summary>
    private static long Last(string directory, LogDurability upTo, long from = 1)
    {
        using SluiceLogReader reader = new(directory, new SluiceLogReaderOptions { UpTo = upTo, FromSequence = from });
        long last = from - 1;
        while (reader.TryRead(out LogEntry entry))
        {
            last = entry.Sequence;
        }

        return last;
    }
}
