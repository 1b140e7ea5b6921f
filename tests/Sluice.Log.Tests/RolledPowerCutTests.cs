using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// A power cut leaves each file of a log that has rolled as it was when it was last flushed, and any of the sectors written since.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class RolledPowerCutTests
{
    private const int Sector = 512;

    private static readonly SluiceLogOptions Options = SmallLog.With(o => o.FlushInterval = TimeSpan.FromHours(1));

    [SkippableTheory]
    [MemberData(nameof(Seeds))]
    public void Whatever_reached_the_disk_of_a_log_that_has_rolled_it_opens_with_all_that_was_durable(int seed) =>
        CutEverywhere(seed, truncates: false);

    /// <summary>What was dropped does not come back, once that was said.</summary>
    [SkippableTheory]
    [MemberData(nameof(Seeds))]
    public void So_does_one_whose_tail_is_dropped_now_and_then(int seed) => CutEverywhere(seed, truncates: true);

    /// <summary>SLUICE_LOG_FLIPS=all asks for more.</summary>
    public static TheoryData<int> Seeds =>
        [.. Enumerable.Range(1, Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all" ? 200 : 2)];

    private static void CutEverywhere(int seed, bool truncates)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        Random random = new(seed);
        Disk disk = new(folder.Log);
        Promise promise = new(0, []);
        SystemCallFaults.Use((call, fd, _) =>
        {
            disk.Note(call, fd, Volatile.Read(ref promise));
            return 0;
        });
        try
        {
            using SluiceLog log = folder.Open(Options);
            int epoch = 0;
            for (int i = 0; i < 90; i++)
            {
                if (truncates && random.Next(15) == 0)
                {
                    long last = Math.Max(0, log.NextSequence - 1 - random.Next(12));
                    epoch++;
                    log.TruncateAfter(last);
                    Volatile.Write(ref promise, promise.Truncated(last, epoch));
                }

                LogDurability durability = random.Next(12) == 0 ? LogDurability.Durable
                    : random.Next(3) == 0 ? LogDurability.Buffered : LogDurability.Written;
                long sequence = log.Append(Records.Make(epoch, (int)log.NextSequence, random.Next(20, 700)), durability);
                if (durability == LogDurability.Durable)
                {
                    Volatile.Write(ref promise, promise with { Durable = sequence });
                }
            }
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        disk.Steps.Count.ShouldBeGreaterThan(60);
        using TempFolder after = new(isInMemory: true);
        for (int step = 0; step < disk.Steps.Count; step++)
        {
            for (int i = 0; i < 4; i++)
            {
                disk.CutAt(step, random, after.Log);
                Prove(after.Log, disk.Steps[step].Promise, truncates, $"seed {seed}, step {step} of {disk.Steps.Count}");
            }
        }
    }

    private static void Prove(string folder, Promise promise, bool truncates, string what)
    {
        int count = 0;
        try
        {
            // A reader that comes first takes it for no damage, and has nothing else.
            int read = Records.ReadWritten(folder).Count;

            // What a removal that was begun takes is there for readers until the next writer completes it.
            bool isBegun = File.Exists(Path.Combine(folder, "log.truncate"));

            // A writer that comes no further than its second removal leaves a log that the next one opens as if it had not been there.
            int removals = 0;
            SystemCallFaults.Use((call, _, _) => call == "unlinkat" && ++removals >= 2 ? -Errno.EIO : 0);
            try
            {
                SluiceLog.Open(folder, Options).Dispose();
            }
            catch (IOException e) when (e is not SluiceLogDamagedException && removals >= 2)
            {
            }
            finally
            {
                SystemCallFaults.Use(null);
            }

            (Records.ReadWritten(folder).Count == read || isBegun).ShouldBeTrue(what);
            using SluiceLog log = SluiceLog.Open(folder, Options);
            read = isBegun ? (int)log.NextSequence - 1 : read;
            read.ShouldBe((int)log.NextSequence - 1, what);
            count = (int)log.NextSequence - 1;
            log.Append(Records.Make(500, count + 1, 40), LogDurability.Durable);
        }
        catch (IOException e)
        {
            throw new InvalidOperationException($"{what}: {string.Join(' ', Directory.GetFiles(folder).Select(Path.GetFileName))}", e);
        }

        // While a tail is being dropped, less may be durable already.
        (truncates || count >= promise.Durable).ShouldBeTrue($"{what}: {count} of {promise.Durable} durable ones");
        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder);
        records.Count.ShouldBe(count + 1, what);
        for (int i = 0; i <= count; i++)
        {
            records[i].Sequence.ShouldBe(i + 1, what);
            (int epoch, int number) = Records.Check(records[i].Bytes);
            number.ShouldBe(i + 1, what);
            epoch.ShouldBeGreaterThanOrEqualTo(promise.EpochOf(i + 1), $"{what}: record {i + 1} was dropped");
        }
    }

    /// <summary>What whoever uses the log has been told.</summary>
    /// <param name="Durable">The last record that is durable.</param>
    /// <param name="Epochs">From which record on those of earlier epochs were dropped, in the order of that.</param>
    private sealed record Promise(long Durable, (long From, int Epoch)[] Epochs)
    {
        public Promise Truncated(long last, int epoch) => new(Math.Min(Durable, last), [.. Epochs, (last + 1, epoch)]);

        /// <summary>The oldest epoch that a record may be of.</summary>
        public int EpochOf(long sequence) => Epochs.Where(e => e.From <= sequence).Select(static e => e.Epoch).DefaultIfEmpty().Max();
    }

    /// <summary>What the files of a folder held before each write and flush, and what of it was flushed.</summary>
    private sealed class Disk(string folder)
    {
        private readonly Lock _lock = new();
        private Dictionary<string, byte[]> _flushed = [];

        /// <summary>Before each call: the files as they were, what of each was flushed, and what was promised.</summary>
        public List<(Dictionary<string, byte[]> Files, Dictionary<string, byte[]> Flushed, Promise Promise)> Steps { get; } = [];

        public void Note(string call, int fd, Promise promise)
        {
            bool isFlush = call.Contains("sync", StringComparison.Ordinal);
            if (!isFlush && !call.Contains("write", StringComparison.OrdinalIgnoreCase))
            {
                return;
            }

            string path = OpenFiles.NameOf(fd);
            if (Path.GetDirectoryName(path) != folder)
            {
                return;
            }

            lock (_lock)
            {
                Dictionary<string, byte[]> files = FolderImage.Read(folder);
                Steps.Add((files, _flushed, promise));
                if (isFlush && files.TryGetValue(Path.GetFileName(path), out byte[]? bytes))
                {
                    // It counts from the next call on, which comes when this one has ended, or of another thread's while it is under way:
                    // then a little too early for that one, which promises nothing on the strength of it.
                    _flushed = new Dictionary<string, byte[]>(_flushed) { [Path.GetFileName(path)] = bytes };
                }
            }
        }

        /// <summary>Writes what a power cut leaves: each file as it was flushed, and of what was written since any sectors.</summary>
        public void CutAt(int step, Random random, string target)
        {
            (Dictionary<string, byte[]> files, Dictionary<string, byte[]> flushed, _) = Steps[step];
            Dictionary<string, byte[]> cut = [];
            foreach ((string name, byte[] now) in files)
            {
                byte[] was = flushed.GetValueOrDefault(name, []);
                int fate = random.Next(4);
                byte[] left = fate == 0 ? now : [.. was];
                if (fate is 1 or 2)
                {
                    Array.Resize(ref left, Math.Max(now.Length, was.Length));
                    for (int at = 0; at < now.Length; at += Sector)
                    {
                        if (fate == 1 || random.Next(2) == 0)
                        {
                            int end = Math.Min(now.Length, at + Sector);
                            if (fate == 2 || random.Next(4) > 0)
                            {
                                now.AsSpan(at, end - at).CopyTo(left.AsSpan(at));
                            }
                        }
                    }
                }

                cut.Add(name, left);
            }

            FolderImage.Write(target, cut);
            Restart.Of(target);
        }
    }
}
