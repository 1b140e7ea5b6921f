using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests.Support;

/// <summary>A log of some segments and a few dozen records, to be damaged.</summary>
internal sealed class SmallLog
{
    public static readonly SluiceLogOptions Options = With(static _ => { });

    /// <summary>The options of <see cref="Options"/>, with a loss accepted.</summary>
    public static readonly SluiceLogOptions Accepting = With(static o => o.AcceptLoss = true);

    private readonly Dictionary<string, byte[]> _files;

    /// <summary>Returns the options of <see cref="Options"/> with a change.</summary>
    public static SluiceLogOptions With(Action<SluiceLogOptions> change)
    {
        SluiceLogOptions options = new() { SegmentBytes = 4096, MaxRecordBytes = 1000, BufferBytes = 4000, Preallocate = false };
        change(options);
        return options;
    }

    /// <summary>Returns the options of <see cref="Options"/> for a format.</summary>
    public static SluiceLogOptions With(LogFormat format, TimeSpan? retainAge = null, TimeSpan? segmentAge = null) =>
        With(o => (o.Format, o.RetainAge, o.SegmentAge) = (format, retainAge, segmentAge));

    /// <param name="records">How many.</param>
    /// <param name="isDurable">Whether the state file says that all are on the disk.</param>
    public SmallLog(int records, bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(Options))
        {
            for (int i = 0; i < records; i++)
            {
                log.Append(Records.Make(0, i, 20 + (i * 29 % 150)));
            }
        }

        All = folder.ReadAll();
        All.Count.ShouldBe(records);
        _files = folder.Files
            .Where(f => (isDurable || !f.EndsWith(".state", StringComparison.Ordinal)) && Path.GetFileName(f) != LogFolder.LockName)
            .ToDictionary(static f => Path.GetFileName(f), File.ReadAllBytes);

        // The thread that makes segments ahead may have made one that has a header alone: not so in each run, therefore in none.
        foreach (string name in _files.Keys.ToArray())
        {
            if (name.EndsWith(".slog", StringComparison.Ordinal) && _files[name].Length <= LogLayout.HeaderBytes)
            {
                _files.Remove(name);
            }
        }
    }

    public List<(long Sequence, byte[] Bytes)> All { get; private set; }

    public IReadOnlyDictionary<string, byte[]> Files => _files;

    /// <summary>The names of the segments, in their order.</summary>
    public string[] Segments =>
        [.. _files.Keys.Where(static f => f.EndsWith(".slog", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];

    public string First => Segments[0];

    public string Last => Segments[^1];

    /// <summary>Drops the segment that is not sealed: as if it had been lost before anything in it was on the disk.</summary>
    public void DropUnsealed()
    {
        _files.Remove(Last);
        using TempFolder folder = new(isInMemory: true);
        WriteTo(folder.Log);
        All = folder.ReadWritten();
    }

    /// <summary>Beside what was written: a segment that was made ahead, behind the last one, and has a header alone.</summary>
    public static void MakeAhead(string directory, Guid logId)
    {
        LogFolder folder = new(directory, SegmentNames.Framed);
        new NextSegment(folder, Options.Check(), logId, folder.List()[^1] + 1).Get().Dispose();
    }

    /// <summary>The log's id, from its first segment.</summary>
    public Guid LogId
    {
        get
        {
            SegmentHeader.Read(_files[First], out SegmentHeader header, out _).ShouldBeNull();
            return header.LogId;
        }
    }

    /// <summary>Writes the files, one of them with other bytes; null for none at all.</summary>
    public void WriteTo(string directory, string? changed = null, byte[]? bytes = null)
    {
        FolderImage.Write(
            directory, _files.Where(f => f.Key != changed || bytes is not null).ToDictionary(f => f.Key, f => f.Key == changed ? bytes! : f.Value));
    }

    /// <summary>
    /// Reads with every way of reading, and opens for writing: nothing that was not appended comes, and what does not come is told of.
    /// </summary>
    /// <param name="directory">Where it is.</param>
    /// <param name="what">What was done to it.</param>
    /// <param name="mayBeShorter">Whether it may be a shorter log that is whole: a file cut at a frame's border.</param>
    /// <returns>Whether somebody told of damage, or everything is there.</returns>
    public bool Prove(string directory, string what, bool mayBeShorter = false)
    {
        int read = Read(directory, skips: false, what, mayBeShorter);
        _ = Read(directory, skips: true, what, mayBeShorter);
        bool told = true;
        try
        {
            using (SluiceLog log = SluiceLog.Open(directory, Options))
            {
                told = log.Cut is not null || read == All.Count;
                log.NextSequence.ShouldBeLessThanOrEqualTo(All.Count + 1, what);
                (log.NextSequence == All.Count + 1 || log.Cut is not null || mayBeShorter)
                    .ShouldBeTrue($"{what}: {All.Count + 1 - log.NextSequence} records are gone, and nobody said so");
                log.Append(Records.Make(9, 9, 50));
            }

            List<(long Sequence, byte[] Bytes)> after = [];
            try
            {
                after = Records.ReadAll(directory);
            }
            catch (SluiceLogDamagedException)
            {
                // Inside a sealed segment: the writer reads headers and footers of those.
                return true;
            }

            Records.Check(after[^1].Bytes).ShouldBe((9, 9), what);
            for (int i = 0; i < after.Count - 1; i++)
            {
                after[i].Sequence.ShouldBe(All[i].Sequence, what);
                after[i].Bytes.ShouldBe(All[i].Bytes, what);
            }
        }
        catch (SluiceLogDamagedException e)
        {
            e.Path.ShouldContain(directory);
        }

        return told;
    }

    private int Read(string directory, bool skips, string what, bool mayBeShorter)
    {
        int count = 0;
        try
        {
            using SluiceLogReader reader = new(directory, new SluiceLogReaderOptions { SkipDamage = skips, UpTo = LogDurability.Written });
            long last = 0;
            foreach (LogEntry entry in reader.Entries)
            {
                entry.Sequence.ShouldBeGreaterThan(last, what);
                last = entry.Sequence;
                entry.Bytes.SequenceEqual(All[(int)last - 1].Bytes).ShouldBeTrue($"{what}: record {last} is not what was appended");
                count++;
            }

            (count == All.Count || reader.Tail is not null || reader.Damage.Count > 0 || mayBeShorter)
                .ShouldBeTrue($"{what}: {All.Count - count} records did not come, and nobody said so");
        }
        catch (SluiceLogDamagedException e) when (!skips)
        {
            e.Path.ShouldContain(directory, Case.Sensitive, what);
        }

        return count;
    }
}
