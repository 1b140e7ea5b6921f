using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Copy;

/// <summary>`copy` as a page: the copies, their methods and rates.</summary>
internal static class CopyPage
{
    public static ReportPage Of(CopyReport report) => new()
    {
        Title = TitleOf(report),
        CommandLine = ReportPage.CommandLineOf(report.Arguments),
        Began = report.Started,
        Environment = report.Environment,
        Notes = [.. report.Copies.SelectMany(c => c.Failures).Distinct(), .. Interruption(report)],
        Sections = [new PageSection { Heading = "Rates", Tables = [Table(report.Copies)] }],
    };

    /// <summary>Returns the title of the page, with the sources and the target.</summary>
    public static string TitleOf(CopyReport report) =>
        report.Copies is [var only]
            ? $"{only.Source} to {only.Target}"
            : report.Copies.Count == 0 ? $"Nothing to {report.Target}"
            : $"{Counted.Of(report.Copies.Count, "copy", "copies")} to {report.Target}";

    private static IEnumerable<string> Interruption(CopyReport report)
    {
        if (report.NotBegun > 0)
            yield return $"{Counted.Of(report.NotBegun, "source")} not begun";
        if (report.Interrupted)
            yield return "interrupted";
    }

    /// <summary>Returns the name of the method; empty if the copy was interrupted before it chose one.</summary>
    private static string MethodOf(CopyRecord copy) =>
        copy.Interrupted && copy.Method == "auto" ? "" : CopyText.Name(copy.Method);

    private static PageTable Table(IReadOnlyList<CopyRecord> copies) => new(
        [
            PageColumn.Code("what"), "size", "files", new("time", "s"),
            new("rate", "MiB/s"), new("CPU", "s"), PageColumn.Text("method"), PageColumn.Text("because"),
        ],
        [
            .. copies.Select(c => new PageRow(
                c.Source, PageCell.Size(c.Bytes), c.Files, PageCell.Of(c.Seconds, "0.00"), c.MiBPerSecond,
                PageCell.Of(c.CpuSeconds, "0.00"), MethodOf(c), c.Reason)),
        ]);
}
