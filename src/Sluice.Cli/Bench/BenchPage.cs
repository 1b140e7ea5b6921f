using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Bench;

/// <summary>`bench` as a page: for each suite its ratios as bars, the device's limit where fio gave it, and the table of rows.</summary>
internal static class BenchPage
{
    public static ReportPage Of(BenchReport report) => new()
    {
        Title = "Sluice beside .NET's own file I/O",
        CommandLine = ReportPage.CommandLineOf(report.Arguments),
        Began = report.Started,
        Environment = report.Environment,
        Notes = [.. Notes(report)],
        Sections = [.. report.Rows.GroupBy(r => r.Suite).Select(g => Section(g.Key, [.. g]))],
    };

    private static IEnumerable<string> Notes(BenchReport report)
    {
        if (report.Quick)
            yield return "A quick run: it shows that everything works, and its figures mean nothing.";
        if (report.Short)
            yield return "The short form: three rounds, on files a quarter to a tenth as long as in the whole, which is --full.";
        if (report.Interrupted)
            yield return "Interrupted: only the rows below were measured.";
        yield return "Both sides run in one process on one file, in turns. A ratio is the median of the rounds' ratios, Sluice to .NET: "
            + "above 1 Sluice is faster, or needs less CPU time. Rates are medians over the rounds; whiskers reach from the lowest round "
            + "to the highest, and bars whose whiskers reach across the line are pale.";
        yield return string.Create(CultureInfo.InvariantCulture, $"fio: {report.Fio}. The whole run took {report.Seconds:0} s.");
        foreach (SkippedRow row in report.Skipped)
            yield return $"Skipped {row.Id}: {row.Reason}";
        foreach (string error in report.Rows.Select(r => r.FioError).OfType<string>().Distinct())
            yield return $"fio gave no figure: {error}";
    }

    private static PageSection Section(string suite, RowReport[] rows)
    {
        double middle = Statistics.Median(rows.Select(r => r.Ratio));
        double cpu = Statistics.Median(rows.Select(r => r.CpuRatio));
        return new PageSection
        {
            Heading = $"Suite {suite}",
            Text = string.Create(CultureInfo.InvariantCulture,
                $"{Verdicts(rows)}In the middle row Sluice is {middle:0.00} times as fast as .NET, and does {cpu:0.00} times as much ")
                + "with the same CPU time.",
            Charts = [RatioChart(rows), CpuChart(rows), .. DeviceChart([.. rows.Where(r => r.FioRate is not null)])],
            Tables = [Table(rows), .. FioTable(rows)],
        };
    }

    private static string Verdicts(RowReport[] rows) => rows.All(r => r.Verdict.Length == 0)
        ? $"{rows.Length} rows, of too few rounds for a verdict. "
        : $"Of {rows.Length} rows {rows.Count(r => r.Verdict == "faster")} are faster, {rows.Count(r => r.Verdict == "even")} even, "
            + $"{rows.Count(r => r.Verdict == "LOST")} slower, with 95 % confidence each. ";

    private static PageChart RatioChart(RowReport[] rows) => new()
    {
        Title = "Speed: Sluice to .NET",
        Kind = ChartKind.Bar,
        X = new ChartAxis("row", Categories: [.. rows.Select(r => r.Name)]),
        Y = new ChartAxis("times as fast as .NET", IsLog: true),
        Series =
        [
            new ChartSeries
            {
                Name = "Sluice to .NET",
                Y = [.. rows.Select(r => r.Ratio)],
                Low = [.. rows.Select(r => r.RoundRatios is { Count: > 0 } ratios ? ratios.Min() : (double?)null)],
                High = [.. rows.Select(r => r.RoundRatios is { Count: > 0 } ratios ? ratios.Max() : (double?)null)],
            },
        ],
        Reference = new ChartLine(1, "as fast as .NET"),
    };

    private static PageChart CpuChart(RowReport[] rows) => new()
    {
        Title = "CPU time: .NET's over Sluice's, for the same work",
        Kind = ChartKind.Bar,
        X = new ChartAxis("row", Categories: [.. rows.Select(r => r.Name)]),
        Y = new ChartAxis("times as much work for the same CPU time", IsLog: true),
        Series = [new ChartSeries { Name = "Sluice's economy", Y = [.. rows.Select(r => r.CpuRatio)] }],
        Reference = new ChartLine(1, "as much CPU time as .NET"),
    };

    private static IEnumerable<PageChart> DeviceChart(RowReport[] rows)
    {
        if (rows.Length == 0)
            yield break;
        yield return new PageChart
        {
            Title = "Beside the device, as fio measures it",
            Kind = ChartKind.Bar,
            X = new ChartAxis("row", Categories: [.. rows.Select(r => r.Name)]),
            Y = new ChartAxis("rate", rows[0].Unit),
            Series =
            [
                Rates("Sluice", r => r.Sluice),
                Rates(".NET", r => r.DotNet),
                new ChartSeries { Name = "fio", Y = [.. rows.Select(r => r.FioRate)] },
            ],
        };

        ChartSeries Rates(string name, Func<RowReport, ContenderReport> of) => new()
        {
            Name = name,
            Y = [.. rows.Select(r => of(r).Rate)],
            Low = [.. rows.Select(r => of(r).SliceRates.DefaultIfEmpty(of(r).Rate).Min())],
            High = [.. rows.Select(r => of(r).SliceRates.DefaultIfEmpty(of(r).Rate).Max())],
        };
    }

    private static PageTable Table(RowReport[] rows) => new()
    {
        Columns =
        [
            PageColumn.Text("row"), new PageColumn("ratio"), PageColumn.Text("95 %"), PageColumn.Text("verdict"), new PageColumn("Sluice"),
            new PageColumn(".NET"), PageColumn.Text("unit"),
            new PageColumn("CPU ratio"), new PageColumn("best to best"), PageColumn.Text("p50/p99/p99.9 us, Sluice"),
            PageColumn.Text("p50/p99/p99.9 us, .NET"), new PageColumn("CPU, Sluice", "us/op"), new PageColumn("CPU, .NET", "us/op"),
            new PageColumn("allocated, Sluice", "B/op"), new PageColumn("allocated, .NET", "B/op"),
            .. HasFio(rows) ? [new PageColumn("fio"), new PageColumn("to fio")] : Array.Empty<PageColumn>(),
        ],
        Rows = [.. rows.SelectMany(r => Rows(r, HasFio(rows)))],
    };

    private static IEnumerable<PageTable> FioTable(RowReport[] rows)
    {
        if (rows.Any(r => r.FioCommand is not null))
        {
            yield return new PageTable
            {
                Title = "What fio ran",
                Columns = [PageColumn.Text("row"), new PageColumn("command line", null, ColumnKind.Code)],
                Rows =
                [
                    .. rows.Where(r => r.FioCommand is not null)
                        .Select(r => new PageRow(r.Name, r.FioCommand ?? "") { Key = $"{r.Id}/fio" }),
                ],
            };
        }
    }

    private static bool HasFio(RowReport[] rows) => rows.Any(r => r.FioRate is not null);

    private static IEnumerable<PageRow> Rows(RowReport row, bool hasFio)
    {
        yield return new PageRow(
            [
                row.Name, PageCell.Ratio(row.Ratio), row.IntervalText, row.Verdict, row.Sluice.Rate, row.DotNet.Rate, row.Unit,
                PageCell.Ratio(row.CpuRatio), PageCell.Ratio(row.BestRatio), BenchText.Latency(row.Sluice), BenchText.Latency(row.DotNet),
                row.Sluice.CpuUsPerOperation, row.DotNet.CpuUsPerOperation, Bytes(row.Sluice), Bytes(row.DotNet),
                .. hasFio ? [PageCell.Of(row.FioRate), PageCell.Ratio(row.FioRatio)] : Array.Empty<PageCell>(),
            ])
        {
            Key = row.Id,
        };
        if (row.Second is { } second)
        {
            yield return new PageRow(
                $"{row.Name}, to {second.Name}", PageCell.Ratio(row.SecondRatio), row.SecondIntervalText, "", row.Sluice.Rate, second.Rate,
                row.Unit, PageCell.Empty, PageCell.Empty, BenchText.Latency(row.Sluice), BenchText.Latency(second),
                row.Sluice.CpuUsPerOperation, second.CpuUsPerOperation, Bytes(row.Sluice), Bytes(second))
            {
                Key = $"{row.Id}/second",
            };
        }
    }

    private static PageCell Bytes(ContenderReport contender) => (long)Math.Round(contender.AllocatedBytesPerOperation);
}
