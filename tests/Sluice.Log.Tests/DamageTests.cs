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
        log.Segments.Length.ShouldBeGreaterThan(1);
        foreach (string name in log.Files.Keys)
        {
            foreach ((int at, byte[] flipped) in Flip(log.Files[name], isDurable ? 0 : 3))
            {
                log.WriteTo(folder.Log, name, flipped);
                bool told = log.Prove(folder.Log, $"byte {at} of {name}");
                (told || name == LogFolder.StateName).ShouldBeTrue($"nobody noticed that byte {at} of {name} was flipped");
            }
        }
    }

    /// <summary>The last segment is one that has its footer, and no state file says how far the log was on the disk.</summary>
    [Fact]
    public void Every_byte_flipped_of_a_sealed_last_segment_is_found()
    {
        using TempFolder folder = new(isInMemory: true);
        (SmallLog log, SegmentInfo whole) = MakeSealed(folder);
        foreach ((int at, byte[] flipped) in Flip(log.Files[log.Last]))
        {
            log.WriteTo(folder.Log, log.Last, flipped);
            log.Prove(folder.Log, $"byte {at} of {log.Last}").ShouldBeTrue($"nobody noticed that byte {at} of {log.Last} was flipped");
            if (at % EachOf != 0 || at < whole.FirstOffset || at >= whole.FooterOffset)
            {
                continue;
            }

            // It is damage, and never cut for a torn end; of the readers alone where the state says that all was on the disk.
            log.WriteTo(folder.Log, log.Last, flipped);
            folder.OpenDamaged($"byte {at}");
            using (SluiceHandle state = SluiceHandle.Open(folder.PathOf(LogFolder.StateName), FileMode.Open, FileAccess.Write))
            {
                new LogState(LogDurability.Written, log.LogId, log.All.Count, 1).Write(state);
            }

            using (SluiceLog opened = folder.Open(SmallLog.Options))
            {
                opened.Cut.ShouldBeNull($"byte {at}");
                opened.NextSequence.ShouldBe(log.All.Count + 1, $"byte {at}");
            }

            File.ReadAllBytes(folder.PathOf(log.Last)).ShouldBe(flipped);
        }
    }

    /// <summary>Footer and a record before it: the end of the file still says that there was a footer.</summary>
    [Fact]
    public void A_sealed_segment_whose_footer_is_damaged_too_is_not_cut()
    {
        using TempFolder folder = new(isInMemory: true);
        (SmallLog log, SegmentInfo whole) = MakeSealed(folder);
        byte[] bytes = [.. log.Files[log.Last]];
        bytes[whole.FirstOffset + 40] ^= 1;
        bytes[whole.FooterOffset + 40] ^= 1;
        log.WriteTo(folder.Log, log.Last, bytes);
        SluiceLogDamagedException damage = folder.OpenDamaged();
        damage.Path.ShouldContain(log.Last);
        damage.FileOffset.ShouldBe(whole.FirstOffset);
        damage.Sequence.ShouldBe(whole.FirstSequence);
        File.ReadAllBytes(folder.PathOf(log.Last)).ShouldBe(bytes);
        folder.ReadDamaged().Sequence.ShouldBe(whole.FirstSequence);
        using SluiceLog accepted = folder.Open(SmallLog.Accepting);
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
        string path = folder.PathOf("0000000001.slog");
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, count);

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
        Segment.Read(path, 1).ShouldNotBeNull().IsSealed.ShouldBeFalse();
        using (SluiceLog again = folder.Open(SmallLog.Options))
        {
            again.NextSequence.ShouldBe(count + 2);
            again.Append("next"u8).ShouldBe(count + 2);
        }

        folder.Sequences().ShouldBe(Records.Range(1, count + 2));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Every_prefix_of_the_last_segment_ends_with_a_whole_record(bool isOneMadeAhead)
    {
        using TempFolder folder = new(isInMemory: true);
        foreach (int _ in Cut(new SmallLog(Count, isDurable: false), folder, isOneMadeAhead))
        {
            // A prefix that ends at a frame's border is a shorter log.
            int left = folder.ReadWritten().Count;
            using (SluiceLog opened = folder.Open(SmallLog.Options))
            {
                opened.NextSequence.ShouldBe(left + 1);
                opened.AppendMany(left, 1, 30);
            }

            folder.ShouldHave(left + 1);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Every_prefix_of_a_durable_log_is_an_error_and_changes_nothing(bool isOneMadeAhead)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(Count, isDurable: true);
        foreach (int length in Cut(log, folder, isOneMadeAhead))
        {
            SluiceLogDamagedException damage = folder.OpenDamaged($"the first {length} bytes of {log.Last}");
            damage.Sequence.ShouldBeGreaterThan(0, $"the first {length} bytes: {damage.Message}");
            new FileInfo(folder.PathOf(log.Last)).Length.ShouldBe(length);
            if (length % 5 == 0)
            {
                using SluiceLog accepted = folder.Open(SmallLog.Accepting);
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
        string[] names = log.Segments;
        names.Length.ShouldBeGreaterThan(3);
        log.WriteTo(folder.Log, names[1]);
        folder.OpenDamaged().Message.ShouldContain("missing");
        folder.ReadDamaged(null).Message.ShouldContain("missing");
        using (SluiceLogReader reader = folder.OpenReader(skips: true))
        {
            List<long> read = reader.ReadToEnd();
            read.ShouldBe(read.Distinct().Order());
            read[^1].ShouldBe(120);
            read.Count.ShouldBeInRange(60, 119);
            reader.Damage.Count.ShouldBe(1);
        }

        log.WriteTo(folder.Log, names[1], log.Files[names[2]]);
        folder.OpenDamaged().Path.ShouldContain(names[1]);
        log.WriteTo(folder.Log, names[2], new SmallLog(60, isDurable: true).Files[names[0]]);
        folder.OpenDamaged().Path.ShouldContain(names[2]);
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
        using (SluiceLog log = folder.Open(options))
        {
            first = folder.Segments.Single();

            // The log's own thread seals a segment when it is full and on the disk.
            Threads.WaitUntil(() =>
            {
                log.Append(Records.Make(0, count, 10_000));
                count++;
                return count > 320 && Segment.Read(first, 1)?.IsSealed == true;
            });
        }

        SegmentInfo info = Segment.Read(first, 1).ShouldNotBeNull();
        info.Index.Length.ShouldBeGreaterThan(6);
        byte[] bytes = File.ReadAllBytes(first);
        BitConverter.TryWriteBytes(bytes.AsSpan((int)info.Index[2].Offset), length).ShouldBeTrue();
        File.WriteAllBytes(first, bytes);
        using SluiceLogReader reader = folder.OpenReader(skips: true);
        reader.ReadToEnd().ShouldBe(Records.Range(1, count).Where(s => s != info.Index[2].Sequence));
        reader.Damage.ShouldNotBeEmpty();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Segments_behind_one_that_was_never_synced_are_cut_unless_they_were_durable(bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        SmallLog log = new(48, isDurable);
        string first = log.First;
        log.WriteTo(folder.Log, first, [.. log.Files[first][..1000], .. new byte[3000]]);
        if (isDurable)
        {
            folder.OpenDamaged().Sequence.ShouldBeGreaterThan(1);
            folder.ReadDamaged();
            return;
        }

        int left = folder.ReadWritten().Count;
        left.ShouldBeInRange(3, 15);
        using (SluiceLog opened = folder.Open(SmallLog.Options))
        {
            opened.NextSequence.ShouldBe(left + 1);
            opened.Cut.ShouldNotBeNull().Path.ShouldContain(first);
            opened.Append(Records.Make(0, left, 40)).ShouldBe(left + 1);
        }

        folder.ShouldHave(left + 1);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void A_length_that_cannot_be_takes_no_memory(byte kind)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 64 << 20, BufferBytes = 0, Preallocate = false }))
        {
            log.AppendMany(0, 5);
        }

        // More than the file has, and no more than a frame of this log may have.
        string path = folder.Segments.Single();
        int end = (int)new FileInfo(path).Length;
        byte[] bytes = [.. File.ReadAllBytes(path), .. new byte[64]];
        BitConverter.TryWriteBytes(bytes.AsSpan(end), 60 << 20).ShouldBeTrue();
        bytes[end + 24] = kind;
        File.WriteAllBytes(path, bytes);
        long before = GC.GetAllocatedBytesForCurrentThread();
        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
        reader.ReadToEnd();

        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(20_000_000);
        reader.Tail.ShouldNotBeNull().FileOffset.ShouldBe(end);
    }

    /// <summary>A log whose last segment has its footer, and which has no state file.</summary>
    private static (SmallLog Log, SegmentInfo Last) MakeSealed(TempFolder folder)
    {
        SmallLog log = new(48, isDurable: false);
        log.DropUnsealed();
        log.WriteTo(folder.Log);
        SegmentInfo whole = Segment.Read(folder.PathOf(log.Last), log.Files.Count).ShouldNotBeNull();
        whole.IsSealed.ShouldBeTrue();
        return (log, whole);
    }

    /// <summary>The content with one bit flipped of each byte, or of many of them.</summary>
    private static IEnumerable<(int At, byte[] Bytes)> Flip(byte[] content, int rest = 0)
    {
        for (int i = 0; i < content.Length; i++)
        {
            if (TriesAll || i < EndBytes || i >= content.Length - EndBytes || i % EachOf == rest)
            {
                byte[] flipped = [.. content];
                flipped[i] ^= (byte)(1 << (i % 8));
                yield return (i, flipped);
            }
        }
    }

    /// <summary>Writes a log with each prefix of its last segment, or with some of them where a segment was made ahead.</summary>
    private static IEnumerable<int> Cut(SmallLog log, TempFolder folder, bool isOneMadeAhead)
    {
        byte[] content = log.Files[log.Last];
        for (int length = 0; length < content.Length; length += isOneMadeAhead && !TriesAll ? EachOf : 1)
        {
            log.WriteTo(folder.Log, log.Last, content[..length]);
            if (isOneMadeAhead)
            {
                SmallLog.MakeAhead(folder.Log, log.LogId);
            }

            yield return length;
        }
    }
}
