using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>What a reader knows of segments, and is true no more: of another log, damaged, or removed.</summary>
public sealed class ReplacedLogTests
{
    /// <summary>Of writer 1, then of writer 2.</summary>
    private const int Old = 1;
    private const int New = 2;

    [Theory]
    [InlineData(400, 400, 400, false)]
    [InlineData(400, 400, 400, true)]
    [InlineData(400, 100, 400, false)]
    [InlineData(400, 100, 50, false)]
    [InlineData(400, 100, 50, true)]
    [InlineData(30, 10, 30, true)]
    [InlineData(5, 5, 5, true)]
    public void Another_log_in_the_folder_is_told_of_and_not_mixed_with_the_one_that_was_read(int before, int read, int after, bool skips)
    {
        using TempFolder folder = new(isInMemory: true);
        Write(folder, Old, before);
        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written, skips);
        reader.ReadTo(read);

        folder.Clear();
        Write(folder, New, after);

        // What it has open it may read to its end.
        SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() =>
        {
            while (reader.TryRead(out LogEntry entry))
            {
                Records.Check(entry.Bytes).ShouldBe((Old, (int)entry.Sequence));
            }
        });
        damage.Message.ShouldContain(LogErrors.IsOtherLog);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(damage.Message);
    }

    /// <summary>A segment that could not be begun, and not be removed, may have left that file.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Another_log_whose_last_file_is_empty_is_told_of(bool skips)
    {
        using TempFolder folder = new(isInMemory: true);
        Write(folder, Old, 5);
        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written, skips: skips);
        reader.ReadTo(5);
        reader.TryRead(out _).ShouldBeFalse();
        folder.Clear();
        Write(folder, New, 5);
        folder.Segments.Length.ShouldBe(1);
        File.WriteAllBytes(folder.PathOf("0000000002.slog"), []);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldContain(LogErrors.IsOtherLog);
    }

    /// <summary>The segment that is read was truncated, and its absence is no truncation.</summary>
    [Theory]
    [InlineData(LogDurability.Written, false)]
    [InlineData(LogDurability.Written, true)]
    [InlineData(LogDurability.Durable, true)]
    public void Another_log_is_not_taken_for_what_the_old_one_has_instead_of_a_tail(LogDurability upTo, bool skips)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 4096 }))
        {
            log.AppendMany(1, 40, 200, writer: Old);

            log.TruncateAfter(30);
            log.Append(Records.Make(Old, 31, 200), LogDurability.Durable);
        }

        using SluiceLogReader reader = folder.OpenReader(upTo, skips: skips);
        reader.ReadTo(31);

        folder.Clear();
        Write(folder, New, 60);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldContain(LogErrors.IsOtherLog);
    }

    /// <summary>By the log's state it was on the disk, as what is behind it was: the log does not end there.</summary>
    [Fact]
    public void Behind_a_damaged_opening_what_was_durable_is_read()
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 4096, Preallocate = false, Durability = LogDurability.Durable }))
        {
            log.AppendMany(1, 40, 200, writer: Old);
        }

        string second = folder.PathOf("0000000002.slog");
        byte[] bytes = File.ReadAllBytes(second);
        bytes[LogLayout.HeaderBytes + 8] ^= 0x77;
        File.WriteAllBytes(second, bytes);
        long[] third = Read(folder.PathOf("0000000003.slog"));
        using SluiceLogReader reader = folder.OpenReader(skips: true);
        List<long> read = [];
        while (reader.TryRead(out LogEntry entry))
        {
            Records.Check(entry.Bytes).ShouldBe((Old, (int)entry.Sequence));
            read.Add(entry.Sequence);
        }

        third.ShouldNotBeEmpty();
        read.ShouldBe(Records.Range(1, read.Count - third.Length).Concat(third));
        reader.Damage.ShouldContain(d => d.Path == second);
        Should.Throw<SluiceLogDamagedException>(() => folder.OpenReader()).Path.ShouldBe(second);

        static long[] Read(string path)
        {
            SegmentInfo info = Segment.Read(path, 3).ShouldNotBeNull();
            using SluiceHandle file = LogFile.OpenToRead(path);
            int first = (int)info.FirstSequence;
            return [.. Enumerable.Range(first, (int)info.Scan(file).LastSequence - first + 1).Select(static n => (long)n)];
        }
    }

    private static void Write(TempFolder folder, int writer, int count)
    {
        using SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 4096 });
        log.AppendMany(1, count, 200, writer: writer);
    }
}
