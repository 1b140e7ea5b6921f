using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Tests.Report.Pages;

/// <summary>A page with one of everything, and with text that a careless writer of HTML, JSON or CSV would break on.</summary>
internal static class SamplePage
{
    public const string Nasty = "</script><!-- \"quoted\", <b>bold</b> & 'more'";

    public static ReportPage Make() => new()
    {
        Title = $"A page {Nasty}",
        CommandLine = ReportPage.CommandLineOf(["bench", "--row", Nasty]),
        Began = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
        Environment = EnvironmentProbe.ForPath(Path.GetTempPath()),
        Notes = [Nasty],
        Sections =
        [
            new PageSection
            {
                Heading = "Reading",
                Text = $"First paragraph.\n{Nasty}\n    if (a < b) return;",
                Charts = [LineChart(), BarChart()],
                Tables = [Rows()],
            },
        ],
    };

    private static PageChart LineChart() => new(
        "Rate by request size",
        ChartKind.Line,
        new ChartAxis("request size", "B", IsLog: true),
        new ChartAxis("rate", "MiB/s", IsLog: true),
        [
            new ChartSeries
            {
                Name = "Sluice", X = [512, 1024, 4096, 65536], Y = [100, 150, null, 300], Low = [90, 140, null, 250],
                    High = [110, 160, null, 350],
            },
            new ChartSeries { Name = ".NET", X = [512, 65536], Y = [50, 200] },
        ])
    {
        Reference = new ChartLine(150, "device"),
    };

    private static PageChart BarChart() => new(
        "Ratio",
        ChartKind.Bar,
        new ChartAxis("row", Categories: ["one", Nasty]),
        new ChartAxis("ratio"),
        [new ChartSeries { Name = "Sluice", Y = [2.5, 0.8], Low = [2.2, 0.7], High = [2.8, 0.9] }])
    {
        Reference = new ChartLine(1, "as fast as .NET"),
    };

    private static PageTable Rows() => new(
        [PageColumn.Text("row"), new PageColumn("rate", "MiB/s"), new PageColumn("code", null, ColumnKind.Code)],
        [
            new PageRow("one", 1234.25, "a = b;"),
            new PageRow(Nasty, 99.5),
            new PageRow("three", 5.25, "c"),
        ]);
}
