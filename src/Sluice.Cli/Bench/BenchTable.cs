using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Bench;

/// <summary>The values of rows of `bench` as a table.</summary>
internal static class BenchTable
{
    /// <summary>
    /// The name in the column headers of .NET's values. A row that is compared with something else states that in its name.
    /// </summary>
    public const string DotNetName = ".NET";

    private sealed record Figure(PageColumn Column, Func<RowReport, PageCell> Of);

    private static readonly Figure[] Figures =
    [
        new(PageColumn.Text("row"), r => r.ShownName),
        new(PageColumn.Text("unit"), r => r.Unit),
        new("ratio", r => PageCell.Ratio(r.Ratio).With(r.RoundRatios)),
        new(PageColumn.Text("95 %"), Interval),
        new(PageColumn.Text("verdict"), r => r.Verdict),
        new("Sluice", r => Rate(r.Sluice)),
        new(DotNetName, r => Rate(r.DotNet)),
        new("fio", r => r.FioRate),
        new("to fio", r => PageCell.Ratio(r.FioRatio)),
        new(PageColumn.Text("95 %"), r => Span(r.FioRatioLow, r.FioRatioHigh)),
        new("CPU ratio", r => PageCell.Ratio(r.CpuRatio)),
        new(PageColumn.Text("95 %"), r => Span(r.CpuRatioLow, r.CpuRatioHigh)),
        new("CPU us/op", r => r.Sluice.CpuUsPerOperation),
        new(".NET's", r => r.DotNet.CpuUsPerOperation),
        new("B/op", r => Allocated(r.Sluice)),
        new(".NET's", r => Allocated(r.DotNet)),
        new("best", r => PageCell.Ratio(r.BestRatio)),
    ];

    // The columns of `compare` end with the rates of Sluice and .NET.
    private const int RateFigures = 7;

    /// <summary>Returns the table of one suite, without columns that are empty in all rows.</summary>
    public static PageTable Of(IReadOnlyList<RowReport> rows) => Of(rows, Figures).WithoutEmptyColumns();

    /// <summary>Returns the table of one suite with only the ratios and rates.</summary>
    public static PageTable Rates(IReadOnlyList<RowReport> rows) => Of(rows, Figures[..RateFigures]);

    /// <summary>Returns one table of all suites, with the names of suites and rows.</summary>
    public static PageTable Flat(BenchReport report) => Of(
        report.Rows, [new(PageColumn.Text("suite"), r => r.Suite), new(PageColumn.Text("id"), r => r.Id), .. Figures]);

    private static PageTable Of(IReadOnlyList<RowReport> rows, Figure[] figures) => new()
    {
        Columns = [.. figures.Select(f => f.Column)],
        Rows = [.. rows.Select(r => new PageRow([.. figures.Select(f => f.Of(r))]) { Key = r.Id })],
    };

    private static PageCell Rate(ContenderReport contender) => PageCell.Of(contender.Rate).With(contender.SliceRates);

    private static PageCell Allocated(ContenderReport contender) => PageCell.Of(contender.AllocatedBytesPerOperation, "#,0");

    /// <summary>Returns the interval, or the number of rounds if there are too few for an interval.</summary>
    private static PageCell Interval(RowReport row) =>
        row.RatioLow is null && row.RoundRatios.Count > 0 ? Counted.Of(row.RoundRatios.Count, "round") : Span(row.RatioLow, row.RatioHigh);

    private static PageCell Span(double? low, double? high) =>
        low is null || high is null ? PageCell.Empty : $"{low:0.00}-{high:0.00}";
}
