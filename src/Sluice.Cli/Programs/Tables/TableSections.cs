using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Tables;

/// <summary>Formats results like the .NET 6 blog post: two lines for each row, and the ratio of the time to .NET's time.</summary>
internal static class TableSections
{
    public static PageSection Make(MethodTable table, IReadOnlyList<(Row Row, RowReport Report)> measured)
    {
        string unit = table.InNanoseconds ? "ns" : "us";
        IEnumerable<PageColumn> times = table.HasSpread
            ? [new("Median", unit), new("Min", unit), new("Max", unit)]
            : [new("Mean", unit)];
        return new PageSection
        {
            Heading = table.Heading,
            Text = table.Text,
            Charts = [Chart(measured)],
            Tables =
            [
                new PageTable(
                    [
                        PageColumn.Text("Method"), PageColumn.Text("Runtime"), .. table.Parameters.Select(Column), .. times,
                        "Ratio", new("Allocated", "B"),
                    ],
                    [.. measured.SelectMany(m => Rows(table, m.Row, m.Report))]),
            ],
        };
    }

    private static PageChart Chart(IReadOnlyList<(Row Row, RowReport Report)> measured) => PageChart.OfRounds(
        "Time, .NET's being 1; shorter is better",
        new ChartAxis("method", Categories: [.. measured.Select(m => string.Join(' ', m.Row.Arguments.Prepend(m.Row.Name))
            .Replace("Asynchronous", "async", StringComparison.Ordinal))]),
        new ChartAxis("time to .NET's", LessIsBetter: true),
        [(SluiceStreamSide.Name, measured.Select(m => TimeRatios(m.Report)))], new ChartLine(1, ".NET"));

    private static IEnumerable<PageRow> Rows(MethodTable table, Row row, RowReport report)
    {
        yield return Line(table, row, $".NET {Environment.Version.Major}.{Environment.Version.Minor}", report.DotNet, PageCell.Ratio(1));
        // The ratio of the report is one of rates, and that of the blog post is one of times.
        yield return Line(
            table, row, SluiceStreamSide.Name, report.Sluice,
            PageCell.Ratio(report.Ratio > 0 ? 1 / report.Ratio : 0).With(TimeRatios(report)));
    }

    private static PageRow Line(MethodTable table, Row row, string runtime, ContenderReport side, PageCell ratio)
    {
        double scale = (table.InNanoseconds ? 1e9 : 1e6) / table.OperationsPerPass;
        PageCell time = Time(scale / side.Rate).With(side.SliceRates.Where(r => r > 0).Select(r => scale / r));
        IEnumerable<PageCell> times = table.HasSpread
            ? [time, Time(scale / side.SliceRates.Max()), Time(scale / side.SliceRates.Min())]
            : [time];
        return new PageRow(
            [row.Name, runtime, .. row.Arguments.Select(Argument), .. times, ratio,
                PageCell.Of(Math.Round(side.AllocatedBytesPerOperation), "#,0")])
        {
            Key = string.Join(' ', [row.Name, runtime, .. row.Arguments]),
        };
    }

    private static IEnumerable<double> TimeRatios(RowReport row) => Statistics.Ratios(row.DotNet.SliceRates, row.Sluice.SliceRates);

    private static PageCell Time(double time) => PageCell.Of(time, time >= 1000 ? "#,0" : "0.00");

    private static PageColumn Column(string parameter) =>
        parameter.EndsWith("Size", StringComparison.Ordinal) && !parameter.StartsWith("specify", StringComparison.Ordinal)
            ? new PageColumn(parameter) : PageColumn.Text(parameter);

    private static PageCell Argument(string argument) => long.TryParse(argument, out long number) ? new PageCell(argument, number)
        : argument;
}
