using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Tables;

/// <summary>Measured cases as the text prints them: two lines each, the ratio being time to .NET's time.</summary>
internal static class TableSections
{
    public static PageSection Make(MethodTable table, IReadOnlyList<(TableCase Case, RowReport Row)> measured)
    {
        string unit = table.InNanoseconds ? "ns" : "us";
        IEnumerable<PageColumn> times = table.HasSpread
            ? [new PageColumn("Median", unit), new PageColumn("Min", unit), new PageColumn("Max", unit)]
            : [new PageColumn("Mean", unit)];
        return new PageSection
        {
            Heading = table.Heading,
            Text = table.Text,
            Charts = [Chart(measured)],
            Tables =
            [
                new PageTable
                {
                    Columns =
                    [
                        PageColumn.Text("Method"), PageColumn.Text("Runtime"), .. table.Parameters.Select(Column), .. times,
                        new PageColumn("Ratio"), new PageColumn("Allocated", "B"),
                    ],
                    Rows = [.. measured.SelectMany(m => Rows(table, m.Case, m.Row))],
                },
            ],
        };
    }

    private static PageChart Chart(IReadOnlyList<(TableCase Case, RowReport Row)> measured) => new()
    {
        Title = "Time, .NET's being 1; shorter is better",
        Kind = ChartKind.Bar,
        X = new ChartAxis("method", Categories: [.. measured.Select(m => string.Join(' ', m.Case.Arguments.Prepend(m.Case.Method))
            .Replace("Asynchronous", "async", StringComparison.Ordinal))]),
        Y = new ChartAxis("time to .NET's", LessIsBetter: true),
        Series =
        [
            new ChartSeries
            {
                Name = SluiceStreamSide.Name,
                Y = [.. measured.Select(m => (double?)TimeRatio(m.Row))],
                Low = [.. measured.Select(m => TimeRatios(m.Row).Min(r => (double?)r))],
                High = [.. measured.Select(m => TimeRatios(m.Row).Max(r => (double?)r))],
            },
        ],
        Reference = new ChartLine(1, ".NET"),
    };

    private static IEnumerable<PageRow> Rows(MethodTable table, TableCase @case, RowReport row)
    {
        yield return Row(table, @case, $".NET {Environment.Version.Major}.{Environment.Version.Minor}", row.DotNet, PageCell.Ratio(1));
        // The report's ratio is of rates, the text's of times.
        yield return Row(table, @case, SluiceStreamSide.Name, row.Sluice,
            PageCell.Ratio(TimeRatio(row)).With(TimeRatios(row)));
    }

    private static PageRow Row(MethodTable table, TableCase @case, string runtime, ContenderReport side, PageCell ratio)
    {
        double scale = (table.InNanoseconds ? 1e9 : 1e6) / @case.OperationsPerPass;
        PageCell time = Time(scale / side.Rate).With(side.SliceRates.Where(r => r > 0).Select(r => scale / r));
        IEnumerable<PageCell> times = table.HasSpread
            ? [time, Time(scale / side.SliceRates.Max()), Time(scale / side.SliceRates.Min())]
            : [time];
        return new PageRow(
            [@case.Method, runtime, .. @case.Arguments.Select(Argument), .. times, ratio,
                PageCell.Of(Math.Round(side.AllocatedBytesPerOperation), "#,0")])
        {
            Key = string.Join(' ', [@case.Method, runtime, .. @case.Arguments]),
        };
    }

    private static IEnumerable<double> TimeRatios(RowReport row) => Statistics.Ratios(row.DotNet.SliceRates, row.Sluice.SliceRates);

    private static double TimeRatio(RowReport row) => row.Ratio > 0 ? 1 / row.Ratio : 0;

    private static PageCell Time(double time) => PageCell.Of(time, time >= 1000 ? "#,0" : "0.00");

    private static PageColumn Column(string parameter) =>
        parameter.EndsWith("Size", StringComparison.Ordinal) && !parameter.StartsWith("specify", StringComparison.Ordinal)
            ? new PageColumn(parameter) : PageColumn.Text(parameter);

    private static PageCell Argument(string argument) => long.TryParse(argument, out long number) ? new PageCell(argument, number)
        : argument;
}
