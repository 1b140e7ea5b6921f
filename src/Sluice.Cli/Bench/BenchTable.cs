using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Bench;

/// <summary>The figures of a row of `bench`, each named once: for the tables that people read and for the one of CSV.</summary>
internal static class BenchTable
{
    /// <summary>The peer whose figures stand in a column of this name; a row with another one says so in its own name.</summary>
    public const string DotNetName = ".NET";

    /// <param name="Shown">Null: only in CSV.</param>
    /// <param name="Csv">Null: only in what people read.</param>
    /// <param name="OfSecond">Beside the second peer; null: there is nothing to say.</param>
    private sealed record Figure(
        PageColumn? Shown, string? Csv, Func<RowReport, PageCell> Of, Func<RowReport, ContenderReport, PageCell>? OfSecond = null);

    private static readonly Figure[] Figures =
    [
        new(null, "suite", r => r.Suite),
        new(null, "id", r => r.Id),
        new(
            PageColumn.Text("row"), "name",
            r => r.ShownName, (r, second) => $"{r.Name}, {(r.SecondRatio is null ? "" : "to ")}{second.Name}"),
        new(PageColumn.Text("unit"), "unit", r => r.Unit, (r, _) => r.Unit),
        new(new("ratio"), "ratio", r => PageCell.Ratio(r.Ratio), (r, _) => PageCell.Ratio(r.SecondRatio)),
        new(
            PageColumn.Text("95 %"), null,
            r => Interval(r, r.RatioLow, r.RatioHigh),
            (r, _) => r.SecondRatio is null ? PageCell.Empty : Interval(r, r.SecondRatioLow, r.SecondRatioHigh)),
        new(PageColumn.Text("verdict"), null, r => r.Verdict, (r, _) => r.SecondVerdict),
        new(new("Sluice"), "sluice", r => r.Sluice.Rate, (r, _) => r.Sluice.Rate),
        new(new(DotNetName), "dotnet", r => r.DotNet.Rate, (_, second) => second.Rate),
        new(new("fio"), null, r => r.FioRate),
        new(new("to fio"), null, r => PageCell.Ratio(r.FioRatio)),
        new(PageColumn.Text("95 %"), null, r => Span(r.FioRatioLow, r.FioRatioHigh)),
        new(new("CPU ratio"), "cpu_ratio", r => PageCell.Ratio(r.CpuRatio)),
        new(PageColumn.Text("95 %"), null, r => Span(r.CpuRatioLow, r.CpuRatioHigh)),
        new(new("CPU us/op"), "sluice_cpu_us", r => r.Sluice.CpuUsPerOperation, (r, _) => r.Sluice.CpuUsPerOperation),
        new(new(".NET's"), "dotnet_cpu_us", r => r.DotNet.CpuUsPerOperation, (_, second) => second.CpuUsPerOperation),
        new(new("B/op"), "sluice_allocated_bytes", r => Allocated(r.Sluice), (r, _) => Allocated(r.Sluice)),
        new(new(".NET's"), "dotnet_allocated_bytes", r => Allocated(r.DotNet), (_, second) => Allocated(second)),
        new(null, "second_name", r => r.Second?.Name),
        new(null, "second", r => r.Second?.Rate),
        new(null, "second_ratio", r => r.SecondRatio),
        new(null, "fio", r => r.FioRate),
        new(null, "fio_ratio", r => PageCell.Ratio(r.FioRatio)),
        new(null, "rounds", r => (long)r.Rounds),
        new(null, "lost", r => r.Verdict.Length == 0 ? "" : r.Verdict == RowReport.Slower ? "true" : "false"),
        new(null, "targets", r => string.Join("; ", r.Targets.Select(t => t.Requirement))),
        new(null, "ratio_low", r => r.RatioLow),
        new(null, "ratio_high", r => r.RatioHigh),
        new(new("best"), "best_ratio", r => PageCell.Ratio(r.BestRatio)),
        .. Latencies("p50/p99/p99.9 us", "sluice", (r, _) => r.Sluice),
        .. Latencies(".NET's", "dotnet", (r, second) => second ?? r.DotNet),
        new(null, "cpu_ratio_low", r => r.CpuRatioLow),
        new(null, "cpu_ratio_high", r => r.CpuRatioHigh),
        new(null, "fio_ratio_low", r => r.FioRatioLow),
        new(null, "fio_ratio_high", r => r.FioRatioHigh),
    ];

    /// <summary>Of one suite, with a row for each second peer; without columns that nothing fills.</summary>
    public static PageTable Of(IReadOnlyList<RowReport> rows)
    {
        Figure[] shown = [.. Figures.Where(f => f.Shown is not null && rows.Any(r => f.Of(r).Text.Length > 0))];
        return new PageTable
        {
            Columns = [.. shown.Select(f => f.Shown!)],
            Rows =
            [
                .. rows.SelectMany(r => r.Second is { } second ? [First(r), Second(r, second)] : new[] { First(r) }),
            ],
        };

        PageRow First(RowReport row) => new([.. shown.Select(f => f.Of(row))]) { Key = row.Id };

        PageRow Second(RowReport row, ContenderReport second) =>
            new([.. shown.Select(f => f.OfSecond?.Invoke(row, second) ?? PageCell.Empty)]) { Key = $"{row.Id}/second" };
    }

    /// <summary>Of all suites, a line for each row.</summary>
    public static PageTable Flat(BenchReport report)
    {
        Figure[] written = [.. Figures.Where(f => f.Csv is not null)];
        return new PageTable
        {
            Columns = [.. written.Select(f => new PageColumn(f.Csv!))],
            Rows = [.. report.Rows.Select(r => new PageRow([.. written.Select(f => f.Of(r))]))],
        };
    }

    private static IEnumerable<Figure> Latencies(string name, string csv, Func<RowReport, ContenderReport?, ContenderReport> of)
    {
        yield return new(
            PageColumn.Text(name), null, r => Latency(of(r, null)), (r, second) => Latency(of(r, second)));
        yield return new(null, $"{csv}_p50_us", r => of(r, null).Latency?.P50Us);
        yield return new(null, $"{csv}_p99_us", r => P99(of(r, null).Latency));
        yield return new(null, $"{csv}_p99.9_us", r => P999(of(r, null).Latency));
    }

    private static PageCell Latency(ContenderReport contender) => contender.Latency is { } latency
        ? string.Join('/', new[] { latency.P50Us, P99(latency), P999(latency) }.Select(us => us is null ? "-" : PageCell.Of(us).Text))
        : PageCell.Empty;

    /// <summary>Null of so few operations that fewer than ten were slower.</summary>
    private static double? P99(LatencySummary? latency) => latency?.Count >= 1_000 ? latency.P99Us : null;

    /// <inheritdoc cref="P99"/>
    private static double? P999(LatencySummary? latency) => latency?.Count >= 10_000 ? latency.P999Us : null;

    private static PageCell Allocated(ContenderReport contender) => PageCell.Of(contender.AllocatedBytesPerOperation, "#,0");

    /// <summary>Or how many rounds there were, which are then too few for one.</summary>
    private static PageCell Interval(RowReport row, double? low, double? high) =>
        low is null || high is null ? row.RoundRatios.Count > 0 ? Counted.Of(row.RoundRatios.Count, "round") : PageCell.Empty
        : Span(low, high);

    private static PageCell Span(double? low, double? high) =>
        low is null || high is null ? PageCell.Empty : string.Create(CultureInfo.InvariantCulture, $"{low:0.00}-{high:0.00}");
}
