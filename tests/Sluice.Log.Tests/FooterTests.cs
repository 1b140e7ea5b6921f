using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>What looks like a footer and is none, and what a footer still says that is damaged.</summary>
[Trait("Runs", "once")]
public sealed class FooterTests
{
    /// <summary>Records before the one that looks like a footer; each is a frame of its own.</summary>
    private const int Count = 10;

    /// <summary>
    /// The file ends in the midst of a frame of records, just where what looks like a footer ends: no such write is Sluice's, but a file
    /// system may cut it there. Its index leads to a frame that nobody wrote.
    /// </summary>
    [Theory]
    [InlineData(3)]
    [InlineData(Count - 1)]
    public void A_torn_record_that_ends_the_last_segment_as_a_footer_would_leads_nobody_astray(long lastSequence)
    {
        using TempFolder folder = new(isInMemory: true);
        string path = folder.PathOf("0000000001.slog");
        MakeTorn(folder, path, lastSequence);
        Segment.Read(path, 1).ShouldNotBeNull().IsSealed.ShouldBeTrue("the file does not end as one with a footer does");
        foreach (bool skips in (bool[])[false, true])
        {
            using SluiceLogReader reader =
                folder.OpenReader(LogDurability.Written, skips: skips, from: 2);
            List<long> sequences = [];
            foreach (LogEntry entry in reader.Entries)
            {
                sequences.Add(entry.Sequence);
                Records.Check(entry.Bytes).ShouldBe((0, (int)entry.Sequence - 1));
            }

            sequences.ShouldBe(Records.Range(2, Count - 1));
        }

        using (SluiceLog again = folder.Open(SmallLog.Options))
        {
            again.NextSequence.ShouldBe(Count + 1);
            again.Cut.ShouldNotBeNull().Sequence.ShouldBe(Count + 1);
            again.Append(Records.Make(0, Count, 100)).ShouldBe(Count + 1);
        }

        folder.ShouldHave(Count + 1);
    }

    /// <summary>
    /// The same, with numbers that no frame contradicts: no record is given a number by it, and nothing of it becomes part of the log.
    /// </summary>
    [Theory]
    [InlineData(Count, Count)]
    [InlineData(Count + 1, Count)]
    [InlineData(1000, 0)]
    [InlineData(1000, Count)]
    [InlineData(long.MaxValue - 1, Count)]
    public void What_looks_like_a_footer_that_no_frame_leads_to_gives_no_numbers(long lastSequence, long durable)
    {
        using TempFolder folder = new(isInMemory: true);
        string path = folder.PathOf("0000000001.slog");
        MakeTorn(folder, path, lastSequence, durable);
        Segment.Read(path, 1).ShouldNotBeNull().IsSealed.ShouldBeTrue("the file does not end as one with a footer does");
        byte[] before = File.ReadAllBytes(path);
        if (lastSequence > Count)
        {
            SluiceLogDamagedException damage = folder.OpenDamaged();
            damage.Sequence.ShouldBe(Count + 1);
            File.ReadAllBytes(path).ShouldBe(before);
        }

        using (SluiceLog again = folder.Open(SmallLog.Accepting))
        {
            again.Append(Records.Make(0, Count, 100)).ShouldBe(Count + 1);
        }

        folder.ShouldHave(Count + 1);
    }

    /// <summary>A writer's mistake: the footer's sum is right, and its index leads elsewhere.</summary>
    [Theory]
    [InlineData("offset beyond")]
    [InlineData("negative offset")]
    [InlineData("largest offset")]
    [InlineData("another frame")]
    [InlineData("inside of a frame")]
    [InlineData("sequence beyond")]
    [InlineData("lower sequence")]
    [InlineData("higher sequence")]
    [InlineData("earlier time")]
    [InlineData("wrong sum")]
    [InlineData("not in order")]
    [InlineData("the same twice")]
    public void An_index_that_is_wrong_leads_nobody_astray(string what)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(100, isDurable: true);
        string first = log.First;
        byte[] file = [.. log.Files[first]];
        log.WriteTo(folder.Log);
        SegmentInfo info = Segment.Read(folder.PathOf(first), 1).ShouldNotBeNull();
        info.IsSealed.ShouldBeTrue();
        List<IndexEntry> frames = [];
        uint chain = info.FirstChain;
        for (long offset = info.FirstOffset; offset < info.FooterOffset;)
        {
            FrameHeader frame = LogLayout.ReadFrameHeader(file.AsSpan((int)offset));
            frames.Add(new IndexEntry(frame.FirstSequence, frame.Time, offset, chain));
            (offset, chain) = (offset + frame.FrameBytes, frame.Crc);
        }

        frames.Count.ShouldBeGreaterThan(10);
        (IndexEntry good, IndexEntry other) = (frames[5], frames[8]);
        IndexEntry[] index = what switch
        {
            "offset beyond" => [good with { Offset = file.Length + 8 }],
            "negative offset" => [good with { Offset = -8 }],
            "largest offset" => [good with { Offset = long.MaxValue - 8 }],
            "another frame" => [good with { Offset = other.Offset }],
            "inside of a frame" => [good with { Offset = good.Offset + 8 }],
            "sequence beyond" => [good with { Sequence = info.LastSequence + 1 }],
            "lower sequence" => [other with { Sequence = 2 }],
            "higher sequence" => [good with { Sequence = other.Sequence }],
            "earlier time" => [other with { Time = 1 }],
            "wrong sum" => [good with { Chain = ~good.Chain }],
            "not in order" => [other, good],
            _ => [good, good],
        };
        byte[] footer = LogLayout.MakeFooter(
            new SegmentTotals(info.LastSequence, info.LastSequence, info.Footer!.FirstTime, info.Footer.LastTime),
            index, info.FooterOffset, chain, info.HeaderChain);
        log.WriteTo(folder.Log, first, [.. file[..(int)info.FooterOffset], .. footer]);
        Segment.Read(folder.PathOf(first), 1).ShouldNotBeNull().IsSealed.ShouldBeTrue();
        for (int from = 1; from <= info.LastSequence; from++)
        {
            List<(long Sequence, byte[] Bytes)> records = folder.ReadAll(new SluiceLogReaderOptions { FromSequence = from });
            records.Count.ShouldBe(101 - from);
            Records.ShouldBeInOrder(records, from, from - 1);
        }

        DateTimeOffset time = LogLayout.ToTime(frames[3].Time);
        List<(long Sequence, byte[] Bytes)> later = folder.ReadAll(new SluiceLogReaderOptions { FromTime = time });
        later[0].Sequence.ShouldBeLessThanOrEqualTo(frames[3].Sequence);
        Records.ShouldBeInOrder(later, later[0].Sequence, (int)later[0].Sequence - 1);

        // Damage is passed over to where the index leads, or to the end of the segment.
        byte[] damaged = [.. file[..(int)info.FooterOffset], .. footer];
        damaged[(int)frames[1].Offset] ^= 0x55;
        log.WriteTo(folder.Log, first, damaged);
        using SluiceLogReader reader = folder.OpenReader(skips: true);
        long last = 0;
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBeGreaterThan(last);
            last = entry.Sequence;
            Records.Check(entry.Bytes).Number.ShouldBe((int)last - 1);
        }

        last.ShouldBe(100);
        reader.Damage.ShouldNotBeEmpty();
    }

    /// <summary>The same before another segment, whose first record is not the one behind the last of that footer.</summary>
    [Fact]
    public void What_looks_like_a_footer_and_does_not_lead_to_the_next_segment_is_none()
    {
        using TempFolder folder = new(isInMemory: true);
        string path = folder.PathOf("0000000001.slog");
        MakeTorn(folder, path, lastSequence: 30);
        SegmentHeader.Read(File.ReadAllBytes(path), out SegmentHeader header, out _).ShouldBeNull();
        LogFolder files = new(folder.Log, SegmentNames.Framed);
        using (SegmentFile next = new NextSegment(files, SmallLog.Options.Check(), header.LogId, 2).Get())
        {
            next.Begin(Count + 1, LogLayout.ToNanoseconds(DateTime.UtcNow));
        }

        List<(long Sequence, byte[] Bytes)> records = folder.ReadAll(new SluiceLogReaderOptions { FromSequence = 2 });
        records.Count.ShouldBe(Count - 1);
        Records.ShouldBeInOrder(records, 2, 1);
        using SluiceLog again = folder.Open(SmallLog.Options);
        again.NextSequence.ShouldBe(Count + 1);
    }

    /// <summary>A footer that is damaged still says, by the end of the file, that all before it was on the disk.</summary>
    [Fact]
    public void Nothing_is_cut_before_a_segment_whose_footer_is_damaged()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(120, isDurable: false);
        string[] names = [.. log.Files.Keys.Order(StringComparer.Ordinal)];
        log.WriteTo(folder.Log, names[0], [.. log.Files[names[0]][..1000], .. new byte[3000]]);
        foreach (string name in names[2..])
        {
            File.Delete(folder.PathOf(name));
        }

        string second = folder.PathOf(names[1]);
        byte[] bytes = File.ReadAllBytes(second);
        bytes[Segment.Read(second, 2).ShouldNotBeNull().FooterOffset + 40] ^= 1;
        File.WriteAllBytes(second, bytes);
        Segment.Read(second, 2).ShouldNotBeNull().IsSealed.ShouldBeFalse();
        SluiceLogDamagedException damage = folder.OpenDamaged();
        damage.Path.ShouldContain(names[0]);
        folder.ReadDamaged().Sequence.ShouldBe(damage.Sequence);
        File.ReadAllBytes(second).ShouldBe(bytes);
    }

    /// <summary>Ten records, and a torn eleventh that has a frame and a footer of its own, by one who has read the header.</summary>
    private static void MakeTorn(TempFolder folder, string path, long lastSequence, long durable = 0)
    {
        int end;
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, Count);

            // 32 bytes of header, 4 of the record's, 100, and zeros up to a multiple of 8.
            int at = LogLayout.HeaderBytes + LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes + (Count * 136);
            int filler = 8 - LogLayout.RecordHeaderBytes;
            int frameAt = at + LogLayout.FrameHeaderBytes + LogLayout.RecordHeaderBytes + filler;
            const uint chain = 0x12345678;
            byte[] frame = new byte[LogLayout.FrameHeaderBytes + 104];
            LogLayout.WriteFrameHeader(frame, new FrameHeader(104, 1, 2, 3, FrameKind.Records, 0));
            frame[LogLayout.FrameHeaderBytes] = 100;
            Records.Fill(frame.AsSpan(LogLayout.FrameHeaderBytes + 4), 6, 66);
            uint footerChain = LogLayout.Sign(frame, chain);
            SegmentHeader.Read(File.ReadAllBytes(path), out _, out uint headerChain).ShouldBeNull();
            byte[] footer = LogLayout.MakeFooter(
                new SegmentTotals(lastSequence, lastSequence, 1, long.MaxValue), [new IndexEntry(2, 3, frameAt, chain)],
                frameAt + frame.Length, footerChain, headerChain);
            log.Append([.. new byte[filler], .. frame, .. footer, .. "and more"u8]);
            end = frameAt + frame.Length + footer.Length;
        }

        string state = folder.PathOf(LogFolder.StateName);
        LogState closed = LogState.TryRead(state).ShouldNotBeNull();
        File.Delete(state);
        if (durable > 0)
        {
            using SluiceHandle again = SluiceHandle.Open(state, FileMode.CreateNew, FileAccess.Write);
            (closed with { DurableSequence = durable }).Write(again);
        }

        using FileStream file = new(path, FileMode.Open);
        file.SetLength(end);
    }
}
