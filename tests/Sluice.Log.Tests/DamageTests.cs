using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>Logs that are not as they were written: never a wrong record, never a crash, always a place.</summary>
/// <remarks>What a reader makes of bytes does not depend on the engine that wrote them.</remarks>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class DamageTests
{
    /// <summary>At both ends of a file stand what it says of itself and its first and last records: each byte of that is tried.</summary>
    private const int EndBytes = 200;

    /// <summary>Records of a log of two segments.</summary>
    private const int Count = 36;

    /// <summary>In the middle, where records are alike, one byte of so many; of eight that follow one another each is reached.</summary>
    private const int EachOf = 13;

    /// <summary>Every byte of both logs, and every prefix.</summary>
    private static readonly bool TriesAll = Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all";

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Every_byte_flipped_is_found(bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(Count, isDurable);
        log.Files.Count(static f => f.Key.EndsWith(".slog", StringComparison.Ordinal)).ShouldBeGreaterThan(1);
        Random random = new(5);
        foreach ((string name, byte[] content) in log.Files)
        {
            for (int i = 0; i < content.Length; i++)
            {
                int bit = random.Next(8);
                if (!TriesAll && i >= EndBytes && i < content.Length - EndBytes && i % EachOf != (isDurable ? 0 : 3))
                {
                    continue;
                }

                byte[] flipped = [.. content];
                flipped[i] ^= (byte)(1 << bit);
                log.WriteTo(folder.Log, name, flipped);
                bool told = log.Prove(folder.Log, $"byte {i} of {name}");
                (told || name == LogFolder.StateName).ShouldBeTrue($"nobody noticed that byte {i} of {name} was flipped");
            }
        }
    }

    /// <summary>The last segment is one that has its footer, and no state file says how far the log was on the disk.</summary>
    [Fact]
    public void Every_byte_flipped_of_a_sealed_last_segment_is_found()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        log.DropUnsealed();
        byte[] content = log.Files[log.Last];
        log.WriteTo(folder.Log);
        SegmentInfo whole = SegmentInfo.Read(Path.Combine(folder.Log, log.Last), log.Files.Count).ShouldNotBeNull();
        whole.IsSealed.ShouldBeTrue();
        for (int i = 0; i < content.Length; i++)
        {
            if (!TriesAll && i >= EndBytes && i < content.Length - EndBytes && i % EachOf != 0)
            {
                continue;
            }

            byte[] flipped = [.. content];
            flipped[i] ^= (byte)(1 << (i % 8));
            log.WriteTo(folder.Log, log.Last, flipped);
            log.Prove(folder.Log, $"byte {i} of {log.Last}").ShouldBeTrue($"nobody noticed that byte {i} of {log.Last} was flipped");
            if (i % EachOf == 0 && i >= whole.FirstOffset && i < whole.FooterOffset)
            {
                log.WriteTo(folder.Log, log.Last, flipped);

                // It is damage, and never cut for a torn end; of the readers alone where the state says that all was on the disk.
                Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options), $"byte {i}");
                string path = Path.Combine(folder.Log, LogFolder.StateName);
                using (SluiceHandle state = SluiceHandle.Open(path, FileMode.Open, FileAccess.Write))
                {
                    new LogState(LogDurability.Written, log.LogId, log.All.Count, 1).Write(state);
                }

                using (SluiceLog opened = SluiceLog.Open(folder.Log, SmallLog.Options))
                {
                    opened.Cut.ShouldBeNull($"byte {i}");
                    opened.NextSequence.ShouldBe(log.All.Count + 1, $"byte {i}");
                }

                File.ReadAllBytes(Path.Combine(folder.Log, log.Last)).ShouldBe(flipped);
            }
        }
    }

    /// <summary>Footer and a record before it: the end of the file still says that there was a footer.</summary>
    [Fact]
    public void A_sealed_segment_whose_footer_is_damaged_too_is_not_cut()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        log.DropUnsealed();
        log.WriteTo(folder.Log);
        SegmentInfo whole = SegmentInfo.Read(Path.Combine(folder.Log, log.Last), log.Files.Count).ShouldNotBeNull();
        byte[] bytes = [.. log.Files[log.Last]];
        bytes[whole.FirstOffset + 40] ^= 1;
        bytes[whole.FooterOffset + 40] ^= 1;
        log.WriteTo(folder.Log, log.Last, bytes);
        SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options));
        damage.Path.ShouldContain(log.Last);
        damage.FileOffset.ShouldBe(whole.FirstOffset);
        damage.Sequence.ShouldBe(whole.FirstSequence);
        File.ReadAllBytes(Path.Combine(folder.Log, log.Last)).ShouldBe(bytes);
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log)).Sequence.ShouldBe(whole.FirstSequence);
        using SluiceLog accepted = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { AcceptLoss = true, MaxRecordBytes = 1000, Preallocate = false });
        accepted.NextSequence.ShouldBe(whole.FirstSequence);
    }

    /// <summary>Whoever chooses what a record says, and it is the last of a file, ends the file with bytes of his own.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_record_that_looks_like_a_footer_is_none(bool isByOneWhoReadTheHeader)
    {
        using TempFolder folder = new(isInMemory: true);
        const int count = 10;
        string path = Path.Combine(folder.Log, "0000000001.slog");
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            // Each record was a frame of its own: 32 bytes of header, 4 of the record's, 100, and zeros up to a multiple of 8.
            int end = LogLayout.HeaderBytes + LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes + (count * 136);
            int at = end + LogLayout.FrameHeaderBytes + LogLayout.RecordHeaderBytes;
            const uint chain = 0x12345678;
            SegmentHeader.Read(File.ReadAllBytes(path), out _, out uint headerChain).ShouldBeNull();
            byte[] footer = LogLayout.MakeFooter(
                new SegmentTotals(3, 3, 1, 2), [], at, chain, isByOneWhoReadTheHeader ? headerChain : Crc32C.Begin);
            log.Append(footer);
        }

        File.ReadAllBytes(path)[^4..].AsSpan().SequenceEqual("SLFT"u8).ShouldBeTrue();
        SegmentInfo.Read(path, 1).ShouldNotBeNull().IsSealed.ShouldBeFalse();
        using (SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            again.NextSequence.ShouldBe(count + 2);
            again.Append("next"u8).ShouldBe(count + 2);
        }

        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe(Enumerable.Range(1, count + 2).Select(static i => (long)i));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Every_prefix_of_the_last_segment_ends_with_a_whole_record(bool isOneMadeAhead)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(Count, isDurable: false);
        int step = isOneMadeAhead && !TriesAll ? EachOf : 1;
        for (int length = 0; length < log.Files[log.Last].Length; length += step)
        {
            // A prefix that ends at a frame's border is a shorter log.
            log.WriteTo(folder.Log, log.Last, log.Files[log.Last][..length]);
            if (isOneMadeAhead)
            {
                SmallLog.MakeAhead(folder.Log, log.LogId);
            }

            using (SluiceLog opened = SluiceLog.Open(folder.Log, SmallLog.Options))
            {
                List<(long Sequence, byte[] Bytes)> left = Records.ReadWritten(folder.Log);
                left.Count.ShouldBe((int)opened.NextSequence - 1);
                Records.ShouldBeInOrder(left, 1, 0);
                opened.Append(Records.Make(0, left.Count, 30));
            }

            Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Every_prefix_of_a_durable_log_is_an_error_and_changes_nothing(bool isOneMadeAhead)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(Count, isDurable: true);
        int step = isOneMadeAhead && !TriesAll ? EachOf : 1;
        for (int length = 0; length < log.Files[log.Last].Length; length += step)
        {
            log.WriteTo(folder.Log, log.Last, log.Files[log.Last][..length]);
            if (isOneMadeAhead)
            {
                SmallLog.MakeAhead(folder.Log, log.LogId);
            }

            SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options),
                $"the first {length} bytes of {log.Last}; {string.Join(", ", log.Files.Select(f => $"{f.Key} {f.Value.Length}"))}");
            damage.Sequence.ShouldBeGreaterThan(0, $"the first {length} bytes: {damage.Message}");
            new FileInfo(Path.Combine(folder.Log, log.Last)).Length.ShouldBe(length);
            if (length % 5 == 0)
            {
                using SluiceLog accepted = SluiceLog.Open(
                    folder.Log, new SluiceLogOptions { AcceptLoss = true, MaxRecordBytes = 1000, Preallocate = false });
                accepted.NextSequence.ShouldBe(damage.Sequence);
                accepted.Append("again"u8).ShouldBe(damage.Sequence);
            }
        }
    }

    [Fact]
    public void Random_truncations_and_garbage_behind_them()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        Random random = new(77);
        for (int run = 0; run < (TriesAll ? 300 : 80); run++)
        {
            string name = log.Files.Keys.ElementAt(random.Next(log.Files.Count));
            byte[] content = log.Files[name];
            byte[] bytes = content[..random.Next(content.Length)];
            byte[] garbage = new byte[random.Next(3) * random.Next(200)];
            random.NextBytes(garbage);
            log.WriteTo(folder.Log, name, [.. bytes, .. garbage]);
            _ = log.Prove(
                folder.Log, $"run {run}: prefix of {bytes.Length} bytes of {name}, and {garbage.Length} others", mayBeShorter: true);
        }
    }

    [Fact]
    public void A_missing_or_exchanged_segment_is_an_error_with_its_place()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(120, isDurable: true);
        string[] names = [.. log.Files.Keys.Where(static f => f.EndsWith(".slog", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        names.Length.ShouldBeGreaterThan(3);
        log.WriteTo(folder.Log, names[1]);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Message.ShouldContain("missing");
        Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log)).Message.ShouldContain("missing");
        using (SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true }))
        {
            long last = 0;
            int count = 0;
            foreach (LogEntry entry in reader.Entries)
            {
                entry.Sequence.ShouldBeGreaterThan(last);
                last = entry.Sequence;
                count++;
            }

            last.ShouldBe(120);
            count.ShouldBeInRange(60, 119);
            reader.Damage.Count.ShouldBe(1);
        }

        log.WriteTo(folder.Log, names[1], log.Files[names[2]]);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Path.ShouldContain(names[1]);
        log.WriteTo(folder.Log, names[2], new SmallLog(60, isDurable: true).Files[names[0]]);
        Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Path.ShouldContain(names[2]);
    }

    [Fact]
    public void Damage_in_a_sealed_segment_is_passed_over_on_request_and_little_is_lost()
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(120, isDurable: true);
        string first = log.Files.Keys.Order(StringComparer.Ordinal).First();
        byte[] bytes = [.. log.Files[first]];
        bytes[700] ^= 4;
        log.WriteTo(folder.Log, first, bytes);
        SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log));
        damage.Path.ShouldContain(first);
        damage.FileOffset.ShouldBeInRange(400, 700);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        int count = 0;
        foreach (LogEntry _ in reader.Entries)
        {
            count++;
        }

        count.ShouldBe(119);
        reader.Damage.Single().Sequence.ShouldBe(damage.Sequence);
    }

    /// <summary>A length may be damaged so that it could well be one: what it leads to is not believed, and not passed over.</summary>
    [Fact]
    public void A_damaged_length_costs_one_frame()
    {
        const int length = 600_000;
        using TempFolder folder = new(isInMemory: true);
        SluiceLogOptions options =
            new() { SegmentBytes = 3 << 20, MaxRecordBytes = 1 << 20, Preallocate = false, Durability = LogDurability.Durable };
        string first;
        int count = 0;
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            first = Directory.GetFiles(folder.Log, "*.slog").Single();

            // The log's own thread seals a segment when it is full and on the disk.
            SpinWait.SpinUntil(() =>
            {
                log.Append(Records.Make(0, count, 10_000));
                count++;
                return count > 320 && SegmentInfo.Read(first, 1)?.IsSealed == true;
            }, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        }

        SegmentInfo info = SegmentInfo.Read(first, 1).ShouldNotBeNull();
        info.Index.Length.ShouldBeGreaterThan(6);
        byte[] bytes = File.ReadAllBytes(first);
        BitConverter.TryWriteBytes(bytes.AsSpan((int)info.Index[2].Offset), length).ShouldBeTrue();
        File.WriteAllBytes(first, bytes);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        List<long> sequences = [];
        foreach (LogEntry entry in reader.Entries)
        {
            sequences.Add(entry.Sequence);
        }

        sequences.ShouldBe(Enumerable.Range(1, count).Select(static i => (long)i).Where(s => s != info.Index[2].Sequence));
        reader.Damage.ShouldNotBeEmpty();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Segments_behind_one_that_was_never_synced_are_cut_unless_they_were_durable(bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable);
        string first = log.Files.Keys.Order(StringComparer.Ordinal).First();
        log.WriteTo(folder.Log, first, [.. log.Files[first][..1000], .. new byte[3000]]);
        if (isDurable)
        {
            Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Sequence.ShouldBeGreaterThan(1);
            Should.Throw<SluiceLogDamagedException>(() => Records.ReadWritten(folder.Log));
            return;
        }

        int left = Records.ReadWritten(folder.Log).Count;
        left.ShouldBeInRange(3, 15);
        using (SluiceLog opened = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            opened.NextSequence.ShouldBe(left + 1);
            opened.Cut.ShouldNotBeNull().Path.ShouldContain(first);
            opened.Append(Records.Make(0, left, 40)).ShouldBe(left + 1);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        Records.ReadAll(folder.Log).Count.ShouldBe(left + 1);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void A_length_that_cannot_be_takes_no_memory(byte kind)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable: false);
        byte[] bytes = [.. log.Files[log.Last], .. new byte[64]];
        int end = log.Files[log.Last].Length;
        bytes[end + 3] = 0x3F;
        bytes[end + 24] = kind;
        log.WriteTo(folder.Log, log.Last, bytes);
        long before = GC.GetAllocatedBytesForCurrentThread();
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        foreach (LogEntry _ in reader.Entries)
        {
        }

        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(20_000_000);
        reader.Tail.ShouldNotBeNull().FileOffset.ShouldBe(end);
    }
}
