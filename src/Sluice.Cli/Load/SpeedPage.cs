using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Load;

/// <summary>The result of `speed` as a page: latency by percentile, throughput over time, and a table of all values.</summary>
internal static class SpeedPage
{
    private const string DotNet = ".NET";

    public static ReportPage Of(SpeedReport report) => new()
    {
        Title = $"{report.Workload.File}, {ByteSize.Format(report.Workload.FileSizeBytes)}: {Describe(report.Workload)}",
        CommandLine = ReportPage.CommandLineOf(report.Arguments),
        Began = report.Started,
        Environment = report.Environment,
        Notes = [.. Notes(report)],
        Sections = [.. Sections(report)],
    };

    private static IEnumerable<string> Notes(SpeedReport report)
    {
        if (report.Verified is { } verified)
            yield return $"verified: {Counted.Of(verified.Requests, "request")} read again, {verified.Wrong:#,0} with other bytes";
        foreach (string note in report.Notes)
            yield return note;
        if (report.Interrupted)
            yield return report.Sides.Count + report.Creations.Count > 0 ? "interrupted: the figures are of the time until then"
                : "interrupted before anything was measured";
    }

    public static string Describe(SpeedWorkload load)
    {
        if (load.TimeSeconds == 0)
            return $"{load.Operation}, {ByteSize.Format(load.RequestSizeBytes)} requests, {(load.Cache == "direct" ? "direct" : "cached")}";
        string order = load.Zipf is { } zipf ? $"at random by Zipf's law with {zipf}"
            : load.SeekPercent == 0 ? "sequential"
            : $"seeks of up to {load.SeekPercent:0.##} %";
        string outstanding = load.Outstanding is { } count ? $"asynchronous, {count} outstanding" : "synchronous";
        string cache = load.Cache == "as is" ? "cached" : load.Cache;
        string rate = load.OfferedIops is { } iops ? $", {iops:#,0.##} a second offered" : "";
        string flush = load.FlushEvery is { } every ? $", a flush after every {(every == 1 ? "write" : $"{every:#,0} writes")}" : "";
        return $"{load.Operation}, {order}, {ByteSize.Format(load.RequestSizeBytes)} requests, {outstanding}, {cache}{rate}{flush}";
    }

    private static IEnumerable<PageSection> Sections(SpeedReport report)
    {
        if (report.Sides.Count > 0)
        {
            yield return new PageSection
            {
                Heading = "Rates",
                Text = report.Ratio is { } ratio
                    ? $"In the median pair of slices Sluice is {ratio:0.00} times as fast as .NET. The rates below are those of the whole "
                        + $"time, in which Sluice does {report.CpuRatio:0.00} times as much with the same CPU time."
                    : null,
                Charts = [.. OverTime(report.Sides)],
                Tables = [Rates(report)],
            };
            (string Name, LatencySummary Latency)[] latencies =
                [.. report.Sides.SelectMany(s => Kinds(s).Select(k => ($"{SideName(s)}, {k.Name}", k.Latency)))];
            yield return new PageSection
            {
                Heading = "Latency",
                Charts = [LatencyChart(latencies)],
                Tables = [LatencyTable(latencies)],
            };
        }
        if (report.Creations.Count > 0)
            yield return Creations(report.Creations);
    }

    private static IEnumerable<PageChart> OverTime(IReadOnlyList<SideReport> sides)
    {
        if (sides.All(s => s.WindowMiBPerSecond.Count < 2))
            yield break;
        yield return new PageChart(
            "Throughput over time", ChartKind.Line, new ChartAxis("measured time", "s"), new ChartAxis("throughput", "MiB/s"),
            [
                .. sides.Select(s => new ChartSeries { Name = SideName(s), X = s.WindowStartSeconds, Y = [.. s.WindowMiBPerSecond] }),
            ]);
    }

    private static PageChart LatencyChart(IEnumerable<(string Name, LatencySummary Latency)> latencies) => new(
        "Latency by percentile",
        ChartKind.Line,
        new ChartAxis("of all requests", Categories: [.. LatencySummary.Percentiles.Select(p => p.Name)]),
        new ChartAxis("latency", "us", IsLog: true),
        [
            .. latencies.Select(l => new ChartSeries { Name = l.Name, Y = [.. LatencySummary.Percentiles.Select(p => p.Of(l.Latency))] }),
        ]);

    private static IEnumerable<(string Name, LatencySummary Latency)> Kinds(SideReport side)
    {
        if (side.ReadLatency is { } read)
            yield return ("read", read);
        if (side.WriteLatency is { } write)
            yield return ("write", write);
        if (side.ServiceTime is { } service)
            yield return ("service time", service);
        if (side.FlushLatency is { } flush)
            yield return ("flush", flush);
    }

    private static PageTable LatencyTable(IEnumerable<(string Name, LatencySummary Latency)> latencies) => new(
        [
            PageColumn.Text(""), "requests", new("mean", "us"), .. LatencySummary.Percentiles.Select(p => new PageColumn(p.Name, "us")),
        ],
        [
            .. latencies.Select(l => new PageRow(
                [l.Name, l.Latency.Count, l.Latency.MeanUs, .. LatencySummary.Percentiles.Select(p => (PageCell)p.Of(l.Latency))])),
        ])
    {
        IsTurned = true,
    };

    private static PageTable Rates(SpeedReport report) => new PageTable(
        [
            PageColumn.Text("side"), PageColumn.Text("engine"), PageColumn.Text("caching"), new("measured", "s"), new("rate", "MiB/s"),
            new("requests", "1/s"), new("flush", "s"), new("with flush", "MiB/s"), "in flight, mean", new("CPU", "%"),
            new("CPU", "us/request"), new("CPU", "clocks/B"), new("allocated", "B/request"), "ratio", "CPU ratio",
        ],
        [
            .. report.Sides.Select(s => new PageRow(
                SideName(s), s.Engine, s.CachingReason is { } reason ? $"{s.Caching} ({reason})" : s.Caching, s.Seconds,
                PageCell.Of(s.MiBPerSecond).With(s.SliceMiBPerSecond), s.Iops, PageCell.Of(s.FlushSeconds),
                PageCell.Of(s.MiBPerSecondWithFlush), PageCell.Of(s.InFlightMean), s.CpuPercent, s.CpuUsPerOperation,
                PageCell.Of(s.CpuClocksPerByte), s.AllocatedBytesPerOperation, Ratio(report, s),
                PageCell.Ratio(SideName(s) == DotNet ? null : report.CpuRatio))),
        ])
    {
        IsTurned = true,
    }.WithoutEmptyColumns();

    private static PageCell Ratio(SpeedReport report, SideReport side) =>
        SideName(side) == DotNet || report.Sides.FirstOrDefault(s => SideName(s) == DotNet) is not { } dotNet ? PageCell.Empty
            : PageCell.Ratio(report.Ratio).With(Statistics.Ratios(side.SliceMiBPerSecond, dotNet.SliceMiBPerSecond));

    private static PageSection Creations(IReadOnlyList<CreationReport> creations) => new()
    {
        Heading = "Creating the file",
        Tables =
        [
            new PageTable(
                [
                    PageColumn.Text("side"), PageColumn.Text("method"), PageColumn.Text("size"), new("written", "s"), new("flushed", "s"),
                    new("rate", "MiB/s"), new("with flush", "MiB/s"), new("CPU", "%"), new("CPU", "clocks/B"),
                ],
                [
                    .. creations.Select(c => new PageRow(
                        SideName(c.Side), c.Method, ByteSize.Format(c.SizeBytes), c.WriteSeconds, c.FlushSeconds, c.MiBPerSecond,
                        c.MiBPerSecondWithFlush, c.CpuPercent, PageCell.Of(c.CpuClocksPerByte))),
                ]),
        ],
    };

    private static string SideName(SideReport side) => SideName(side.Side);

    /// <summary>Returns the name that texts and charts have for a side of the JSON result.</summary>
    public static string SideName(string side) => side == "bcl" ? DotNet : "Sluice";
}
