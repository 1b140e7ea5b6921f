using System.Globalization;
using System.IO.Compression;
using Sluice.Kernel;
using Sluice.Tests.Shared;
using Sluice.Uring;
using Sluice.Uring.Abi;
using Xunit.Abstractions;

namespace Sluice.Log.Tests;

/// <summary>
/// A log is opened, written, truncated, closed or killed, and opened again. A power cut at any system call leaves each file as it was when it
/// was last flushed, with any of the sectors written since, and the names as they were when the folder was last flushed, with some of the
/// changes since.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class ReopenedPowerCutTests(ITestOutputHelper output)
{
    private const int EIO = 5;

    /// <summary>SLUICE_LOG_FLIPS=all asks for more, SLUICE_LOG_SEED for others.</summary>
    public static TheoryData<int> Seeds =>
        [.. Enumerable.Range(
            int.TryParse(Environment.GetEnvironmentVariable("SLUICE_LOG_SEED"), CultureInfo.InvariantCulture, out int first) ? first : 1,
            Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all" ? 100 : 3)];

    [SkippableTheory]
    [MemberData(nameof(Seeds))]
    public void What_was_durable_is_there_after_a_power_cut_whoever_had_the_log_before(int seed) =>
        CutEverywhere(seed, static (Session session, ref Promise promise) => session.RunFramed(ref promise), Prove);

    [SkippableTheory]
    [MemberData(nameof(Seeds))]
    public void Lines_that_were_durable_are_in_a_raw_file_or_its_copy_after_a_power_cut(int seed) =>
        CutEverywhere(seed, static (Session session, ref Promise promise) => session.RunRaw(ref promise), static (folder, promise, what) =>
        {
            ProveLines(folder, promise, what);
            SluiceLog.Open(folder, SmallLog.With(LogFormat.Raw)).Dispose();
            ProveLines(folder, promise, what + ", opened");
        });

    private delegate void RunSession(Session session, ref Promise promise);

    private void CutEverywhere(int seed, RunSession run, Action<string, Promise, string> prove)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        Random random = new(seed);
        Promise promise = new(0, 0, 1, []);
        NamedDisk disk = new(folder.Log, () => Volatile.Read(ref promise));
        Session session = new(folder, disk, random);
        try
        {
            for (int i = random.Next(3, 6); i > 0; i--)
            {
                run(session, ref promise);
            }
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        disk.Steps.ShouldNotBeEmpty();
        output.WriteLine($"seed {seed}: {disk.Steps.Count} steps, durable {promise.Durable}, {session.Kills} kills, {session.Story}");
        using TempFolder after = new(isInMemory: true);
        for (int step = 0; step < disk.Steps.Count; step++)
        {
            for (int i = 0; i < 3; i++)
            {
                disk.CutAt(step, random, after.Log);
                string what = $"seed {seed}, step {step} of {disk.Steps.Count}, before {disk.Steps[step].Call}";
                prove(after.Log, disk.Steps[step].Promise, what);
            }
        }
    }

    private static void ProveLines(string folder, Promise promise, string what)
    {
        HashSet<long> found = [];
        foreach (string path in Directory.GetFiles(folder, "0*.log*").Where(static f => !f.EndsWith(".tmp", StringComparison.Ordinal)))
        {
            byte[] bytes = File.ReadAllBytes(path);
            if (path.EndsWith(".gz", StringComparison.Ordinal))
            {
                try
                {
                    using GZipStream content = new(new MemoryStream(bytes), CompressionMode.Decompress);
                    using MemoryStream all = new();
                    content.CopyTo(all);
                    bytes = all.ToArray();
                }
                catch (InvalidDataException)
                {
                    continue;
                }
            }

            foreach (string line in System.Text.Encoding.ASCII.GetString(bytes).Split('\n'))
            {
                if (line.Length > 8 && long.TryParse(line.AsSpan(0, 8), CultureInfo.InvariantCulture, out long number) && line == Session.Line(number))
                {
                    found.Add(number);
                }
            }
        }

        for (long i = 1; i <= promise.Durable; i++)
        {
            bool wasOnlyWritten = promise.Epochs.Any(e => i >= e.From && i <= e.Epoch);
            (wasOnlyWritten || found.Contains(i)).ShouldBeTrue($"{what}: line {i} of {promise.Durable} durable ones is gone: "
                + string.Join(' ', Directory.GetFiles(folder).Order().Select(static f => $"{Path.GetFileName(f)}:{new FileInfo(f).Length}")));
        }
    }

    private static void Prove(string folder, Promise promise, string what)
    {
        long last;
        long first;
        string files = string.Join(' ', Directory.GetFiles(folder).Order().Select(static f => $"{Path.GetFileName(f)}:{new FileInfo(f).Length}"));
        what = $"{what}: {files}";
        try
        {
            List<(long Sequence, byte[] Bytes)> before = Records.ReadWritten(folder);
            bool isBegun = File.Exists(Path.Combine(folder, "log.truncate"));
            OpenUntilSecondRemoval(folder);
            using SluiceLog log = SluiceLog.Open(folder, SmallLog.Options);
            last = log.NextSequence - 1;
            first = log.FirstSequence;
            if (!isBegun)
            {
                ((before.Count > 0 ? before[^1].Sequence : last) == last).ShouldBeTrue($"{what}: read {before.Count}, opened to {last}");
            }

            log.Append(Records.Make(500, (int)last + 1, 40), LogDurability.Durable);
        }
        catch (IOException e)
        {
            throw new InvalidOperationException(what, e);
        }

        last.ShouldBeGreaterThanOrEqualTo(promise.Durable, what);
        first.ShouldBeLessThanOrEqualTo(Math.Max(1, promise.First), what);
        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder);
        for (int i = 0; i < records.Count; i++)
        {
            records[i].Sequence.ShouldBe(first + i, what);
            (int epoch, int number) = Records.Check(records[i].Bytes);
            number.ShouldBe((int)first + i, what);
            epoch.ShouldBeGreaterThanOrEqualTo(promise.EpochOf(first + i), $"{what}: record {first + i} was dropped");
        }

        (records.Count > 0 ? records[^1].Sequence : last + 1).ShouldBe(last + 1, what);
        Restart.Of(folder);
    }

    /// <summary>A writer that fails at the second file that it deletes leaves a log that the next one opens as it was.</summary>
    private static void OpenUntilSecondRemoval(string folder)
    {
        int removals = 0;
        SystemCallFaults.Use((call, _, _) => call == "unlinkat" && ++removals >= 2 ? -EIO : 0);
        try
        {
            SluiceLog.Open(folder, SmallLog.Options).Dispose();
        }
        catch (IOException e) when (e is not SluiceLogDamagedException && removals >= 2)
        {
        }
        finally
        {
            SystemCallFaults.Use(null);
        }
    }

    /// <summary>The state of the records that the log has promised to its callers.</summary>
    /// <param name="Durable">The last record that is durable.</param>
    /// <param name="Written">The last record that is written.</param>
    /// <param name="First">The last record before which records may have been removed.</param>
    /// <param name="Epochs">From which record on those of earlier epochs were dropped; of a raw log, lines that were only written.</param>
    internal sealed record Promise(long Durable, long Written, long First, (long From, int Epoch)[] Epochs)
    {
        public int EpochOf(long sequence) => Epochs.Where(e => e.From <= sequence).Select(static e => e.Epoch).DefaultIfEmpty().Max();
    }

    private sealed class Session(TempFolder folder, NamedDisk disk, Random random)
    {
        private int _epoch;
        private long _line;

        public int Kills { get; private set; }

        public string Story { get; private set; } = "";

        public static string Line(long number) =>
            string.Create(CultureInfo.InvariantCulture, $"{number:00000000} {new string((char)('a' + (number % 26)), 20 + (int)(number * 37 % 500))}");

        public void RunFramed(ref Promise promise)
        {
            Watch(out Action die);
            SluiceLogOptions options = SmallLog.With(o =>
            {
                o.FlushInterval = TimeSpan.FromHours(1);
                o.SegmentBytes = 4096 << random.Next(2);
                o.Preallocate = random.Next(2) == 0;
                o.RetainSegments = random.Next(4) == 0 ? 3 : null;
            });
            SluiceLog log = folder.Open(options);
            Story += " open";
            if (promise.Written > log.NextSequence - 1)
            {
                throw new InvalidOperationException($"written {promise.Written}, there {log.NextSequence - 1}");
            }

            for (int i = random.Next(4) == 0 ? 0 : random.Next(40); i > 0; i--)
            {
                switch (random.Next(30))
                {
                    case 0:
                        {
                            long last = Math.Max(log.FirstSequence - 1, log.NextSequence - 1 - random.Next(12));
                            _epoch++;
                            Volatile.Write(ref promise, promise with { Durable = Math.Min(promise.Durable, last), Written = Math.Min(promise.Written, last) });
                            log.TruncateAfter(last);
                            Volatile.Write(ref promise, promise with
                            {
                                Durable = last,
                                Written = last,
                                Epochs = [.. promise.Epochs, (last + 1, _epoch)],
                            });
                            break;
                        }

                    case 1:
                        long before = random.NextInt64(1, log.NextSequence + 1);
                        Volatile.Write(ref promise, promise with { First = Math.Max(promise.First, before) });
                        log.TruncateBefore(before);
                        break;
                    case 2:
                        log.Flush();
                        Volatile.Write(ref promise, promise with { Durable = log.NextSequence - 1, Written = log.NextSequence - 1 });
                        break;
                    default:
                        {
                            LogDurability durability = random.Next(10) == 0 ? LogDurability.Durable
                                : random.Next(3) == 0 ? LogDurability.Buffered : LogDurability.Written;
                            if (options.RetainSegments is not null)
                            {
                                Volatile.Write(ref promise, promise with { First = long.MaxValue });
                            }

                            long sequence = log.Append(Records.Make(_epoch, (int)log.NextSequence, random.Next(20, 700)), durability);
                            if (durability >= LogDurability.Written)
                            {
                                Volatile.Write(ref promise, promise with
                                {
                                    Written = sequence,
                                    Durable = durability == LogDurability.Durable ? sequence : promise.Durable,
                                });
                            }

                            break;
                        }
                }
            }

            End(log, die, ref promise);
        }

        public void RunRaw(ref Promise promise)
        {
            Watch(out Action die);
            SluiceLogOptions options = SmallLog.With(o =>
            {
                o.Format = LogFormat.Raw;
                o.FlushInterval = TimeSpan.FromHours(1);
                o.Compression = random.Next(3) == 0 ? CompressionLevel.NoCompression : CompressionLevel.Fastest;
            });
            SluiceLog log = folder.Open(options);
            for (int i = random.Next(4) == 0 ? 0 : random.Next(60); i > 0; i--)
            {
                LogDurability durability = random.Next(8) == 0 ? LogDurability.Durable
                    : random.Next(3) == 0 ? LogDurability.Buffered : LogDurability.Written;
                log.Append(System.Text.Encoding.ASCII.GetBytes(Line(++_line) + "\n"), durability);
                if (durability == LogDurability.Durable)
                {
                    Volatile.Write(ref promise, promise with { Durable = _line });
                }
            }

            long line = _line;
            if (random.Next(2) == 0)
            {
                die();
                Kills++;
                _ = Record.Exception(log.Dispose);

                // The kill has lost the buffered lines. The log has promised no one that the written ones are durable.
                disk.IsDead = false;
                _line = Math.Max(promise.Durable, Count());
                Volatile.Write(ref promise, promise with { Epochs = [.. promise.Epochs, (promise.Durable + 1, (int)_line)] });
            }
            else
            {
                log.Dispose();
                Volatile.Write(ref promise, promise with { Durable = line });
            }
        }

        private long Count()
        {
            long last = 0;
            foreach (string name in Directory.GetFiles(folder.Log, "0*.log"))
            {
                foreach (string text in File.ReadAllText(name).Split('\n'))
                {
                    if (text.Length > 8 && long.TryParse(text.AsSpan(0, 8), CultureInfo.InvariantCulture, out long number))
                    {
                        last = Math.Max(last, number);
                    }
                }
            }

            return last;
        }

        private void End(SluiceLog log, Action die, ref Promise promise)
        {
            if (random.Next(2) == 0)
            {
                die();
                Kills++;
                Story += " kill";
                _ = Record.Exception(log.Dispose);
                disk.IsDead = false;
            }
            else
            {
                long last = log.NextSequence - 1;
                log.Dispose();
                Story += " close";
                Volatile.Write(ref promise, promise with { Durable = last, Written = last });
            }
        }

        private void Watch(out Action die)
        {
            SystemCallFaults.Use((call, fd, _) =>
            {
                if (disk.IsDead)
                {
                    return call is "close" or "futex" or "fcntl" or "statx" ? 0 : -EIO;
                }

                disk.Note(call, fd);
                return 0;
            });
            die = () => disk.IsDead = true;
        }
    }

    /// <summary>Holds the content of a folder before each system call, and which contents and names were flushed by then.</summary>
    internal sealed class NamedDisk(string folder, Func<Promise> promise)
    {
        private const int Sector = 512;

        [ThreadStatic]
        private static bool t_isInside;

        private readonly Lock _lock = new();
        private Dictionary<string, ulong> _names = [];
        private Dictionary<ulong, byte[]> _content = [];
        private Dictionary<ulong, byte[]> _flushed = [];
        private Dictionary<string, ulong> _flushedNames = [];
        private List<(string Name, ulong Ino)> _pending = [];

        public volatile bool IsDead;

        public sealed record Step(
            string Call, Promise Promise, Dictionary<ulong, byte[]> Content, Dictionary<ulong, byte[]> Flushed,
            Dictionary<string, ulong> FlushedNames, (string Name, ulong Ino)[] Pending);

        public List<Step> Steps { get; } = [];

        public void Note(string call, int fd)
        {
            if (t_isInside || fd < 0
                || call is not ("write" or "pwrite" or "ftruncate" or "fallocate" or "fsync" or "fdatasync" or "unlinkat" or "renameat2"
                    or "renameat" or "openat"))
            {
                return;
            }

            t_isInside = true;
            try
            {
                string path = OpenFiles.NameOf(fd);
                if (path != folder && Path.GetDirectoryName(path) != folder)
                {
                    return;
                }

                lock (_lock)
                {
                    Look();
                    Step? last = Steps.Count > 0 ? Steps[^1] : null;
                    if (call is "fsync" or "fdatasync" || last is null || last.Content != _content || last.Pending.Length != _pending.Count
                        || last.Promise != promise())
                    {
                        Steps.Add(new Step(
                            $"{call} {Path.GetFileName(path)}", promise(), _content, _flushed, _flushedNames, [.. _pending]));
                    }

                    if (call is "fsync" or "fdatasync")
                    {
                        if (path == folder)
                        {
                            _flushedNames = _names;
                            _pending = [];
                        }
                        else if (_names.TryGetValue(Path.GetFileName(path), out ulong ino))
                        {
                            _flushed = new(_flushed) { [ino] = _content[ino] };
                        }
                    }
                }
            }
            finally
            {
                t_isInside = false;
            }
        }

        public void CutAt(int at, Random random, string target)
        {
            Step step = Steps[at];
            Dictionary<string, ulong> names = new(step.FlushedNames);
            int kept = random.Next(3) switch { 0 => 0, 1 => step.Pending.Length, _ => random.Next(step.Pending.Length + 1) };
            foreach ((string name, ulong ino) in step.Pending.Take(kept))
            {
                if (ino == 0)
                {
                    names.Remove(name);
                }
                else
                {
                    names[name] = ino;
                }
            }

            Dictionary<string, byte[]> cut = [];
            foreach ((string name, ulong ino) in names)
            {
                byte[] was = step.Flushed.GetValueOrDefault(ino, []);
                byte[] now = step.Content[ino];
                int fate = random.Next(4);
                byte[] left = fate == 0 ? now : [.. was];
                if (fate is 1 or 2)
                {
                    Array.Resize(ref left, Math.Max(now.Length, was.Length));
                    for (int offset = 0; offset < now.Length; offset += Sector)
                    {
                        int end = Math.Min(now.Length, offset + Sector);
                        if (fate == 1 ? random.Next(4) > 0 : random.Next(2) == 0)
                        {
                            now.AsSpan(offset, end - offset).CopyTo(left.AsSpan(offset));
                        }
                    }
                }

                cut.Add(name, left);
            }

            FolderImage.Write(target, cut);
            Restart.Of(target);
        }

        private void Look()
        {
            Dictionary<string, ulong> names = [];
            Dictionary<ulong, byte[]> content = new(_content);
            bool hasChanged = false;
            if (!Directory.Exists(folder))
            {
                return;
            }

            foreach (string path in Directory.GetFiles(folder))
            {
                string name = Path.GetFileName(path);
                if (name == "log.lock" || NodeCalls.Stat(NodePath.Of(path), false, StatxMask.BasicStats, out Statx stat) != 0)
                {
                    continue;
                }

                byte[] bytes;
                try
                {
                    bytes = File.ReadAllBytes(path);
                }
                catch (IOException)
                {
                    continue;
                }

                names.Add(name, stat.Ino);
                if (!content.TryGetValue(stat.Ino, out byte[]? known) || !known.AsSpan().SequenceEqual(bytes))
                {
                    content[stat.Ino] = bytes;
                    hasChanged = true;
                }
            }

            if (hasChanged)
            {
                _content = content;
            }

            foreach (string name in _names.Keys.Union(names.Keys).Order(StringComparer.Ordinal).ToArray())
            {
                ulong before = _names.GetValueOrDefault(name);
                ulong now = names.GetValueOrDefault(name);
                if (before != now)
                {
                    _pending = [.. _pending, (name, now)];
                }
            }

            _names = names;
        }
    }
}
