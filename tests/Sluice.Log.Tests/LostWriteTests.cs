using Sluice.Log.Folders;

namespace Sluice.Log.Tests;

/// <summary>
/// What a power cut may leave: any of the writes since the last flush, each whole, torn at a sector's border or not at all.
/// </summary>
/// <remarks>What was written is taken before it comes to an engine.</remarks>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class LostWriteTests
{
    private const int Sector = 512;

    /// <summary>Of how many writes every subset is tried, and how many subsets of more; SLUICE_LOG_FLIPS=all asks for more.</summary>
    private static readonly (int Writes, int Subsets) Tried =
        Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all" ? (6, 64) : (4, 16);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Every_subset_of_unsynced_writes_leaves_whole_records_and_all_durable_ones(int seed)
    {
        using TempFolder folder = new(isInMemory: true);
        Random random = new(seed);
        List<byte[]> appended = [];
        SnapshotEngine engine = new(folder.Log, "*.s*");
        SluiceLogOptions options = new()
        {
            Engine = engine,
            MaxRecordBytes = 3000,
            BufferBytes = 12_000,
            SegmentBytes = 1 << 20,
            Preallocate = false,
            FlushInterval = TimeSpan.FromHours(1),
        };
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            for (int i = 0; i < 24; i++)
            {
                byte[] record = Records.Make(0, i, random.Next(20, 1800));
                appended.Add(record);
                log.Append(record, i % 8 == 7 ? LogDurability.Durable : i % 3 == 0 ? LogDurability.Buffered : LogDurability.Written);
            }

            engine.TakeLast();
        }

        int crashes = 0;
        int lastFlush = -1;
        for (int step = 0; step < engine.Steps.Count; step++)
        {
            // Before this operation: everything up to the last flush's own snapshot is on the disk.
            crashes += Crash(engine, lastFlush, step, random, appended, folder);
            if (engine.Steps[step].IsFlush)
            {
                lastFlush = step;
            }
        }

        crashes.ShouldBeGreaterThan(150);
    }

    /// <summary>The writes between two snapshots, lost in all ways that there are, or in many.</summary>
    private static int Crash(
        SnapshotEngine engine, int lastFlush, int step, Random random, List<byte[]> appended, TempFolder folder)
    {
        Dictionary<string, byte[]> from = lastFlush < 0 ? [] : Segments(engine.Steps[lastFlush].Files);
        List<(string File, int Offset, byte[] Bytes)> writes = [];
        for (int i = Math.Max(lastFlush, 0) + 1; i <= step; i++)
        {
            writes.AddRange(Difference(Segments(engine.Steps[i - 1].Files), Segments(engine.Steps[i].Files)));
        }

        int durable = lastFlush < 0 ? 0 : RecordsOf(from, folder);
        int subsets = writes.Count <= Tried.Writes ? 1 << writes.Count : Tried.Subsets;
        for (int subset = 0; subset < subsets; subset++)
        {
            Dictionary<string, byte[]> disk = from.ToDictionary(static p => p.Key, static p => (byte[])p.Value.Clone());
            for (int w = 0; w < writes.Count; w++)
            {
                bool isKept = writes.Count <= Tried.Writes ? (subset >> w & 1) != 0 : random.Next(2) == 0;
                Apply(disk, writes[w], isKept ? random.Next(4) == 0 ? null : int.MaxValue : 0, random);
            }

            // The state is not flushed with the records: any of what it was until now may be on the disk, or nothing of it.
            int stateOf = random.Next(3) == 0 ? step : random.Next(step + 1);
            if (random.Next(4) > 0 && engine.Steps[stateOf].Files.TryGetValue(LogFolder.StateName, out byte[]? state))
            {
                disk[LogFolder.StateName] = state;
            }

            Prove(disk, durable, appended, folder, $"step {step}, subset {subset} of {writes.Count} writes, state of {stateOf}");
        }

        return subsets;
    }

    private static Dictionary<string, byte[]> Segments(Dictionary<string, byte[]> files) =>
        files.Where(static f => f.Key != LogFolder.StateName).ToDictionary();

    private static int RecordsOf(Dictionary<string, byte[]> files, TempFolder folder)
    {
        Write(files, folder);
        return Records.ReadWritten(folder.Log).Count;
    }

    private static void Prove(Dictionary<string, byte[]> disk, int durable, List<byte[]> appended, TempFolder folder, string what)
    {
        Write(disk, folder);
        int count;
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { MaxRecordBytes = 3000, Preallocate = false }))
        {
            count = (int)log.NextSequence - 1;
            count.ShouldBeGreaterThanOrEqualTo(durable, what);
            log.Append(Records.Make(5, 5, 40), LogDurability.Durable);
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Count.ShouldBe(count + 1, what);
        for (int i = 0; i < count; i++)
        {
            records[i].Bytes.ShouldBe(appended[i], what);
        }

        Records.Check(records[^1].Bytes).ShouldBe((5, 5));
    }

    private static void Write(Dictionary<string, byte[]> files, TempFolder folder)
    {
        if (Directory.Exists(folder.Log))
        {
            Directory.Delete(folder.Log, recursive: true);
        }

        Directory.CreateDirectory(folder.Log);
        foreach ((string name, byte[] bytes) in files)
        {
            File.WriteAllBytes(Path.Combine(folder.Log, name), bytes);
        }

        Restart.Of(folder.Log);
    }

    private static IEnumerable<(string File, int Offset, byte[] Bytes)> Difference(
        Dictionary<string, byte[]> before, Dictionary<string, byte[]> after)
    {
        foreach ((string name, byte[] bytes) in after)
        {
            byte[] old = before.GetValueOrDefault(name, []);
            int first = bytes.AsSpan().CommonPrefixLength(old);
            if (first < bytes.Length)
            {
                yield return (name, first, bytes[first..]);
            }
        }
    }

    /// <param name="disk">What is on the disk.</param>
    /// <param name="write">A write.</param>
    /// <param name="kept">How many bytes of it reach the disk; null for any of its sectors. Its length does in any case.</param>
    private static void Apply(Dictionary<string, byte[]> disk, (string File, int Offset, byte[] Bytes) write, int? kept, Random random)
    {
        byte[] bytes = disk.GetValueOrDefault(write.File, []);
        if (kept == 0 && random.Next(2) == 0)
        {
            return;
        }

        int end = write.Offset + write.Bytes.Length;
        if (bytes.Length < end)
        {
            Array.Resize(ref bytes, end);
        }

        for (int i = 0; i < write.Bytes.Length;)
        {
            int next = Math.Min(write.Bytes.Length, (((write.Offset + i) / Sector) + 1) * Sector - write.Offset);
            if (kept is null ? random.Next(2) == 0 : i < kept)
            {
                write.Bytes.AsSpan(i, next - i).CopyTo(bytes.AsSpan(write.Offset + i));
            }

            i = next;
        }

        disk[write.File] = bytes;
    }
}
