using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`copy` as a page: what was copied, how, how fast, and the rate over time.</summary>
internal static class CopyPage
{
    public static ReportPage Of(IReadOnlyList<CopyRecord> copies, IReadOnlyList<string> arguments, DateTimeOffset began, string folder) =>
        new()
        {
            Title = copies.Count == 1 ? $"Copying {copies[0].Name}" : $"{copies.Count} copies",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(folder),
            Notes = [.. copies.SelectMany(c => c.Failures).Distinct()],
            Sections = [new PageSection { Heading = "Rates", Charts = [.. Charts(copies)], Tables = [Table(copies)] }],
        };

    private static IEnumerable<PageChart> Charts(IReadOnlyList<CopyRecord> copies)
    {
        if (copies.Any(c => c.Rates.Count > 1))
        {
            yield return new PageChart
            {
                Title = "Rate over time",
                Kind = ChartKind.Line,
                X = new ChartAxis("time", "s"),
                Y = new ChartAxis("rate", "MiB/s"),
                Series =
                [
                    .. copies.Where(c => c.Rates.Count > 1).Select(c => new ChartSeries
                    {
                        Name = c.Name,
                        X = [.. c.Rates.Select(r => r.Seconds)],
                        Y = [.. c.Rates.Select(r => (double?)r.MiBPerSecond)],
                    }),
                ],
            };
        }
        if (copies.Count > 1)
        {
            yield return new PageChart
            {
                Title = "Rate of each",
                Kind = ChartKind.Bar,
                X = new ChartAxis("copy", Categories: [.. copies.Select(c => c.Name)]),
                Y = new ChartAxis("rate", "MiB/s"),
                Series = [new ChartSeries { Name = "Sluice", Y = [.. copies.Select(c => (double?)c.MiBPerSecond)] }],
            };
        }
    }

    private static PageTable Table(IReadOnlyList<CopyRecord> copies) => new()
    {
        Columns =
        [
            new PageColumn("what", null, ColumnKind.Code), new PageColumn("size"), new PageColumn("files"), new PageColumn("time", "s"),
            new PageColumn("rate", "MiB/s"), new PageColumn("CPU", "s"), PageColumn.Text("method"), PageColumn.Text("because"),
        ],
        Rows =
        [
            .. copies.Select(c => new PageRow(
                c.Name, new PageCell(ByteSize.Format(c.Bytes), c.Bytes), (long)c.Files, PageCell.Of(c.Seconds, "0.00"), c.MiBPerSecond,
                PageCell.Of(c.CpuSeconds, "0.00"), c.Method, c.Reason)),
        ],
    };
}
