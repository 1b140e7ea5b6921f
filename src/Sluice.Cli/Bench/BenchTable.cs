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

    private static readonly (PageColumn Column, Func<RowReport, PageCell> Of)[] Figures =
    [
        (PageColumn.Text("row"), r => r.ShownName),
        (PageColumn.Text("unit"), r => r.Unit),
        ("ratio", r => PageCell.Ratio(r.Ratio).With(r.RoundRatios)),
        (PageColumn.Text("95 %"), Interval),
        (PageColumn.Text("verdict"), r => r.Verdict),
        ("Sluice", r => Rate(r.Sluice)),
        (DotNetName, r => Rate(r.DotNet)),
        ("fio", r => r.FioRate),
        ("to fio", r => PageCell.Ratio(r.FioRatio)),
        (PageColumn.Text("95 %"), r => Span(r.FioRatioLow, r.FioRatioHigh)),
        ("CPU ratio", r => PageCell.Ratio(r.CpuRatio)),
        (PageColumn.Text("95 %"), r => Span(r.CpuRatioLow, r.CpuRatioHigh)),
        ("CPU us/op", r => r.Sluice.CpuUsPerOperation),
        (".NET's", r => r.DotNet.CpuUsPerOperation),
        ("B/op", r => Allocated(r.Sluice)),
        (".NET's", r => Allocated(r.DotNet)),
        ("best", r => PageCell.Ratio(r.BestRatio)),
    ];

    // The columns of `compare` end with the rates of Sluice and .NET.
    private const int RateFigures = 7;

    /// <summary>Returns the table of one suite, without columns that are empty in all rows.</summary>
    public static PageTable Of(IReadOnlyList<RowReport> rows) => PageTable.Of(rows, r => r.Id, Figures).WithoutEmptyColumns();

    /// <summary>Returns the table of one suite with only the ratios and rates.</summary>
    public static PageTable Rates(IReadOnlyList<RowReport> rows) => PageTable.Of(rows, r => r.Id, Figures[..RateFigures]);

    /// <summary>Returns one table of all suites, with the names of suites and rows.</summary>
    public static PageTable Flat(BenchReport report) => PageTable.Of(
        report.Rows, r => r.Id, [(PageColumn.Text("suite"), r => r.Suite), (PageColumn.Text("id"), r => r.Id), .. Figures]);

    private static PageCell Rate(ContenderReport contender) => PageCell.Of(contender.Rate).With(contender.SliceRates);

    private static PageCell Allocated(ContenderReport contender) => PageCell.Of(contender.AllocatedBytesPerOperation, "#,0");

    /// <summary>Returns the interval, or the number of rounds if there are too few for an interval.</summary>
    private static PageCell Interval(RowReport row) =>
        row.RatioLow is null && row.RoundRatios.Count > 0 ? Counted.Of(row.RoundRatios.Count, "round") : Span(row.RatioLow, row.RatioHigh);

    private static PageCell Span(double? low, double? high) =>
        low is null || high is null ? PageCell.Empty : $"{low:0.00}-{high:0.00}";
}
