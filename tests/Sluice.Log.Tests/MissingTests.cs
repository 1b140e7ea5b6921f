using System.Globalization;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>
/// A segment with records that somebody has removed is reported. Only the oldest may be missing: TruncateBefore removes those.
/// </summary>
public sealed class MissingTests
{
    /// <summary>
    /// A segment's older state is put back, from a backup, when the log has gone on from an earlier record: two have the same numbers.
    /// </summary>
    [Fact]
    public void A_segment_that_has_more_than_the_next_one_allows_is_told_of()
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 10, writer: 1);
        }

        string first = folder.Segments[0];
        byte[] before = File.ReadAllBytes(first);
        using (SluiceHandle file = SluiceHandle.Open(first, FileMode.Open, FileAccess.ReadWrite))
        {
            // Six of the ten, and nothing that knows of more.
            file.SetLength(LogLayout.HeaderBytes + ((before.Length - LogLayout.HeaderBytes) * 6 / 10));
        }

        File.Delete(folder.PathOf(LogFolder.StateName));
        long last;
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            last = log.NextSequence - 1;
            last.ShouldBeInRange(3, 8);
            log.Append(Records.Make(2, 0, 100), LogDurability.Written);
        }

        SluiceLogOptions larger = new() { SegmentBytes = 4096, MaxRecordBytes = 20_000, BufferBytes = 80_000, Preallocate = false };
        using (SluiceLog log = folder.Open(larger))
        {
            // It has no room in the first segment.
            log.Append(Records.Make(2, 1, 9000), LogDurability.Written);
        }

        folder.ReadAll().Count.ShouldBe((int)last + 2);
        File.WriteAllBytes(first, before);
        ShouldBeTold(folder, "a wrong order");
        SluiceLogDamagedException error = folder.ReadDamaged(null);
        (error.Path, error.Sequence).ShouldBe((folder.Segments[1], last + 2));
        using SluiceLogReader reader = folder.OpenReader();
        reader.ReadTo(10);

        // The same again at the next call.
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldContain("wrong order");
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldContain("wrong order");
    }

    /// <summary>Each file of many logs that were truncated, closed and opened, in turn.</summary>
    [Theory]
    [MemberData(nameof(Seeds))]
    public void Each_missing_file_of_a_log_that_was_truncated_is_told_of(int seed)
    {
        Random random = new(seed);
        using TempFolder folder = new(isInMemory: true);
        for (int opened = 0; opened < 3; opened++)
        {
            using SluiceLog log = folder.Open(SmallLog.Options);
            for (int i = 0; i < 4; i++)
            {
                log.AppendMany(0, random.Next(1, 60), writer: i);
                if (random.Next(3) > 0)
                {
                    log.TruncateAfter(random.NextInt64(log.FirstSequence - 1, log.NextSequence));
                }
                else if (random.Next(4) == 0)
                {
                    log.TruncateBefore(random.NextInt64(log.FirstSequence, log.NextSequence));
                }
            }
        }

        int count = folder.ReadAll().Count;
        string[] files = folder.Segments;
        for (int i = 0; i < files.Length; i++)
        {
            long id = long.Parse(Path.GetFileNameWithoutExtension(files[i]), CultureInfo.InvariantCulture);
            if (Segment.Read(files[i], id) is not { } info || !HasRecords(info))
            {
                continue;
            }

            string aside = files[i] + ".aside";
            File.Move(files[i], aside);
            if (i > 0 || files.Length == 1)
            {
                ShouldBeTold(folder, $"seed {seed}, {Path.GetFileName(files[i])} of {files.Length}");
            }

            File.Move(aside, files[i]);
            folder.ReadAll().Count.ShouldBe(count);
        }
    }

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 24)];

    private static bool HasRecords(SegmentInfo info)
    {
        using SluiceHandle file = LogFile.OpenToRead(info.Path);
        return info.Scan(file).LastSequence >= info.FirstSequence;
    }

    private static void ShouldBeTold(TempFolder folder, string what)
    {
        Should.Throw<SluiceLogDamagedException>(() => folder.ReadAll(), $"the reader, {what}");
        using (SluiceLogReader reader = folder.OpenReader(skips: true))
        {
            reader.ReadToEnd();

            reader.Damage.ShouldNotBeEmpty(what);
        }

        Should.Throw<SluiceLogDamagedException>(() => folder.Open(SmallLog.Options).Dispose(), $"the writer, {what}");
    }
}
