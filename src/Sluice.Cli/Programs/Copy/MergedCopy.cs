using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>The combined results of the shards of one copy.</summary>
/// <param name="Count">The number of shards.</param>
/// <param name="Shards">The results of each shard, in the order of their starts. A shard that was run again has several.</param>
internal sealed record MergedCopy(int Count, SortedDictionary<int, List<CopyReport>> Shards)
{
    /// <summary>The number of shards without a result.</summary>
    public int MissingCount => Count - Shards.Count;

    /// <summary>The shards without a result.</summary>
    public IEnumerable<int> Missing => Enumerable.Range(0, Count).Where(i => !Shards.ContainsKey(i));

    public IEnumerable<CopyReport> All => Shards.SelectMany(s => s.Value);

    public long Bytes => checked(All.Sum(r => r.Bytes));

    /// <summary>The number of files copied in all runs.</summary>
    public long Files => checked(All.Sum(r => r.Files));

    /// <summary>The number of files that existed already, in all runs.</summary>
    public long UnchangedFiles => All.Sum(r => r.UnchangedFiles);

    /// <summary>The number of failures in the last run of each shard. Failures of earlier runs were tried again.</summary>
    public long Failed => Shards.Values.Sum(runs => (long)runs[^1].Failed);

    /// <summary>The time from the first start of a shard to the last end, by the clocks of the machines, in seconds.</summary>
    public double Seconds =>
        (All.Max(r => r.Started.AddSeconds(r.Seconds)) - All.Min(r => r.Started)).TotalSeconds;

    public double CpuSeconds => All.Sum(r => r.CpuSeconds);

    /// <summary>The shards whose last run was interrupted.</summary>
    public IReadOnlyList<int> Interrupted => [.. Shards.Where(s => s.Value[^1].Interrupted).Select(s => s.Key)];

    public bool IsWhole => MissingCount == 0 && Failed == 0 && Interrupted.Count == 0;

    /// <param name="results">The files and their results; at least one.</param>
    /// <exception cref="UsageException">The results are not those of the shards of one copy, or two are the same.</exception>
    public static MergedCopy Of(IReadOnlyList<(string Path, CopyReport Report)> results)
    {
        (string first, CopyReport like) = results[0];
        var seen = new Dictionary<(DateTimeOffset, int, double), string>();
        var shards = new SortedDictionary<int, List<CopyReport>>();
        foreach ((string path, CopyReport report) in results)
        {
            if (!PlacesOf(report).SequenceEqual(PlacesOf(like)))
                throw new UsageException($"{path} is of another copy than {first}: {Name(report)}, and not {Name(like)}");
            if (report is not { ShardIndex: { } index, ShardCount: { } count } || index < 0 || index >= count)
                throw new UsageException($"{path} is not a result of a copy in shards (sluice copy -r --shard I/N --json)");
            if (count != like.ShardCount)
                throw new UsageException($"{path} is one of {count} shards, and {first} one of {like.ShardCount}");
            if (!seen.TryAdd((report.Started, index, report.Seconds), path))
                throw new UsageException($"{path} is the same result as {seen[(report.Started, index, report.Seconds)]}");
            if (!shards.TryGetValue(index, out List<CopyReport>? runs))
                shards.Add(index, runs = []);
            runs.Add(report);
        }
        foreach (List<CopyReport> runs in shards.Values)
            runs.Sort((a, b) => a.Started.CompareTo(b.Started));
        return new MergedCopy(like.ShardCount ?? 0, shards);
    }

    private static IEnumerable<string> PlacesOf(CopyReport report) =>
        report.Sources.Append(report.Target).Select(p => Path.TrimEndingDirectorySeparator(Path.GetFullPath(p)));

    private static string Name(CopyReport report) => $"{string.Join(", ", report.Sources)} -> {report.Target}";
}
