using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>The results of the shards of one copy.</summary>
/// <param name="Count">How many shards there are.</param>
/// <param name="Shards">The results of each, in the order in which they began: one that was run again has several.</param>
/// <param name="Finish">The last result of --finish.</param>
internal sealed record MergedCopy(int Count, IReadOnlyDictionary<int, List<CopyReport>> Shards, CopyReport? Finish)
{
    /// <summary>How many shards have no result.</summary>
    public int MissingCount => Count - Shards.Count;

    /// <summary>The first of them.</summary>
    public IReadOnlyList<int> Missing => [.. Enumerable.Range(0, Count).Where(i => !Shards.ContainsKey(i)).Take(20)];

    public IEnumerable<CopyReport> All => Shards.OrderBy(s => s.Key).SelectMany(s => s.Value);

    public long Bytes => All.Sum(r => r.Bytes);

    /// <summary>Files that were copied, by whichever run.</summary>
    public long Files => All.Sum(r => r.Files) + (Finish?.Files ?? 0);

    /// <summary>What failed in the last run of each shard, and in the end: what failed before was tried again.</summary>
    public int Failed => Shards.Values.Sum(runs => runs[^1].Failed) + (Finish?.Failed ?? 0);

    /// <summary>From the first beginning to the last end, by the clocks of the machines.</summary>
    public double Seconds => (All.Max(r => r.Started.AddSeconds(r.Seconds)) - All.Min(r => r.Started)).TotalSeconds;

    public bool IsWhole => MissingCount == 0 && Failed == 0;

    /// <exception cref="UsageException">They are not of one copy in shards.</exception>
    public static MergedCopy Of(IReadOnlyList<(string Path, CopyReport Report)> results)
    {
        int? count = null;
        string first = "";
        var shards = new SortedDictionary<int, List<CopyReport>>();
        CopyReport? finish = null;
        foreach ((string path, CopyReport report) in results.OrderBy(r => r.Report.Started))
        {
            if (report.Finish)
            {
                finish = report;
                continue;
            }
            if (report is not { ShardIndex: { } index, ShardCount: { } all } || index < 0 || index >= all)
                throw new UsageException($"{path} is no result of a copy in shards (sluice copy -r --shard I/N --json)");
            if (count is not null && count != all)
                throw new UsageException($"{path} is one of {all} shards, and {first} one of {count}");
            (count, first) = (all, path);
            if (!shards.TryGetValue(index, out List<CopyReport>? runs))
                shards.Add(index, runs = []);
            runs.Add(report);
        }
        return count is { } known
            ? new MergedCopy(known, shards, finish)
            : throw new UsageException("there is no result of a shard among them (sluice copy -r --shard I/N --json)");
    }
}
