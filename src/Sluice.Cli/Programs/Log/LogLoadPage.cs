using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Log;

/// <summary>The result of a load test of a log as a page.</summary>
internal static class LogLoadPage
{
    public static ReportPage Of(
        LogLoad load, LogLoadResult result, string commandLine, DateTimeOffset began, EnvironmentRecord environment) => new()
        {
            Title = "Appends to one SluiceLog",
            CommandLine = commandLine,
            Began = began,
            Environment = environment,
            Notes = [.. Notes(result)],
            Sections = [Whole(load, result)],
        };

    private static IEnumerable<string> Notes(LogLoadResult result)
    {
        if (result.IsInterrupted)
            yield return "interrupted: the figures are of the time until then";
        foreach (string wrong in result.Wrong())
            yield return $"{char.ToUpperInvariant(wrong[0])}{wrong[1..]}.";
    }

    private static PageSection Whole(LogLoad load, LogLoadResult result)
    {
        LatencySummary? latency = LatencySummary.From(result.Latency);
        string asked = load.BytesPerSecond == 0 ? "without limit" : $"{ByteSize.Format(load.BytesPerSecond * load.Threads)}/s";
        return new PageSection
        {
            Heading = "The whole run",
            Tables =
            [
                new PageTable(
                    [PageColumn.Text("of all appends"), "figure", PageColumn.Text("unit")],
                    [
                        new PageRow("threads", load.Threads, ""),
                        new PageRow("record", load.RecordBytes, "B"),
                        new PageRow("durability", load.Durability.ToString().ToLowerInvariant(), ""),
                        new PageRow("requested", asked, ""),
                        new PageRow("measured", result.Seconds, "s"),
                        new PageRow("appended", result.Latency.Count, "records"),
                        new PageRow("rate", result.Bytes / result.Seconds / ByteSize.MiB, "MiB/s"),
                        .. latency is null ? [] : LatencySummary.Percentiles.Select(p => new PageRow(p.Name, p.Of(latency), "us")),
                        new PageRow("CPU", result.CpuSeconds * 1e6 / Math.Max(1, result.Latency.Count), "us/record"),
                        new PageRow("segments", result.Segments, ""),
                        new PageRow("read back", result.Checked, "records"),
                        new PageRow("missing", result.Missing, "records"),
                        new PageRow("doubled or changed", result.Unexpected, "records"),
                    ]),
            ],
        };
    }
}
