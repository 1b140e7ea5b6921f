using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>The combined results of the shards of one copy.</summary>
/// <param name="Count">The number of shards.</param>
/// <param name="Shards">The results of each shard, in the order of their starts. A shard that was run again has several.</param>
internal sealed record MergedCopy(int Count, IReadOnlyDictionary<int, List<CopyReport>> Shards)
{
    /// <summary>The number of shards without a result.</summary>
    public int MissingCount => Count - Shards.Count;

    /// <summary>The first shards without a result.</summary>
    public IReadOnlyList<int> Missing => [.. Enumerable.Range(0, Count).Where(i => !Shards.ContainsKey(i)).Take(20)];

    public IEnumerable<CopyReport> All => Shards.OrderBy(s => s.Key).SelectMany(s => s.Value);

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
    public IReadOnlyList<int> Interrupted => [.. Shards.Where(s => s.Value[^1].Interrupted).Select(s => s.Key).Order()];

    public bool IsWhole => MissingCount == 0 && Failed == 0 && Interrupted.Count == 0;

    /// <exception cref="UsageException">The results are not those of the shards of one copy.</exception>
    public static MergedCopy Of(IReadOnlyList<(string Path, CopyReport Report)> results)
    {
        RequireOneCopy(results);
        int? count = null;
        string first = "";
        var shards = new SortedDictionary<int, List<CopyReport>>();
        foreach ((string path, CopyReport report) in results.OrderBy(r => r.Report.Started))
        {
            if (report is not { ShardIndex: { } index, ShardCount: { } all } || index < 0 || index >= all)
                throw new UsageException($"{path} is not a result of a copy in shards (sluice copy -r --shard I/N --json)");
            if (count is not null && count != all)
                throw new UsageException($"{path} is one of {all} shards, and {first} one of {count}");
            (count, first) = (all, path);
            if (!shards.TryGetValue(index, out List<CopyReport>? runs))
                shards.Add(index, runs = []);
            runs.Add(report);
        }
        return count is { } known
            ? new MergedCopy(known, shards)
            : throw new UsageException("there is not a result of a shard among them (sluice copy -r --shard I/N --json)");
    }

    /// <exception cref="UsageException">The sources or targets of the results differ, or two results are the same.</exception>
    private static void RequireOneCopy(IReadOnlyList<(string Path, CopyReport Report)> results)
    {
        if (results.Count == 0)
            return;
        (string first, CopyReport like) = results[0];
        var seen = new Dictionary<(DateTimeOffset, int?, double), string>();
        foreach ((string path, CopyReport report) in results)
        {
            if (!PlacesOf(report).SequenceEqual(PlacesOf(like)))
                throw new UsageException($"{path} is of another copy than {first}: {Name(report)}, and not {Name(like)}");
            if (!seen.TryAdd((report.Started, report.ShardIndex, report.Seconds), path))
                throw new UsageException($"{path} is the same result as {seen[(report.Started, report.ShardIndex, report.Seconds)]}");
        }
    }

    private static IEnumerable<string> PlacesOf(CopyReport report) =>
        report.Sources.Append(report.Target).Select(p => Path.TrimEndingDirectorySeparator(Path.GetFullPath(p)));

    private static string Name(CopyReport report) => $"{string.Join(", ", report.Sources)} -> {report.Target}";
}
