using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Log;

/// <summary>
/// The result of a load test of a log as a page: the totals, and throughput and latency over time with the starts of segments.
/// </summary>
internal static class LogLoadPage
{
    private static readonly (string Name, Func<LatencySummary, double> Of)[] Shown =
        [("p50", l => l.P50Us), ("p99", l => l.P99Us), ("p99.9", l => l.P999Us), ("max", l => l.MaxUs)];

    public static ReportPage Of(
        LogLoad load, LogLoadResult result, string commandLine, DateTimeOffset began, EnvironmentRecord environment) => new()
        {
            Title = "Appends to one SluiceLog",
            CommandLine = commandLine,
            Began = began,
            Environment = environment,
            Notes = [.. Notes(load, result)],
            Sections = [Whole(load, result), .. OverTime(load, result)],
        };

    private static IEnumerable<string> Notes(LogLoad load, LogLoadResult result)
    {
        if (result.Windows.Count > 1)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"Each window is {result.WindowSeconds:0.#} s long and has the appends that ended in it; of one in which none ended ")
                + "there is no latency. What ended after the last whole window is in the figures of the whole run alone.";
            yield return "A roll is the moment at which the log's writer went on in the next segment, as that segment's first frame says.";
            if (load.BytesPerSecond > 0)
            {
                yield return "A thread appends as soon as it is behind its rate: after a stall it catches up, and a window may have more than "
                    + "was asked for; the whole run cannot.";
            }
        }
        if (result.IsInterrupted)
            yield return LogLoadResult.InterruptedNote;
        foreach (string wrong in result.Wrong())
            yield return $"{char.ToUpperInvariant(wrong[0])}{wrong[1..]}.";
    }

    private static PageSection Whole(LogLoad load, LogLoadResult result)
    {
        LatencySummary? latency = LatencySummary.From(result.Latency);
        string asked = load.BytesPerSecond == 0 ? "as much as can be" : $"{ByteSize.Format(load.BytesPerSecond * load.Threads)}/s";
        return new PageSection
        {
            Heading = "The whole run",
            Tables =
            [
                new PageTable
                {
                    Columns = [PageColumn.Text("of all appends"), new PageColumn("figure"), PageColumn.Text("unit")],
                    Rows =
                    [
                        new PageRow("threads", (long)load.Threads, ""),
                        new PageRow("record", (long)load.RecordBytes, "B"),
                        new PageRow("durability", load.Durability.ToString().ToLowerInvariant(), ""),
                        new PageRow("requested", asked, ""),
                        new PageRow("measured", result.Seconds, "s"),
                        new PageRow("appended", result.Latency.Count, "records"),
                        new PageRow("rate", result.Bytes / result.Seconds / ByteSize.MiB, "MiB/s"),
                        .. latency is null ? [] : LatencySummary.Percentiles.Select(p => new PageRow(p.Name, p.Of(latency), "us")),
                        new PageRow("CPU", result.CpuSeconds * 1e6 / Math.Max(1, result.Latency.Count), "us/record"),
                        new PageRow("segments", (long)result.Segments, ""),
                        new PageRow("read back", result.Checked, "records"),
                        new PageRow("missing", result.Missing, "records"),
                        new PageRow("doubled or changed", result.Unexpected, "records"),
                    ],
                },
            ],
        };
    }

    private static IEnumerable<PageSection> OverTime(LogLoad load, LogLoadResult result)
    {
        if (result.Windows.Count < 2)
            yield break;
        double[] starts = [.. result.Windows.Select((_, i) => i * result.WindowSeconds)];
        ChartMarks? rolls = result.RollSeconds.Count == 0 ? null : new ChartMarks(result.RollSeconds, "a roll: the next segment");
        yield return new PageSection
        {
            Heading = "Over time",
            Text = Counted.Of(result.RollSeconds.Count, "roll") + " while the threads appended or the log was closed.",
            Charts =
            [
                new PageChart
                {
                    Title = "Throughput over time",
                    Kind = ChartKind.Line,
                    X = new ChartAxis("from the first append on", "s"),
                    Y = new ChartAxis("throughput", "MiB/s"),
                    Series =
                    [
                        new ChartSeries
                        {
                            Name = "Sluice",
                            X = starts,
                            Y = [.. result.Windows.Select(w => (double?)Rate(load, w?.Count ?? 0, result.WindowSeconds))],
                        },
                    ],
                    Marks = rolls,
                },
                new PageChart
                {
                    Title = "Latency of an append over time",
                    Kind = ChartKind.Line,
                    X = new ChartAxis("from the first append on", "s"),
                    Y = new ChartAxis("latency", "us", IsLog: true),
                    Series =
                    [
                        .. Shown.Select(p => new ChartSeries
                        {
                            Name = p.Name,
                            X = starts,
                            Y = [.. result.Windows.Select(w => w is null ? (double?)null : p.Of(w))],
                        }),
                    ],
                    Marks = rolls,
                },
            ],
            Tables = result.RollSeconds.Count == 0 ? [] :
            [
                new PageTable
                {
                    Title = "Rolls",
                    Columns = [new PageColumn("roll"), new PageColumn("at", "s"), new PageColumn("longest append of the window", "us")],
                    Rows =
                    [
                        .. result.RollSeconds.Select((at, i) => new PageRow(
                            (long)(i + 1), PageCell.Of(at, "0.000"), PageCell.Of(WindowAt(result, at)?.MaxUs))),
                    ],
                },
            ],
        };
    }

    private static double Rate(LogLoad load, long records, double seconds) => records * load.RecordBytes / seconds / ByteSize.MiB;

    private static LatencySummary? WindowAt(LogLoadResult result, double seconds)
    {
        int window = (int)(seconds / result.WindowSeconds);
        return window >= 0 && window < result.Windows.Count ? result.Windows[window] : null;
    }
}
