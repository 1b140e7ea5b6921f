using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Ops;

/// <summary>`ops` as a page: the milliseconds of each operation, by side.</summary>
internal static class OpsPage
{
    /// <param name="sides">The sides' names and, for each operation in order, the milliseconds of each round.</param>
    public static PageSection Section(
        string text, IReadOnlyList<string> operations, IReadOnlyList<(string Name, IReadOnlyList<IReadOnlyList<double>> Rounds)> sides)
    {
        bool compares = sides.Count == 2;
        return new PageSection
        {
            Heading = "The five operations of a file",
            Text = text,
            Charts =
            [
                new PageChart
                {
                    Title = "Time of each operation; shorter is better",
                    Kind = ChartKind.Bar,
                    X = new ChartAxis("operation", Categories: operations),
                    Y = new ChartAxis("time", "ms"),
                    Series =
                    [
                        .. sides.Select(s => new ChartSeries
                        {
                            Name = s.Name,
                            Y = [.. s.Rounds.Select(Statistics.Median)],
                            Low = [.. s.Rounds.Select(r => r.Min())],
                            High = [.. s.Rounds.Select(r => r.Max())],
                        }),
                    ],
                },
            ],
            Tables =
            [
                new PageTable
                {
                    Columns =
                    [
                        PageColumn.Text("operation"), .. sides.Select(s => new PageColumn(s.Name, "ms")),
                        .. compares ? [new PageColumn("ratio")] : Array.Empty<PageColumn>(),
                    ],
                    Rows =
                    [
                        .. operations.Select((operation, i) => new PageRow(
                            [
                                operation, .. sides.Select(s => Time(s.Rounds[i])),
                                .. compares ? [Ratio(sides[0].Rounds[i], sides[1].Rounds[i])] : Array.Empty<PageCell>(),
                            ])),
                    ],
                },
            ],
        };
    }

    private static PageCell Time(IReadOnlyList<double> rounds)
    {
        double median = Statistics.Median(rounds);
        return PageCell.Of(median, median < 0.1 ? "0.000" : "0.00").With(rounds);
    }

    private static PageCell Ratio(IReadOnlyList<double> first, IReadOnlyList<double> second) =>
        PageCell.Ratio(Statistics.MedianRatio(first, second)).With(Statistics.Ratios(first, second));
}
