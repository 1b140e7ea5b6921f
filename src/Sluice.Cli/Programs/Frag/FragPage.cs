using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Frag;

/// <summary>`frag` as a page: the state of the volume after each cycle.</summary>
internal static class FragPage
{
    public static ReportPage Of(FragReport report) => new()
    {
        Title = "A volume, aged",
        CommandLine = ReportPage.CommandLineOf(report.Arguments),
        Began = report.Started,
        Environment = report.Environment,
        Notes =
        [
            $"Seed {report.Settings.Seed}; up to {ByteSize.Format(report.BudgetBytes)} filled; {report.Seconds:0} s.",
            .. report.Skipped > 0 ? [$"Not made, since others filled the volume meanwhile: {Counted.Of(report.Skipped, "file")}."]
                : Array.Empty<string>(),
        ],
        Sections =
        [
            new PageSection
            {
                Heading = "Cycle by cycle",
                Text = $"{Counted.Of(report.Cycles, "cycle")}: {Counted.Of(report.Created, "file")} made, {report.Deleted:#,0} deleted, "
                    + $"{ByteSize.Format(report.WrittenBytes)} written. "
                    + $"Left: {Counted.Of(report.Files, "file")} with {ByteSize.Format(report.FilesBytes)}; the volume is "
                    + $"{report.UsedPercent:0.0}\u00a0% full.",
                Charts = [.. Charts(report.History)],
                Tables = [Table(report.History)],
            },
        ],
    };

    private static IEnumerable<PageChart> Charts(IReadOnlyList<FragCycle> history)
    {
        double[] cycles = [.. history.Select(c => (double)c.Cycle)];
        if (history.Any(c => c.PiecesPerFile is not null))
        {
            yield return new PageChart(
                "Pieces per file, of the files made in a cycle",
                ChartKind.Line,
                new ChartAxis("cycle"),
                new ChartAxis("pieces per file"),
                [new ChartSeries { Name = "mean", X = cycles, Y = [.. history.Select(c => c.PiecesPerFile)] }]);
        }
        yield return new PageChart(
            "How full the volume is",
            ChartKind.Line,
            new ChartAxis("cycle"),
            new ChartAxis("used", "%"),
            [
                new ChartSeries { Name = "when filled", X = cycles, Y = [.. history.Select(c => c.FilledPercent)] },
                new ChartSeries { Name = "after deleting", X = cycles, Y = [.. history.Select(c => c.KeptPercent)] },
            ]);
    }

    private static PageTable Table(IReadOnlyList<FragCycle> history) => new(
        [
            "cycle", "files made", "files left", new("filled", "%"),
            new("kept", "%"), "pieces per file",
        ],
        [
            .. history.Select(c => new PageRow(
                c.Cycle, c.FilesMade, c.FilesLeft, PageCell.Of(c.FilledPercent, "0.0"), PageCell.Of(c.KeptPercent, "0.0"),
                PageCell.Of(c.PiecesPerFile, "0.00"))),
        ]);
}
