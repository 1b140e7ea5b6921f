using System.IO.Compression;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using static Sluice.Log.Tests.Support.CompressedLog;

namespace Sluice.Log.Tests;

/// <summary>Compressed segments that are not as they were written.</summary>
[Trait("Tier", "slow")]
public sealed class CompressionDamageTests
{
    /// <summary>Records of a log of three segments.</summary>
    private const int Few = 80;

    private static readonly bool TriesAll = Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all";

    [Fact]
    public void Each_bit_of_a_compressed_segment_that_changes_is_told_of_or_changes_nothing()
    {
        using TempFolder folder = new(isInMemory: true);
        Fill(folder.Log, Options(), LogDurability.Durable, awaited: true, count: Few);
        string first = Directory.GetFiles(folder.Log, "*.gz").Min()!;
        byte[] bytes = File.ReadAllBytes(first);
        int told = 0;
        int tried = 0;
        for (int at = 0; at < bytes.Length; at += StepAt(at, bytes.Length))
        {
            bytes[at] ^= (byte)(1 << (at % 8));
            File.WriteAllBytes(first, bytes);
            bytes[at] ^= (byte)(1 << (at % 8));
            told += Prove(folder.Log, first, $"byte {at}") ? 1 : 0;
            tried++;
        }

        told.ShouldBeGreaterThan(tried / 2);
    }

    [Fact]
    public void Each_prefix_of_a_compressed_segment_is_told_of_with_its_file_and_offset()
    {
        using TempFolder folder = new(isInMemory: true);
        Fill(folder.Log, Options(), LogDurability.Durable, awaited: true, count: Few);
        string first = Directory.GetFiles(folder.Log, "*.gz").Min()!;
        byte[] bytes = File.ReadAllBytes(first);
        for (int length = 0; length < bytes.Length; length += StepAt(length, bytes.Length))
        {
            File.WriteAllBytes(first, bytes[..length]);
            Prove(folder.Log, first, $"{length} bytes").ShouldBeTrue($"{length} bytes");
            SluiceLogDamagedException told = Should.Throw<SluiceLogDamagedException>(() => SluiceLog.Open(folder.Log, Options()));
            told.Path.ShouldBe(first);
            told.FileOffset.ShouldBe(length);
            File.ReadAllBytes(first).Length.ShouldBe(length);
        }
    }

    [Fact]
    public void What_decompresses_to_more_than_it_says_is_damage_and_takes_no_memory()
    {
        const int bombBytes = 256 * 1024 * 1024;
        using TempFolder folder = new();
        Fill(folder.Log, Options(), LogDurability.Durable, awaited: true, count: Few);
        string first = Directory.GetFiles(folder.Log, "*.gz").Min()!;
        using MemoryStream member = new();
        using (GZipStream bomb = new(member, CompressionLevel.Optimal, leaveOpen: true))
        {
            byte[] zeros = new byte[1024 * 1024];
            for (int i = 0; i < bombBytes; i += zeros.Length)
            {
                bomb.Write(zeros);
            }
        }

        byte[] block = member.ToArray();
        foreach (long length in (long[])[4096, 200_000, (long)int.MaxValue * 8000])
        {
            File.WriteAllBytes(first, [.. block, .. BlockTable.Make(BlockTable.MinBlockBytes, length, [0])]);
            long before = GC.GetAllocatedBytesForCurrentThread();
            SluiceLogDamagedException told = Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log));
            (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(4 * 1024 * 1024);
            told.Path.ShouldBe(first);
        }
    }

    /// <summary>
    /// A segment of several blocks, and a block that cannot be read where a frame begins, in the midst of a frame's header, or in its
    /// payload: what cannot be read is not taken for an end.
    /// </summary>
    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    [InlineData(24)]
    [InlineData(32)]
    [InlineData(496)]
    public void A_block_that_is_damaged_at_a_frames_border_is_no_end(int before)
    {
        // The opening ends at 104; frames of 1,000 bytes follow, and one of such a length that the next begins at the border, or some bytes
        // before it.
        const int frameBytes = 1000;
        const int overhead = LogLayout.FrameHeaderBytes + LogLayout.RecordHeaderBytes;
        const int opening = LogLayout.HeaderBytes + LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes;
        const int recordBytes = frameBytes - overhead;
        int room = BlockTable.MinBlockBytes - before - opening;
        int first = room / frameBytes - 1;
        using TempFolder folder = new(isInMemory: true);
        SluiceLogOptions options = new()
        {
            Compression = CompressionLevel.Fastest,
            SegmentBytes = (3 * BlockTable.MinBlockBytes) + 1000,
            MaxRecordBytes = 4000,
            BufferBytes = 16_000,
            Preallocate = false,
            Durability = LogDurability.Written,
        };
        int count = 0;
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            for (; count < first; count++)
            {
                log.Append(Records.Make(0, count, recordBytes));
            }

            log.Append(Records.Make(0, count++, room - (first * frameBytes) - overhead));
            while (Directory.GetFiles(folder.Log, "*.slog").Length + Directory.GetFiles(folder.Log, "*.gz").Length < 3)
            {
                log.Append(Records.Make(0, count++, recordBytes));
            }

            AwaitCompressed(folder, "slog");
        }

        string path = Directory.GetFiles(folder.Log, "*.gz").Min()!;
        SegmentInfo whole = SegmentInfo.Read(path, 1).ShouldNotBeNull();
        whole.FooterOffset.ShouldBeGreaterThan(2 * BlockTable.MinBlockBytes);
        byte[] bytes = File.ReadAllBytes(path);
        int start;
        using (SluiceHandle file = LogFile.OpenToRead(path))
        {
            start = (int)BlockTable.Read(file).PlaceOf(1).Start;
        }

        // The second block's deflated bytes: a length of ten, and then nonsense.
        bytes.AsSpan(start + 10, 40).Fill(0xFF);
        File.WriteAllBytes(path, bytes);
        SluiceLogDamagedException told = Should.Throw<SluiceLogDamagedException>(() => Records.ReadAll(folder.Log));
        told.Path.ShouldBe(path);
        told.Sequence.ShouldBe(first + 2);
        told.FileOffset.ShouldBe(BlockTable.MinBlockBytes - before);
        told.Reason.ShouldContain("what is compressed at offset");
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        List<long> sequences = [];
        foreach (LogEntry entry in reader.Entries)
        {
            Records.Check(entry.Bytes).Number.ShouldBe((int)entry.Sequence - 1);
            sequences.Add(entry.Sequence);
        }

        sequences[..(first + 1)].ShouldBe(Enumerable.Range(1, first + 1).Select(static i => (long)i));
        sequences[first + 1].ShouldBeGreaterThan(first + 2);
        sequences[^1].ShouldBe(count);
        sequences.Zip(sequences.Skip(1), static (a, b) => b - a).Count(static step => step != 1).ShouldBe(1);
        reader.Damage[0].Sequence.ShouldBe(first + 2);
    }

    /// <summary>Each byte where gzip's header and the table of blocks are; of what is compressed between them one of eleven.</summary>
    private static int StepAt(int at, int length) => TriesAll || at < 40 || at >= length - 120 ? 1 : 11;

    /// <summary>Reads in both ways: nothing comes that was not appended. Whether somebody told of damage; else everything is
    /// there.</summary>
    private static bool Prove(string directory, string damaged, string what)
    {
        bool told = false;
        foreach (bool skips in (bool[])[false, true])
        {
            int count = 0;
            try
            {
                using SluiceLogReader reader = new(directory, new SluiceLogReaderOptions { SkipDamage = skips });
                long last = 0;
                foreach (LogEntry entry in reader.Entries)
                {
                    entry.Sequence.ShouldBeGreaterThan(last, what);
                    last = entry.Sequence;
                    Records.Check(entry.Bytes).Number.ShouldBe((int)last - 1, what);
                    count++;
                }

                told |= reader.Damage.Count > 0;
                (count == Few || reader.Damage.Count > 0).ShouldBeTrue(what);
            }
            catch (SluiceLogDamagedException e) when (!skips)
            {
                e.Path.ShouldBe(damaged, what);
                told = true;
            }
        }

        return told;
    }
}
