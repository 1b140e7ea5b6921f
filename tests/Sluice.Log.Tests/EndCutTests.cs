using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>Opening a log reads records from the disk, and reports the end that it cuts.</summary>
public sealed class EndCutTests
{
    /// <summary>32 bytes of a frame's header, 4 of the record's, 100, and none up to a multiple of 8.</summary>
    private const int FrameBytes = 136;

    /// <summary>Records that may not be durable are read from the disk, not from what was read ahead. Here they are not there.</summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 1)]
    [InlineData(17, 17)]
    [InlineData(30, 30)]
    [InlineData(31, 30)]
    public void What_is_behind_the_durable_end_is_read_again(long durable, long expected)
    {
        const int count = 30;
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Preallocate = false }))
        {
            log.AppendMany(0, count, durability: LogDurability.Written);
        }

        string path = folder.Segments.Single();
        SegmentInfo segment = Segment.Read(path, 1).ShouldNotBeNull();
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
        List<long> offsets = [];
        SegmentScan scan = segment.Scan(file, durable, offset =>
        {
            offsets.Add(offset);
            file.SetLength(offset);
        });
        scan.LastSequence.ShouldBe(expected);
        offsets.Count.ShouldBe(durable <= count ? 1 : 0);
    }

    /// <summary>Every length that a torn last record can have, with zeros of reserved space behind it and without.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(4096)]
    public void A_cut_says_how_many_bytes_and_which_record(int zeros)
    {
        using TempFolder folder = new(isInMemory: true);
        byte[] whole;
        string path = folder.PathOf("0000000001.slog");
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 3);

            whole = File.ReadAllBytes(path);
        }

        for (int torn = 1; torn < FrameBytes; torn++)
        {
            byte[] left = [.. whole[..^(FrameBytes - torn)], .. new byte[zeros]];
            folder.Clear();
            File.WriteAllBytes(path, left);
            int end = whole.Length - FrameBytes;
            int bytes = left.AsSpan(end).LastIndexOfAnyExcept((byte)0) + 1;
            using SluiceLog opened = folder.Open(SmallLog.Options);
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
        string first = log.First;
        first.ShouldNotBe(log.Last);
        byte[] content = log.Files[first];
        log.WriteTo(folder.Log);
        long footer = Segment.Read(folder.PathOf(first), 1)!.FooterOffset;

        // An empty oldest segment is one that was removed and could not be deleted.
        for (int length = 1; length < content.Length; length++)
        {
            log.WriteTo(folder.Log, first, content[..length]);
            string what = $"the first {length} of {content.Length} bytes of {first}, whose footer is at {footer}";
            List<(long Sequence, byte[] Bytes)> read = [];
            Exception? damage = Record.Exception(() => read = folder.ReadWritten());
            if (length < footer || damage is not null)
            {
                damage.ShouldBeOfType<SluiceLogDamagedException>(what).Path.ShouldContain(folder.Log);
            }
            else
            {
                read.Count.ShouldBe(log.All.Count, what);
                Records.ShouldBeInOrder(read, 1, 0);
            }

            Exception? error = Record.Exception(() => folder.Open(SmallLog.Options).Dispose());
            (error is null or SluiceLogDamagedException).ShouldBeTrue($"{what}: {error}");
            if (error is null)
            {
                // Sealed anew.
                File.ReadAllBytes(folder.PathOf(first)).ShouldBe(content, what);
            }
            else
            {
                new FileInfo(folder.PathOf(first)).Length.ShouldBe(length, what);
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
        string path = folder.PathOf(log.Last);
        foreach (string other in folder.Files.Where(f => isAlone && f != path))
        {
            File.Delete(other);
        }

        int end = bytes.AsSpan().LastIndexOfAnyExcept((byte)0) + 1;
        end.ShouldBeGreaterThan(LogLayout.HeaderBytes);
        using SluiceLog opened = folder.Open(SmallLog.Options);
        SluiceLogCut cut = opened.Cut.ShouldNotBeNull();
        (cut.Path, cut.FileOffset, cut.Bytes).ShouldBe((path, LogLayout.HeaderBytes, end - LogLayout.HeaderBytes));
        cut.Sequence.ShouldBe(opened.NextSequence);
        cut.Reason.ShouldContain("opening");
    }

    /// <summary>Zeros of reserved space are unwritten: a process that is killed between two appends leaves nothing that is cut.</summary>
    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void A_killed_process_with_reserved_space_leaves_no_cut(LogDurability durability)
    {
        using TempFolder folder = new();
        string copy = folder.Log + "-killed";
        using (SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 1 << 20, MaxRecordBytes = 8000, Durability = durability }))
        {
            log.AppendMany(0, 50);

            FolderImage.Copy(folder.Log, copy);
        }

        new FileInfo(Path.Combine(copy, "0000000001.slog")).Length.ShouldBe(1 << 20, "no space was reserved");
        using SluiceLog again = SluiceLog.Open(copy, new SluiceLogOptions { MaxRecordBytes = 8000 });
        again.Cut.ShouldBeNull();
        again.NextSequence.ShouldBe(51);
    }
}
