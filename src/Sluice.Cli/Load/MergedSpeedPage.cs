using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Load;

/// <summary>The combined results of `speed` as a page: a line for each process, and the sum.</summary>
internal static class MergedSpeedPage
{
    public static ReportPage Of(MergedSpeed merged, IReadOnlyList<string> arguments)
    {
        SpeedReport first = merged.All.First();
        return new ReportPage
        {
            Title = $"{Counted.Of(merged.Count, "rank")} together: {SpeedPage.Describe(first.Workload)}",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = merged.All.Min(r => r.Started),
            Environment = first.Environment,
            Notes = [.. Notes(merged)],
            Sections =
            [
                new PageSection { Heading = "Ranks", Tables = [Ranks(merged)] },
                .. merged.Latencies.Count == 0 ? Array.Empty<PageSection>()
                    : [new PageSection { Heading = "Latency of all", Tables = [.. SpeedPage.LatencyTables(merged.Latencies)] }],
            ],
        };
    }

    private static IEnumerable<string> Notes(MergedSpeed merged)
    {
        if (merged.MissingCount > 0)
        {
            string more = merged.MissingCount > merged.Missing.Count ? ", ..." : "";
            yield return $"missing: rank {string.Join(", ", merged.Missing)}{more} of {merged.Count}";
        }
        foreach (SpeedReport report in merged.All.Where(r => r.Interrupted || r.Sides.Count == 0))
            yield return $"rank {report.Rank!.Index} was interrupted{(report.Sides.Count == 0 ? " before anything was measured" : "")}";
        foreach (string path in merged.Unmet)
            yield return $"{path}: a rank that was interrupted before it had met the others";
        if (merged.Wrong > 0)
            yield return $"{Counted.Of(merged.Wrong, "request")} had other bytes when they were read again";
        if (merged.Overlap is { } overlap)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"all that have a result measured at the same time for {overlap.Together:0.00} of {overlap.Longest:0.00} s, "
                + $"by their clocks; the rates of all are sums");
        }
    }

    private static PageTable Ranks(MergedSpeed merged) => new()
    {
        Columns =
        [
            new PageColumn("rank", null, ColumnKind.Code), PageColumn.Text("host"), PageColumn.Text("engine"),
            new PageColumn("rate", "MiB/s"), new PageColumn("requests", "1/s"), new PageColumn("measured", "s"),
            new PageColumn("late", "s"), new PageColumn("50 %", "us"), new PageColumn("99 %", "us"), new PageColumn("max", "us"),
            new PageColumn("CPU", "%"),
        ],
        Rows =
        [
            .. merged.All.Select(Row),
            Row("all", "", "", merged.Sides.Sum(s => s.MiBPerSecond), merged.Sides.Sum(s => s.Iops), merged.Overlap?.Longest, null,
                merged.Latencies.Count == 0 ? null : merged.Latencies[0].Latency, merged.Sides.Sum(s => s.CpuPercent)),
        ],
    };

    private static PageRow Row(SpeedReport report)
    {
        RankReport rank = report.Rank!;
        string name = string.Create(CultureInfo.InvariantCulture, $"{rank.Index}/{rank.Count}");
        if (report.Sides.Count == 0)
            return new PageRow(name, rank.Host);
        SideReport side = report.Sides[0];
        return Row(name, rank.Host, side.Engine, side.MiBPerSecond, side.Iops, side.Seconds, rank.LateSeconds,
            side.ReadLatency ?? side.WriteLatency, side.CpuPercent);
    }

    private static PageRow Row(
        string name, string host, string engine, double rate, double iops, double? seconds, double? late, LatencySummary? latency,
        double cpuPercent) => new(
        name, host, engine, rate, iops, PageCell.Of(seconds, "0.00"), PageCell.Of(late, "0.00"), PageCell.Of(latency?.P50Us),
        PageCell.Of(latency?.P99Us), PageCell.Of(latency?.MaxUs), cpuPercent);
}
