using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Bench;

/// <summary>`bench` as a page: for each suite the ratios as bars, the rate of fio if it was measured, and the table of rows.</summary>
internal static class BenchPage
{
    public const string Title = "Sluice beside .NET's own file I/O";

    public static ReportPage Of(BenchReport report) => new()
    {
        Title = Title,
        CommandLine = ReportPage.CommandLineOf(report.Arguments),
        Began = report.Started,
        Environment = report.Environment,
        Notes = [.. Notes(report).Distinct()],
        Sections = [.. report.Rows.GroupBy(r => r.Suite).Select(g => Section(g.Key, [.. g]))],
    };

    /// <summary>Returns the page with only the ratios and rates, for `compare`.</summary>
    public static ReportPage Rates(BenchReport report) => Of(report) with
    {
        Sections =
        [
            .. report.Rows.GroupBy(r => r.Suite).Select(g => new PageSection { Heading = g.Key, Tables = [BenchTable.Rates([.. g])] }),
        ],
    };

    private static IEnumerable<string> Notes(BenchReport report)
    {
        yield return Summary(report);
        yield return "Both sides run in one process, in turns. A ratio is the median of the rounds' ratios of Sluice to .NET, or to what "
            + "the name of the row states instead. Above 1, Sluice is faster, or needs less CPU time. 95 %: the interval of the ratio, or the "
            + "number of rounds if they are too few for an interval. faster: the interval lies above 1; slower: below 1; even: it includes 1. "
            + "best: the ratio of the fastest slices. A column \".NET's\" has .NET's values for the column before it. Rates are medians over "
            + "the rounds.";
        yield return $"fio: {report.Fio}";
        foreach (SkippedRow row in report.Skipped)
            yield return $"skipped {row.Id}: {row.Reason}";
        foreach (string error in report.Rows.Select(r => r.FioError).OfType<string>().Distinct())
            yield return $"fio gave no figure: {error}";
        if (report.Quick)
            yield return "A quick run: it shows that everything works, and its figures mean nothing.";
        if (report.Interrupted)
            yield return report.Rows.Count > 0 ? "interrupted: only these rows were measured" : "interrupted before a row was measured";
        if (report.Failure is { } failure)
        {
            yield return report.Rows.Count > 0
                ? $"ended by an error: only these rows were measured ({failure})"
                : $"ended by an error before a row was measured ({failure})";
        }
    }

    private static string Summary(BenchReport report) =>
        $"{Counted.Of(report.Rows.Count, "row")}: {Verdicts(report.Rows)}; the whole run took {report.Seconds:0} s";

    /// <summary>
    /// Returns the numbers of rows that are faster than .NET, even and slower, and the number of rows that are compared with something
    /// other than .NET; or a note if no row has enough rounds for a verdict.
    /// </summary>
    private static string Verdicts(IReadOnlyList<RowReport> rows)
    {
        RowReport[] beside = [.. rows.Where(r => r.IsBesideDotNet)];
        string others = beside.Length == rows.Count ? "" : $", {rows.Count - beside.Length} beside others than .NET";
        return rows.All(r => r.Verdict.Length == 0) ? "too few rounds for a verdict"
            : $"{Counts(beside)}{others}";
    }

    /// <summary>Returns the number of rows with each verdict.</summary>
    public static string Counts(IReadOnlyList<RowReport> rows) => string.Join(
        ", ", RowReport.Verdicts.Select(verdict => $"{rows.Count(r => r.Verdict == verdict)} {verdict}"));

    private static PageSection Section(string suite, RowReport[] rows)
    {
        RowReport[] beside = [.. rows.Where(r => r.IsBesideDotNet)];
        string middle = beside.Length == 0 ? ""
            : $" In the middle row Sluice is {Statistics.Median(beside.Select(r => r.Ratio)):0.00} times as fast as .NET, "
                + $"and does {Statistics.Median(beside.Select(r => r.CpuRatio)):0.00} times as much with the same CPU time.";
        return new PageSection
        {
            Heading = $"Suite {suite}",
            Text = $"{Counted.Of(rows.Length, "row")}: {Verdicts(rows)}.{middle}",
            Charts = [RatioChart(rows), .. DeviceChart([.. rows.Where(r => r.FioRate is not null)])],
            Tables = [BenchTable.Of(rows), .. FioTable(rows)],
        };
    }

    private static PageChart RatioChart(RowReport[] rows) => PageChart.OfRounds(
        "Speed: Sluice to .NET", RowAxis(rows), new ChartAxis("times as fast as .NET", IsLog: true),
        [("Sluice to .NET", rows.Select(r => r.RoundRatios.DefaultIfEmpty(r.Ratio)))], new ChartLine(1, "as fast as .NET"));

    private static IEnumerable<PageChart> DeviceChart(RowReport[] rows)
    {
        if (rows.Length == 0)
            yield break;
        yield return PageChart.OfRounds(
            "Beside the device, as fio measures it", RowAxis(rows), new ChartAxis("rate", rows[0].Unit),
            [
                ("Sluice", rows.Select(r => r.Sluice.SliceRates.DefaultIfEmpty(r.Sluice.Rate))),
                (".NET", rows.Select(r => r.DotNet.SliceRates.DefaultIfEmpty(r.DotNet.Rate))),
                ("fio", rows.Select(r => (IEnumerable<double>)(r.FioRates ?? [r.FioRate ?? 0]))),
            ]);
    }

    private static ChartAxis RowAxis(RowReport[] rows) => new("row", Categories: [.. rows.Select(r => r.ShownName)]);

    private static IEnumerable<PageTable> FioTable(RowReport[] rows)
    {
        if (rows.Any(r => r.FioCommand is not null))
        {
            yield return new PageTable(
                [PageColumn.Text("row"), PageColumn.Code("command line")],
                [
                    .. rows.Where(r => r.FioCommand is not null)
                        .Select(r => new PageRow(r.Name, r.FioCommand ?? "") { Key = $"{r.Id}/fio" }),
                ])
            {
                Title = "What fio ran",
            };
        }
    }
}
