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
    [InlineData(400, 100, 400, true)]
    [InlineData(400, 100, 50, false)]
    [InlineData(400, 100, 50, true)]
    [InlineData(30, 10, 30, false)]
    [InlineData(30, 10, 30, true)]
    [InlineData(5, 5, 5, true)]
    public void Another_log_in_the_folder_is_told_of_and_not_mixed_with_the_one_that_was_read(int before, int read, int after, bool skips)
    {
        using TempFolder folder = new(isInMemory: true);
        Write(folder.Log, Old, before);
        SluiceLogReaderOptions options = new() { SkipDamage = skips, UpTo = LogDurability.Written };
        using SluiceLogReader reader = new(folder.Log, options);
        for (int i = 1; i <= read; i++)
        {
            reader.TryRead(out LogEntry entry).ShouldBeTrue();
            entry.Sequence.ShouldBe(i);
        }

        Directory.Delete(folder.Log, recursive: true);
        Write(folder.Log, New, after);

        // What it has open it may read to its end.
        List<(int Writer, long Sequence)> rest = [];
        SluiceLogDamagedException? damage = null;
        try
        {
            while (reader.TryRead(out LogEntry entry))
            {
                (int writer, int number) = Records.Check(entry.Bytes);
                entry.Sequence.ShouldBe(number);
                rest.Add((writer, entry.Sequence));
            }
        }
        catch (SluiceLogDamagedException e)
        {
            damage = e;
        }

        rest.Where(static r => r.Writer == Old).Select(static r => r.Sequence).ShouldBe(
            Enumerable.Range(read + 1, rest.Count(static r => r.Writer == Old)).Select(static n => (long)n));
        damage.ShouldNotBeNull().Message.ShouldContain(LogErrors.IsOtherLog);
        rest.ShouldAllBe(static r => r.Writer == Old);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(damage.Message);
    }

    /// <summary>A segment that could not be begun, and not be removed, may have left that file.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Another_log_whose_last_file_is_empty_is_told_of(bool skips)
    {
        using TempFolder folder = new(isInMemory: true);
        Write(folder.Log, Old, 5);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = skips, UpTo = LogDurability.Written });
        Read(Old);
        reader.TryRead(out _).ShouldBeFalse();
        Directory.Delete(folder.Log, recursive: true);
        Write(folder.Log, New, 5);
        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBe(1);
        File.WriteAllBytes(Path.Combine(folder.Log, "0000000002.slog"), []);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldContain(LogErrors.IsOtherLog);

        void Read(int writer)
        {
            for (int i = 1; i <= 5; i++)
            {
                reader.TryRead(out LogEntry entry).ShouldBeTrue();
                Records.Check(entry.Bytes).ShouldBe((writer, i));
            }
        }
    }

    /// <summary>The segment that is read was truncated, and its absence is no truncation.</summary>
    [Theory]
    [InlineData(LogDurability.Written, false)]
    [InlineData(LogDurability.Written, true)]
    [InlineData(LogDurability.Durable, true)]
    public void Another_log_is_not_taken_for_what_the_old_one_has_instead_of_a_tail(LogDurability upTo, bool skips)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentBytes = 4096 }))
        {
            for (int i = 1; i <= 40; i++)
            {
                log.Append(Records.Make(Old, i, 200));
            }

            log.TruncateAfter(30);
            log.Append(Records.Make(Old, 31, 200), LogDurability.Durable);
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = skips, UpTo = upTo });
        for (int i = 1; i <= 31; i++)
        {
            reader.TryRead(out LogEntry entry).ShouldBeTrue();
            entry.Sequence.ShouldBe(i);
        }

        Directory.Delete(folder.Log, recursive: true);
        Write(folder.Log, New, 60);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldContain(LogErrors.IsOtherLog);
    }

    /// <summary>By the log's state it was on the disk, as what is behind it was: the log does not end there.</summary>
    [Fact]
    public void Behind_a_damaged_opening_what_was_durable_is_read()
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { SegmentBytes = 4096, Preallocate = false, Durability = LogDurability.Durable }))
        {
            for (int i = 1; i <= 40; i++)
            {
                log.Append(Records.Make(Old, i, 200));
            }
        }

        string second = Path.Combine(folder.Log, "0000000002.slog");
        byte[] bytes = File.ReadAllBytes(second);
        bytes[LogLayout.HeaderBytes + 8] ^= 0x77;
        File.WriteAllBytes(second, bytes);
        long[] third = Read(Path.Combine(folder.Log, "0000000003.slog"));
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        List<long> read = [];
        while (reader.TryRead(out LogEntry entry))
        {
            Records.Check(entry.Bytes).ShouldBe((Old, (int)entry.Sequence));
            read.Add(entry.Sequence);
        }

        third.ShouldNotBeEmpty();
        read.ShouldBe(Enumerable.Range(1, read.Count - third.Length).Select(static n => (long)n).Concat(third));
        reader.Damage.ShouldContain(d => d.Path == second);
        Should.Throw<SluiceLogDamagedException>(() => new SluiceLogReader(folder.Log)).Path.ShouldBe(second);

        static long[] Read(string path)
        {
            SegmentInfo info = SegmentInfo.Read(path, 3).ShouldNotBeNull();
            using SluiceHandle file = LogFile.OpenToRead(path);
            int first = (int)info.FirstSequence;
            return [.. Enumerable.Range(first, (int)info.Scan(file).LastSequence - first + 1).Select(static n => (long)n)];
        }
    }

    private static void Write(string directory, int writer, int count)
    {
        using SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions { SegmentBytes = 4096 });
        for (int i = 1; i <= count; i++)
        {
            log.Append(Records.Make(writer, i, 200));
        }
    }
}
