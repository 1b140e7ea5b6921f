using System.IO.Compression;
using static Sluice.Log.Tests.Support.CompressedLog;

namespace Sluice.Log.Tests;

/// <summary>Compressed segments that are not as they were written.</summary>
public sealed class CompressionDamageTests
{
    /// <summary>Records of a log of three segments.</summary>
    private const int Few = 80;

    [Fact]
    public void Each_bit_of_a_compressed_segment_that_changes_is_told_of_or_changes_nothing()
    {
        using TempFolder folder = new(isInMemory: true);
        Fill(folder.Log, Options(), LogDurability.Durable, awaited: true, count: Few);
        string first = Directory.GetFiles(folder.Log, "*.gz").Min()!;
        byte[] bytes = File.ReadAllBytes(first);
        int told = 0;
        for (int at = 0; at < bytes.Length; at++)
        {
            bytes[at] ^= (byte)(1 << (at % 8));
            File.WriteAllBytes(first, bytes);
            bytes[at] ^= (byte)(1 << (at % 8));
            told += Prove(folder.Log, first, $"byte {at}") ? 1 : 0;
        }

        told.ShouldBeGreaterThan(bytes.Length / 2);
    }

    [Fact]
    public void Each_prefix_of_a_compressed_segment_is_told_of_with_its_file_and_offset()
    {
        using TempFolder folder = new(isInMemory: true);
        Fill(folder.Log, Options(), LogDurability.Durable, awaited: true, count: Few);
        string first = Directory.GetFiles(folder.Log, "*.gz").Min()!;
        byte[] bytes = File.ReadAllBytes(first);
        for (int length = 0; length < bytes.Length; length++)
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
