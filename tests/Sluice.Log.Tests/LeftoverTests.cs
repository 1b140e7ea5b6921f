using System.Globalization;
using Sluice.Log.Segments;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// What a process leaves that ends while a segment could be neither removed nor emptied, or in the midst of writing records to another
/// segment: the next opening finds all that was acknowledged, and calls nothing of it damage.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class LeftoverTests : IDisposable
{
    private const int EIO = 5;
    private const int Count = 10;

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>The disk takes nothing any more from the flush of the segment on that is to drop a tail; then the process is
    /// killed.</summary>
    /// <param name="refused">Calls that fail from then on.</param>
    /// <param name="mayBeDropped">Whether nothing can say any more that the tail was not dropped.</param>
    [SkippableTheory]
    [InlineData("unlinkat", false)]
    [InlineData("unlinkat,fsync", false)]
    [InlineData("unlinkat,fsync,pwrite", true)]
    public async Task A_killed_process_that_could_not_withdraw_a_segment_leaves_a_log(string refused, bool mayBeDropped)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new();
        using ChildProcess child = new("leftover", folder.Log, refused);
        (string[] lines, int exitCode, string errors) = await child.FinishAsync();
        exitCode.ShouldBe(128 + 9);
        lines.ShouldBe([Count.ToString(CultureInfo.InvariantCulture), nameof(IOException)], errors);
        new FileInfo(Path.Combine(folder.Log, "0000000002.slog")).Length.ShouldBePositive();
        int expected = mayBeDropped ? LeftoverProgram.Kept : Count;
        Numbers(folder.Log).Count.ShouldBe(expected, "what a reader finds before the log is opened");
        using (SluiceLog log = SluiceLog.Open(folder.Log, LeftoverProgram.Options))
        {
            log.NextSequence.ShouldBe(expected + 1);
            log.Append(Records.Make(0, expected, 100), LogDurability.Durable).ShouldBe(expected + 1);
        }

        Numbers(folder.Log).ShouldBe(Enumerable.Range(0, expected + 1));
    }

    /// <summary>Who has read on in a segment that was to drop the tail goes back, though nothing can remove that one.</summary>
    [SkippableTheory]
    [InlineData(LogDurability.Durable)]
    [InlineData(LogDurability.Written)]
    public void A_reader_leaves_a_segment_that_was_withdrawn_and_cannot_be_removed(LogDurability upTo)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        string withdrawn = Path.Combine(folder.Log, "0000000002.slog");
        using SluiceLog log = SluiceLog.Open(folder.Log, LeftoverProgram.Options);
        LeftoverProgram.Append(log, LogDurability.Durable, 0, Count);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = upTo });
        for (int i = 0; i < Count; i++)
        {
            reader.TryRead(out _).ShouldBeTrue();
        }

        byte[] left = [];
        bool isRefusing = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (!isRefusing && LeftoverProgram.IsFlush(call, fd, "0000000002.slog"))
            {
                isRefusing = true;
                left = File.ReadAllBytes(withdrawn);
                reader.TryRead(out LogEntry _).ShouldBeFalse();
                return -EIO;
            }

            return isRefusing && call == "unlinkat" ? -EIO : 0;
        });
        Should.Throw<IOException>(() => log.TruncateAfter(LeftoverProgram.Kept));
        SystemCallFaults.Use(null);

        // No seam is in what empties it: it is as it would be if that had failed.
        File.WriteAllBytes(withdrawn, left);
        reader.NextSequence.ShouldBe(LeftoverProgram.Kept + 1, "it reads on in the segment");
        reader.TryRead(out _).ShouldBeFalse();
        reader.NextSequence.ShouldBe(Count + 1);
        reader.Drops.ShouldBe(0);
        log.Append(Records.Make(0, Count, 100), LogDurability.Durable).ShouldBe(Count + 1);
        reader.TryRead(out LogEntry entry).ShouldBeTrue();
        entry.Sequence.ShouldBe(Count + 1);
    }

    /// <summary>
    /// A sync has failed, and what was written is written to another segment: whoever is killed before any system call of that leaves all
    /// of it.
    /// </summary>
    [SkippableFact]
    public void Records_that_are_written_anew_after_a_failed_sync_are_there_at_each_moment()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        List<string> moments = [];
        using (SluiceLog log = SluiceLog.Open(folder.Log, LeftoverProgram.Options))
        {
            LeftoverProgram.Append(log, LogDurability.Durable, 0, 4);
            LeftoverProgram.Append(log, LogDurability.Written, 4, Count);
            bool hasFailed = false;
            int thread = Environment.CurrentManagedThreadId;
            SystemCallFaults.Use((call, fd, _) =>
            {
                if (Environment.CurrentManagedThreadId != thread)
                {
                    return 0;
                }

                if (!hasFailed && LeftoverProgram.IsFlush(call, fd, "0000000001.slog"))
                {
                    hasFailed = true;
                    return -EIO;
                }

                if (hasFailed)
                {
                    moments.Add(Copy(folder, moments.Count));
                }

                return 0;
            });
            log.Flush();
            SystemCallFaults.Use(null);
            hasFailed.ShouldBeTrue();
        }

        moments.Count.ShouldBeGreaterThan(Count - 4, "each record was copied by a call of its own");
        foreach (string moment in moments)
        {
            using SluiceLog log = SluiceLog.Open(moment, LeftoverProgram.Options);
            Numbers(moment).ShouldBe(Enumerable.Range(0, Count), moment);
        }
    }

    /// <summary>
    /// What is older than a segment that was taken back, and cannot be removed, goes as if that one were not there; what took it back
    /// stays.
    /// </summary>
    /// <param name="gone">How many segments are to be removed; the last of four lost its tail.</param>
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(4)]
    public void What_is_older_than_what_cannot_be_removed_goes(int gone)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        string[] files;
        byte[] takenBack;
        long first;
        using (SluiceLog log = SluiceLog.Open(folder.Log, LeftoverProgram.Options))
        {
            LeftoverProgram.Append(log, LogDurability.Durable, 0, 200);
            files = [.. Directory.GetFiles(folder.Log, "*.slog").Order(StringComparer.Ordinal)];
            files.Length.ShouldBeGreaterThan(5);
            long[] firsts = [.. files.Take(4).Select(static (f, i) => SegmentInfo.Read(f, i + 1)!.FirstSequence)];
            long next = firsts[3] + 2;
            first = gone == 4 ? next : firsts[gone];
            SystemCallFaults.Use(static (call, _, _) => call == "unlinkat" ? -EIO : 0);
            log.TruncateAfter(next - 1);
            SystemCallFaults.Use(null);
            LeftoverProgram.Append(log, LogDurability.Durable, (int)next - 1, 200);

            // No call can remove a file any more that has become a folder; others can be removed.
            takenBack = File.ReadAllBytes(files[4]);
            File.Delete(files[4]);
            Directory.CreateDirectory(files[4]);
            log.TruncateBefore(first).ShouldBe(gone);
            files[..gone].ShouldAllBe(static f => !File.Exists(f));
            files[gone..4].ShouldAllBe(static f => File.Exists(f));
            Record.Exception(() => log.TruncateBefore(200)).ShouldNotBeNull();
            log.FirstSequence.ShouldBeLessThanOrEqualTo(next);
        }

        Directory.Delete(files[4]);
        File.WriteAllBytes(files[4], takenBack);
        List<int> numbers = Numbers(folder.Log);
        using SluiceLog again = SluiceLog.Open(folder.Log, LeftoverProgram.Options);
        again.NextSequence.ShouldBe(201);
        foreach (List<int> found in (List<int>[])[numbers, Numbers(folder.Log)])
        {
            found[^1].ShouldBe(199);
            found.ShouldBe(Enumerable.Range(200 - found.Count, found.Count));
        }
    }

    /// <summary>
    /// A segment that was taken back as a whole could not be removed at once: what took it back is not removed before it, or it would
    /// come back.
    /// </summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_takes_a_segment_back_stays_as_long_as_that_one_is_there(bool drops)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, LeftoverProgram.Options))
        {
            LeftoverProgram.Append(log, drops ? LogDurability.Durable : LogDurability.Written, 0, Count);
            bool hasFailed = drops;
            SystemCallFaults.Use((call, fd, _) =>
            {
                bool fails = !hasFailed && LeftoverProgram.IsFlush(call, fd, "0000000001.slog");
                if (fails)
                {
                    hasFailed = true;
                }

                return fails || call == "unlinkat" ? -EIO : 0;
            });
            int next = drops ? 0 : Count;
            if (drops)
            {
                log.TruncateAfter(0);
            }
            else
            {
                log.Flush();
            }

            File.Exists(Path.Combine(folder.Log, "0000000001.slog")).ShouldBeTrue();
            LeftoverProgram.Append(log, LogDurability.Durable, next, 300);
            long first = log.NextSequence - 5;

            // Nothing can be removed, and nothing is.
            Should.Throw<IOException>(() => log.TruncateBefore(first));
            File.Exists(Path.Combine(folder.Log, "0000000002.slog")).ShouldBeTrue();
            Directory.Delete(Copy(folder, 0, "before"), recursive: true);
            SystemCallFaults.Use(null);
            log.TruncateBefore(first).ShouldBeGreaterThan(1);
            File.Exists(Path.Combine(folder.Log, "0000000001.slog")).ShouldBeFalse();
            File.Exists(Path.Combine(folder.Log, "0000000002.slog")).ShouldBeFalse();
            Copy(folder, 0);
        }

        // As a kill would have left it.
        string killed = Path.Combine(folder.Root, "moment0");
        using SluiceLog again = SluiceLog.Open(killed, LeftoverProgram.Options);
        List<int> numbers = Numbers(killed);
        numbers.ShouldBe(Enumerable.Range(300 - numbers.Count, numbers.Count));
        numbers.Count.ShouldBeGreaterThanOrEqualTo(5);
    }

    private static List<int> Numbers(string directory) =>
        [.. Records.ReadWritten(directory).Select(static r => Records.Check(r.Bytes).Number)];

    /// <summary>What a process that is killed now leaves.</summary>
    private static string Copy(TempFolder folder, int number, string name = "moment")
    {
        string copy = Directory.CreateDirectory(Path.Combine(folder.Root, $"{name}{number}")).FullName;
        foreach (string file in Directory.GetFiles(folder.Log))
        {
            File.Copy(file, Path.Combine(copy, Path.GetFileName(file)));
        }

        return copy;
    }
}
