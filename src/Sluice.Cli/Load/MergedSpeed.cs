using Sluice.Cli.Terminal;

namespace Sluice.Cli.Load;

/// <summary>The combined results of processes that measured together.</summary>
/// <param name="Count">The number of processes.</param>
/// <param name="Ranks">The result of each process, by its number.</param>
internal sealed record MergedSpeed(int Count, IReadOnlyDictionary<int, SpeedReport> Ranks)
{
    private const int MaxNamed = 20;

    public IEnumerable<SpeedReport> All => Ranks.OrderBy(r => r.Key).Select(r => r.Value);

    /// <summary>The results of processes that were interrupted before they had met the others. They do not contain the rank.</summary>
    public IReadOnlyList<string> Unmet { get; private init; } = [];

    /// <summary>The results of the engines of all processes; none for a process that was interrupted before the measurement.</summary>
    public IReadOnlyList<SideReport> Sides { get; } = [.. Ranks.OrderBy(r => r.Key).SelectMany(r => r.Value.Sides)];

    public int MissingCount => Count - Ranks.Count;

    /// <summary>The first ranks without a result.</summary>
    public IReadOnlyList<int> Missing => [.. Enumerable.Range(0, Count).Where(i => !Ranks.ContainsKey(i)).Take(MaxNamed)];

    public long Wrong => All.Sum(r => r.Verified?.Wrong ?? 0);

    public bool IsWhole => MissingCount == 0 && Unmet.Count == 0 && Wrong == 0 && All.All(r => !r.Interrupted && r.Sides.Count == 1);

    /// <summary>
    /// The time during which all processes measured, by their clocks, and the longest time of a process; null if no process has both.
    /// </summary>
    public (double Together, double Longest)? Overlap
    {
        get
        {
            (DateTimeOffset From, double Seconds)[] times =
                [.. All.Where(r => r is { Rank.MeasuredFrom: not null, Sides.Count: 1 })
                    .Select(r => (r.Rank!.MeasuredFrom!.Value, r.Sides[0].Seconds))];
            if (times.Length == 0)
                return null;
            double together = (times.Min(t => t.From.AddSeconds(t.Seconds)) - times.Max(t => t.From)).TotalSeconds;
            return (Math.Max(together, 0), times.Max(t => t.Seconds));
        }
    }

    /// <summary>The latencies of all processes together. The percentiles come from one merged histogram.</summary>
    public IReadOnlyList<(string Name, LatencySummary Latency)> Latencies { get; private init; } = [];

    /// <exception cref="UsageException">The results are not from processes that ran the same workload together.</exception>
    /// <exception cref="IOException">No process had met the others.</exception>
    public static MergedSpeed Of(IReadOnlyList<(string Path, SpeedReport Report)> given)
    {
        string[] unmet = [.. given.Where(r => IsUnmet(r.Report)).Select(r => r.Path)];
        (string Path, SpeedReport Report)[] results = [.. given.Where(r => !IsUnmet(r.Report))];
        if (results.Length == 0)
            throw new IOException($"{unmet[0]}: it was interrupted before the ranks had met, and nothing was measured");
        (string first, SpeedReport like) = results[0];
        var ranks = new SortedDictionary<int, SpeedReport>();
        var paths = new Dictionary<int, string>();
        string? side = null;
        foreach ((string path, SpeedReport report) in results)
        {
            if (report.Rank is not { } rank || like.Rank is not { } expected)
            {
                string alone = report.Rank is null ? path : first;
                throw new UsageException($"{alone} is not a result of one of several processes (sluice speed --shard --rendezvous --json)");
            }
            if (report.Workload.Key() != like.Workload.Key())
                throw new UsageException($"{path} is of other work than {first}: {Describe(report)}, and not {Describe(like)}");
            if (rank.Count != expected.Count)
                throw new UsageException($"{path} is one of {rank.Count} processes, and {first} one of {expected.Count}");
            if (rank.Run != expected.Run)
                throw new UsageException($"{path} is of another run than {first}: only results of processes that began together are added up");
            if (!ranks.TryAdd(rank.Index, report))
                throw new UsageException($"{path} is of rank {rank.Index}, as {paths[rank.Index]} is");
            side ??= report.Sides is [{ } only, ..] ? only.Side : null;
            if (report.Sides.Count > 1 || report.Sides.Any(s => s.Side != side))
                throw new UsageException($"{path} is of another engine than {first}, or of several");
            paths.Add(rank.Index, path);
        }
        return new MergedSpeed(like.Rank!.Count, ranks)
        {
            Unmet = unmet,
            Latencies =
            [
                .. Merge(results, "read", h => h.Read, s => s.ReadLatency),
                .. Merge(results, "write", h => h.Write, s => s.WriteLatency),
                .. Merge(results, "service time", h => h.Service, s => s.ServiceTime),
                .. Merge(results, "flush", h => h.Flush, s => s.FlushLatency),
            ],
        };
    }

    private static bool IsUnmet(SpeedReport report) => report is { Rank: null, Interrupted: true, Sides.Count: 0 };

    private static IEnumerable<(string Name, LatencySummary Latency)> Merge(
        IReadOnlyList<(string Path, SpeedReport Report)> results, string name, Func<SideHistograms, HistogramRecord?> of,
        Func<SideReport, LatencySummary?> summary)
    {
        var all = new LatencyHistogram();
        foreach ((string path, SpeedReport report) in results)
        {
            foreach (SideReport side in report.Sides)
            {
                HistogramRecord? record = side.Histograms is { } histograms ? of(histograms) : null;
                if (record is null && summary(side) is null)
                    continue;
                LatencyHistogram? part = record is null ? null : LatencyHistogram.TryFrom(record);
                all.Add(part ?? throw new UsageException($"{path} is not a result of sluice speed: its latencies are incomplete"));
            }
        }
        return LatencySummary.From(all) is { } latency ? [(name, latency)] : [];
    }

    private static string Describe(SpeedReport report) =>
        $"{SpeedPage.Describe(report.Workload)}, {ByteSize.Format(report.Workload.FileSizeBytes)}, {report.Workload.TimeSeconds} s";
}
