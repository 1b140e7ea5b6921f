using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Extents;

/// <summary>`extents` as a page: the sizes of the extents, the worst files or the extents themselves.</summary>
internal static class ExtentPage
{
    private const int MaxExtents = 3000;

    /// <param name="limit">The maximum number of extents to list for a single file.</param>
    public static ReportPage Of(ExtentReport report, int limit = MaxExtents) => new()
    {
        Title = $"Where {Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(report.Path)))} lies on its device",
        CommandLine = ReportPage.CommandLineOf(report.Arguments),
        Began = report.Started,
        Environment = report.Environment,
        Notes = [.. Notes(report)],
        Sections = [Overview(report), .. Details(report, limit)],
    };

    private static IEnumerable<string> Notes(ExtentReport report)
    {
        yield return "Extents are what the file system lists. A piece is a run of them that a sequential reader meets without a jump. The "
            + "score is 100 d / (1 + d), d being jumps per MiB: 0 is a file in one piece, 50 a jump for each MiB.";
        if (report.InterruptedNote is { } note)
            yield return note;
        foreach (string failure in report.Failures)
            yield return failure;
    }

    private static PageSection Overview(ExtentReport report)
    {
        string files = report.FileExtents is null
            ? $"{Counted.Of(report.Files, "file")}, {report.FragmentedFiles:#,0} in more than one piece: " : "";
        string unplaced = report.UnplacedBytes == 0 ? ""
            : $"\n{ByteSize.Format(report.UnplacedBytes)} have no place on the device yet, or lie in metadata; --sync places the former";
        return new PageSection
        {
            Heading = "On the device",
            Text = $"{report.Path}: {files}{ByteSize.Format(report.SizeBytes)}, {ByteSize.Format(report.PlacedBytes)} on the device, "
                + $"{Counted.Of(report.Extents, "extent")} in {Counted.Of(report.Pieces, "piece")}, fragmentation score {report.Score:0.##}"
                + $"{unplaced}",
            Charts = report.Histogram.Count == 0 ? [] : [Histogram(report.Histogram)],
            Tables = report.Histogram.Count == 0 ? [Totals(report)] : [Totals(report), HistogramTable(report.Histogram)],
        };
    }

    private static PageChart Histogram(IReadOnlyList<ExtentClass> classes) => new(
        "Sizes of the extents",
        ChartKind.Bar,
        new ChartAxis("size", Categories: [.. classes.Select(c => c.Name)]),
        new ChartAxis("share", "%"),
        [
            new ChartSeries { Name = "of the extents", Y = [.. Shares(classes, c => c.Extents)] },
            new ChartSeries { Name = "of the bytes", Y = [.. Shares(classes, c => c.Bytes)] },
        ]);

    private static IEnumerable<double?> Shares(IReadOnlyList<ExtentClass> classes, Func<ExtentClass, long> of)
    {
        double all = Math.Max(1, classes.Sum(of));
        return classes.Select(c => (double?)(100 * of(c) / all));
    }

    private static PageTable Totals(ExtentReport report) => new(
        [
            PageColumn.Text(""), "files", "size", "on the device", "extents", "pieces", "files in several pieces", "score",
        ],
        [
            new PageRow(
                "all", report.Files, PageCell.Size(report.SizeBytes), PageCell.Size(report.PlacedBytes), report.Extents, report.Pieces,
                report.FragmentedFiles, PageCell.Of(report.Score, "0.##")),
        ])
    {
        Title = "in all",
    };

    private static PageTable HistogramTable(IReadOnlyList<ExtentClass> classes) => new(
        [PageColumn.Text("extent size"), "extents", "bytes"],
        [.. classes.Select(c => new PageRow(c.Name, c.Extents, PageCell.Size(c.Bytes)))])
    {
        Title = "by size of the extents",
    };

    private static IEnumerable<PageSection> Details(ExtentReport report, int limit)
    {
        if (report.FileExtents is { Count: > 0 } extents)
        {
            yield return new PageSection
            {
                Heading = "Extents",
                Text = extents.Count > limit ? $"The first {limit:#,0} of {extents.Count:#,0}; --extents N lists N, --json all." : null,
                Tables =
                [
                    new PageTable(
                        [new("file offset", "B"), new("device offset", "B"), new("length", "B"), PageColumn.Text("flags")],
                        [
                            .. extents.Take(limit).Select(e => new PageRow(
                                e.Offset, FileLayout.HasPlace(e) ? e.PhysicalOffset : PageCell.Empty, e.Length,
                                (e.Flags & ~FileExtentFlags.Last) is var flags and not FileExtentFlags.None ? $"{flags}" : "")),
                        ]),
                ],
            };
        }
        else if (report.WorstFiles.Count > 0)
        {
            yield return new PageSection
            {
                Heading = "The most fragmented files",
                Tables =
                [
                    new PageTable(
                        [PageColumn.Code("file"), "size", "extents", "pieces", "score"],
                        [
                            .. report.WorstFiles.Select(f => new PageRow(
                                f.Path, PageCell.Size(f.SizeBytes), f.Extents, f.Pieces, PageCell.Of(f.Score, "0.0"))),
                        ]),
                ],
            };
        }
    }
}
