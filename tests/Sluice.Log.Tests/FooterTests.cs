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
        string path = Path.Combine(folder.Log, "0000000001.slog");
        MakeTorn(folder, path, lastSequence);
        SegmentInfo.Read(path, 1).ShouldNotBeNull().IsSealed.ShouldBeTrue("the file does not end as one with a footer does");
        foreach (bool skips in (bool[])[false, true])
        {
            using SluiceLogReader reader =
                new(folder.Log, new SluiceLogReaderOptions { FromSequence = 2, SkipDamage = skips, UpTo = LogDurability.Written });
            List<long> sequences = [];
            foreach (LogEntry entry in reader.Entries)
            {
                sequences.Add(entry.Sequence);
                Records.Check(entry.Bytes).ShouldBe((0, (int)entry.Sequence - 1));
            }

            sequences.ShouldBe(Enumerable.Range(2, Count - 1).Select(static i => (long)i));
        }

        using (SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            again.NextSequence.ShouldBe(Count + 1);
            again.Cut.ShouldNotBeNull().Sequence.ShouldBe(Count + 1);
            again.Append(Records.Make(0, Count, 100)).ShouldBe(Count + 1);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        Records.ReadAll(folder.Log).Count.ShouldBe(Count + 1);
    }

    /// <summary>The same before another segment, whose first record is not the one behind the last of that footer.</summary>
    [Fact]
    public void What_looks_like_a_footer_and_does_not_lead_to_the_next_segment_is_none()
    {
        using TempFolder folder = new(isInMemory: true);
        string path = Path.Combine(folder.Log, "0000000001.slog");
        MakeTorn(folder, path, lastSequence: 30);
        SegmentHeader.Read(File.ReadAllBytes(path), out SegmentHeader header, out _).ShouldBeNull();
        LogFolder files = new(folder.Log, SegmentNames.Framed);
        using (SegmentFile next = SegmentFile.Create(files, 2, new LogSettings(SmallLog.Options), header.LogId))
        {
            next.Begin(Count + 1, restarts: true, LogLayout.ToNanoseconds(DateTime.UtcNow));
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromSequence = 2 });
        records.Count.ShouldBe(Count - 1);
        Records.ShouldBeInOrder(records, 2, 1);
        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
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
            File.Delete(Path.Combine(folder.Log, name));
        }

        string second = Path.Combine(folder.Log, names[1]);
        byte[] bytes = File.ReadAllBytes(second);
        bytes[SegmentInfo.Read(second, 2).ShouldNotBeNull().FooterOffset + 40] ^= 1;
        File.WriteAllBytes(second, bytes);
        SegmentInfo.Read(second, 2).ShouldNotBeNull().IsSealed.ShouldBeFalse();
        SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options));
        damage.Path.ShouldContain(names[0]);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log)).Sequence.ShouldBe(damage.Sequence);
        File.ReadAllBytes(second).ShouldBe(bytes);
    }

    /// <summary>Ten records, and a torn eleventh that has a frame and a footer of its own, by one who has read the header.</summary>
    private static void MakeTorn(TempFolder folder, string path, long lastSequence)
    {
        int end;
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < Count; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

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

        File.Delete(Path.Combine(folder.Log, LogFolder.StateName));
        using FileStream file = new(path, FileMode.Open);
        file.SetLength(end);
    }
}
