using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Bench;

/// <summary>The values of rows of `bench` as a table.</summary>
internal static class BenchTable
{
    /// <summary>The peer whose values are in a column of this name; a row with another one has it in its own name.</summary>
    public const string DotNetName = ".NET";

    /// <param name="OfSecond">Beside the second peer; null: nothing.</param>
    private sealed record Figure(
        PageColumn Column, Func<RowReport, PageCell> Of, Func<RowReport, ContenderReport, PageCell>? OfSecond = null);

    private static readonly Figure[] Figures =
    [
        new(PageColumn.Text("row"), r => r.ShownName, (r, second) => $"{r.Name}, to {second.Name}"),
        new(PageColumn.Text("unit"), r => r.Unit, (r, _) => r.Unit),
        new(new("ratio"), r => PageCell.Ratio(r.Ratio), (r, _) => PageCell.Ratio(r.SecondRatio)),
        new(
            PageColumn.Text("95 %"), r => Interval(r, r.RatioLow, r.RatioHigh),
            (r, _) => Interval(r, r.SecondRatioLow, r.SecondRatioHigh)),
        new(PageColumn.Text("verdict"), r => r.Verdict, (r, _) => r.SecondVerdict),
        new(new("Sluice"), r => r.Sluice.Rate, (r, _) => r.Sluice.Rate),
        new(new(DotNetName), r => r.DotNet.Rate, (_, second) => second.Rate),
        new(new("fio"), r => r.FioRate),
        new(new("to fio"), r => PageCell.Ratio(r.FioRatio)),
        new(PageColumn.Text("95 %"), r => Span(r.FioRatioLow, r.FioRatioHigh)),
        new(new("CPU ratio"), r => PageCell.Ratio(r.CpuRatio)),
        new(PageColumn.Text("95 %"), r => Span(r.CpuRatioLow, r.CpuRatioHigh)),
        new(new("CPU us/op"), r => r.Sluice.CpuUsPerOperation, (r, _) => r.Sluice.CpuUsPerOperation),
        new(new(".NET's"), r => r.DotNet.CpuUsPerOperation, (_, second) => second.CpuUsPerOperation),
        new(new("B/op"), r => Allocated(r.Sluice), (r, _) => Allocated(r.Sluice)),
        new(new(".NET's"), r => Allocated(r.DotNet), (_, second) => Allocated(second)),
        new(new("best"), r => PageCell.Ratio(r.BestRatio)),
        new(PageColumn.Text("p50/p99/p99.9 us"), r => Latency(r.Sluice), (r, _) => Latency(r.Sluice)),
        new(PageColumn.Text(".NET's"), r => Latency(r.DotNet), (_, second) => Latency(second)),
        new(new("ns/page"), r => PageCell.Of(r.SluicePageNs, "#,0")),
        new(new(".NET's"), r => PageCell.Of(r.DotNetPageNs, "#,0")),
        new(new("rounds left out"), r => r.DiscardedRounds > 0 ? r.DiscardedRounds : PageCell.Empty),
    ];

    /// <summary>Of one suite, with a row for each second peer; without columns that nothing fills.</summary>
    public static PageTable Of(IReadOnlyList<RowReport> rows) => Of(
        rows, [.. Figures.Where(f => rows.Any(r => f.Of(r).Text.Length > 0))]);

    /// <summary>Returns one table of all suites, with the names of suites and rows.</summary>
    public static PageTable Flat(BenchReport report) => Of(
        report.Rows,
        [
            new(PageColumn.Text("suite"), r => r.Suite, (r, _) => r.Suite),
            new(PageColumn.Text("id"), r => r.Id, (r, second) => $"{r.Id}, {second.Name}"), .. Figures,
        ]);

    private static PageTable Of(IReadOnlyList<RowReport> rows, Figure[] figures)
    {
        return new PageTable
        {
            Columns = [.. figures.Select(f => f.Column)],
            Rows = [.. rows.SelectMany(r => r.Second is { } second ? [First(r), Second(r, second)] : new[] { First(r) })],
        };

        PageRow First(RowReport row) => new([.. figures.Select(f => f.Of(row))]) { Key = row.Id };

        PageRow Second(RowReport row, ContenderReport second) =>
            new([.. figures.Select(f => f.OfSecond?.Invoke(row, second) ?? PageCell.Empty)]) { Key = $"{row.Id}/second" };
    }

    private static PageCell Latency(ContenderReport contender) => contender.Latency is { } latency
        ? string.Join('/', new[] { latency.P50Us, P99(latency), P999(latency) }.Select(us => us is null ? "-" : PageCell.Of(us).Text))
        : PageCell.Empty;

    /// <summary>Returns null if fewer than ten operations were slower.</summary>
    private static double? P99(LatencySummary latency) => latency.Count >= 1_000 ? latency.P99Us : null;

    /// <inheritdoc cref="P99"/>
    private static double? P999(LatencySummary latency) => latency.Count >= 10_000 ? latency.P999Us : null;

    private static PageCell Allocated(ContenderReport contender) => PageCell.Of(contender.AllocatedBytesPerOperation, "#,0");

    /// <summary>The interval, or the number of rounds if they are too few for one.</summary>
    private static PageCell Interval(RowReport row, double? low, double? high) =>
        low is null || high is null ? row.RoundRatios.Count > 0 ? Counted.Of(row.RoundRatios.Count, "round") : PageCell.Empty
        : Span(low, high);

    private static PageCell Span(double? low, double? high) =>
        low is null || high is null ? PageCell.Empty : string.Create(CultureInfo.InvariantCulture, $"{low:0.00}-{high:0.00}");
}
