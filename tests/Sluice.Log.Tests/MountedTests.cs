using System.Globalization;
using Sluice.Faults.Tests.Support;
using Sluice.Log.Folders;
using Sluice.Tests.Shared;
using Xunit.Abstractions;

namespace Sluice.Log.Tests;

/// <summary>Logs on file systems of their own: power cuts, a full disk, a disk that becomes read-only.</summary>
[Trait("Tier", "slow")]
[Collection(nameof(AloneCollection))]
public sealed class MountedTests(ITestOutputHelper output)
{
    private const int ENOSPC = 28;
    private const int EROFS = 30;

    /// <summary>When the power is cut; SLUICE_LOG_SEED asks for other moments.</summary>
    private static readonly int Seed =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_LOG_SEED"), CultureInfo.InvariantCulture, out int seed) ? seed : 9;

    /// <summary>SLUICE_POWER_CUTS asks for more on each file system.</summary>
    private static readonly int? CutsAskedFor =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_POWER_CUTS"), CultureInfo.InvariantCulture, out int cuts) && cuts > 0
            ? cuts
            : null;

    /// <summary>
    /// Also what is acknowledged while the file system ends: ext4's fdatasync, overtaken by that, says 0, most often where each sync
    /// commits the file's length.
    /// </summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Ext4, true)]
    [InlineData(FileSystemKind.Ext4, false)]
    [InlineData(FileSystemKind.Xfs, true)]
    public void What_was_acknowledged_as_durable_survives_power_cuts_one_after_another(FileSystemKind kind, bool preallocates)
    {
        using Mount mount = Mount.OrSkip(kind);
        int cuts = CutsAskedFor ?? 10;
        int losses = SurviveCuts(
            mount.Folder, cuts, seed: Seed + (int)kind,
            () => PowerCut.Cut(mount, kind), () => mount.Remount().ShouldBeNull(), preallocates, countsLate: true);
        losses.ShouldBeGreaterThan(0, "no cut lost anything, so this test proves nothing");
    }

    /// <summary>The device itself stops in the midst of what it is doing: on any file system.</summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Ext4)]
    [InlineData(FileSystemKind.Xfs)]
    [InlineData(FileSystemKind.Btrfs)]
    public void What_was_acknowledged_as_durable_is_on_the_device_when_it_stops(FileSystemKind kind)
    {
        using SealedDisk disk = SealedDisk.OrSkip(kind);
        _ = SurviveCuts(disk.Folder, CutsAskedFor ?? 3, seed: Seed + 81 + (int)kind, disk.Cut, () =>
        {
            // The cut was one: what is not on the device yet does not get there.
            Should.Throw<IOException>(() =>
            {
                using SluiceHandle file = LogFile.Open(Path.Combine(disk.Folder, "lost"), FileMode.OpenOrCreate, FileAccess.ReadWrite);
                file.Write(new byte[100_000], 0);
                LogFile.Flush(file, new SluiceLogOptions());
            });
            disk.Remount();
        });
    }

    /// <summary>
    /// The journal's device stops, and that of the records does not: a sync of ext4 that finds its transaction ended says 0, most often
    /// where others sync as well.
    /// </summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Ext4, true)]
    [InlineData(FileSystemKind.Ext4, false)]
    [InlineData(FileSystemKind.Ext4DataJournal, true)]
    public void What_was_acknowledged_as_durable_is_there_though_the_journal_could_not_be_written(FileSystemKind kind, bool preallocates)
    {
        using SealedDisk disk = SealedDisk.OrSkip(kind, hasJournalApart: true);
        using NeighboursWhoSync neighbours = new(disk.Folder, count: 3);
        _ = SurviveCuts(
            disk.Folder, CutsAskedFor ?? 10, seed: Seed + 91, disk.Cut,
            () => neighbours.PauseFor(disk.Remount), preallocates, countsLate: true);
    }

    /// <summary>Appends, cuts, mounts again and reads, again and again; how many cuts took records with them.</summary>
    private int SurviveCuts(
        string folder, int cuts, int seed, Action cutPower, Action remount, bool preallocates = true,
        bool countsLate = false)
    {
        string directory = Path.Combine(folder, "log");
        Random random = new(seed);
        SluiceLogOptions options = new()
        {
            Preallocate = preallocates,
            SegmentBytes = 128 * 1024,
            MaxRecordBytes = 16_000,
            BufferBytes = 64_000,
            RetainSegments = 40,
        };
        Dictionary<long, (int Writer, int Number)> durable = [];
        int nextNumber = 0;
        int losses = 0;
        for (int cut = 0; cut < cuts; cut++)
        {
            SluiceLog log = SluiceLog.Open(directory, options);
            log.NextSequence.ShouldBeGreaterThan(durable.Count > 0 ? durable.Keys.Max() : 0, "records that were durable are gone");
            int first = nextNumber;
            bool isOver = false;
            Thread[] threads = Threads.Start(4, t =>
            {
                try
                {
                    for (int i = first; ; i++)
                    {
                        LogDurability wanted = (LogDurability)((i + t) % 3);
                        long sequence = log.Append(Records.Make(t, i, (i * 31) % 700), wanted);
                        lock (durable)
                        {
                            nextNumber = Math.Max(nextNumber, i + 1);
                            if (wanted == LogDurability.Durable && !isOver)
                            {
                                durable[sequence] = (t, i);
                            }
                        }
                    }
                }
                catch (Exception e) when (e is IOException or ObjectDisposedException or UnauthorizedAccessException)
                {
                    // The power is gone.
                }
            });
            Thread.Sleep(random.Next(10, 60));
            Threads.WaitUntil(
                () =>
                {
                    lock (durable)
                    {
                        return durable.Count > 0;
                    }
                },
                "nothing became durable");
            lock (durable)
            {
                // What is acknowledged when the device has stopped is acknowledged to nobody.
                isOver = !countsLate;
            }

            cutPower();
            threads.JoinInTime();

            Should.Throw<IOException>(log.Dispose);
            OpenFiles.Of(directory).ShouldBeEmpty();
            remount();
            Restart.Of(directory);
            if (cut % 2 == 0)
            {
                // Before anybody mends it, and after.
                Prove(directory, durable);
            }

            using (SluiceLog mended = SluiceLog.Open(directory, options))
            {
                losses += mended.NextSequence < log.NextSequence ? 1 : 0;
            }

            Prove(directory, durable);
        }

        durable.Count.ShouldBeGreaterThan(cuts);
        output.WriteLine($"seed {seed}: {cuts} cuts, {losses} of which took records that were not durable; {durable.Count} were");
        return losses;
    }

    /// <summary>Appends that failed have no bytes in the log's files: what is given back is for those that come.</summary>
    /// <param name="kind">The file system.</param>
    /// <param name="bytes">The size of a record.</param>
    /// <param name="failures">How many appends fail, in the last row for ten times as many bytes as are given back.</param>
    [SkippableTheory]
    [InlineData(FileSystemKind.Tmpfs, 500, 20)]
    [InlineData(FileSystemKind.Ext4, 500, 20)]
    [InlineData(FileSystemKind.Tmpfs, 8000, 375)]
    public void A_disk_that_is_full_and_has_space_again_loses_nothing_that_was_acknowledged(FileSystemKind kind, int bytes, int failures)
    {
        using Mount mount = SmallDisk.Make(kind);
        List<(long Sequence, int Number)> acknowledged = [];
        SluiceLogOptions options = new() { SegmentBytes = 64 * 1024, Preallocate = bytes < 1000 };
        LogDurability durability = bytes < 1000 ? LogDurability.Durable : LogDurability.Written;
        string directory = Fill(mount, options, failures, more: 20, (log, number) =>
            acknowledged.Add((log.Append(Records.Make(0, number, bytes), durability), number)));
        Records.ReadAll(directory).Select(static r => (r.Sequence, Records.Check(r.Bytes).Number)).ShouldBe(acknowledged);
    }

    /// <summary>What the full disk took of a page stays, and the rest comes behind it: the bytes are what they would have been.</summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Tmpfs)]
    [InlineData(FileSystemKind.Ext4)]
    public void A_full_disk_tears_no_line_of_a_raw_log(FileSystemKind kind)
    {
        using Mount mount = SmallDisk.Make(kind);
        List<string> acknowledged = [];
        SluiceLogOptions options = new() { Format = LogFormat.Raw, SegmentBytes = 64 * 1024, MaxRecordBytes = 8000 };
        string directory = Fill(mount, options, failures: 20, more: 100, (log, number) =>
        {
            log.Append(System.Text.Encoding.ASCII.GetBytes(Line(number) + "\n"), LogDurability.Written);
            acknowledged.Add(Line(number));
        });

        // A line whose append failed may be there, as it was or in part never.
        string[] lines = [.. Directory.GetFiles(directory, "*.log").Order(StringComparer.Ordinal).SelectMany(File.ReadAllLines)];
        lines.ShouldBe(lines.Select(static l => Line(int.Parse(l.AsSpan(0, 7), CultureInfo.InvariantCulture))));
        lines.Intersect(acknowledged).ShouldBe(acknowledged);
        lines.ShouldBeUnique();
    }

    /// <summary>Appends to a log until its disk is full, gives space back, and appends more. Returns the log's folder.</summary>
    private static string Fill(Mount mount, SluiceLogOptions options, int failures, int more, Action<SluiceLog, int> append)
    {
        string ballast = Path.Combine(mount.Folder, "ballast");
        File.WriteAllBytes(ballast, new byte[300_000]);
        using SluiceLog log = SluiceLog.Open(Path.Combine(mount.Folder, "log"), options);
        int number = 0;
        for (int failed = 0; failed < failures; number++)
        {
            number.ShouldBeLessThan(100_000, "the disk never became full");
            Exception? error = Record.Exception(() => append(log, number));
            error?.HResult.ShouldBe(ENOSPC, error.ToString());
            failed += error is null ? 0 : 1;
        }

        // ext4 gives freed space out when its journal has it, which may be seconds later.
        File.Delete(ballast);
        _ = Command.Run("sync", "--file-system", mount.Folder);
        for (int last = number + more; number < last; number++)
        {
            append(log, number);
        }

        return log.Directory;
    }

    [SkippableFact]
    public void A_disk_that_becomes_read_only_is_an_error_of_each_append()
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Ext4);
        string directory = Path.Combine(mount.Folder, "log");
        SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions { SegmentBytes = 64 * 1024, MaxRecordBytes = 8000 });
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);

        mount.MakeReadOnlyOrSkip();
        for (int i = 0; i < 4; i++)
        {
            // What is written needs the file system as what is durable does.
            LogDurability durability = i % 2 == 0 ? LogDurability.Durable : LogDurability.Written;
            IOException error = Should.Throw<IOException>(() => log.Append(Records.Make(0, 1, 100), durability));
            error.Message.ShouldContain(directory);
            error.HResult.ShouldBe(EROFS, error.ToString());
        }

        Should.Throw<IOException>(log.Dispose);
        mount.Remount().ShouldBeNull();
        Records.ReadAll(directory).Count.ShouldBe(1);
    }

    private static string Line(int number) =>
        string.Create(CultureInfo.InvariantCulture, $"{number:0000000} {new string((char)('a' + (number % 26)), 700)}");

    private static void Prove(string directory, Dictionary<long, (int Writer, int Number)> durable)
    {
        long last = 0;
        int found = 0;
        foreach ((long sequence, byte[] bytes) in Records.ReadWritten(directory))
        {
            sequence.ShouldBe(last == 0 ? sequence : last + 1);
            last = sequence;
            (int Writer, int Number) record = Records.Check(bytes);
            if (durable.TryGetValue(sequence, out (int Writer, int Number) expected))
            {
                record.ShouldBe(expected);
                found++;
            }
        }

        long expectedLast = durable.Keys.DefaultIfEmpty().Max();
        last.ShouldBeGreaterThanOrEqualTo(expectedLast, "the last durable records are gone");
        found.ShouldBeGreaterThan(0);
    }
}
