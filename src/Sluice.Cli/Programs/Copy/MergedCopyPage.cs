using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Copy;

/// <summary>The combined results of `copy` as a page: a line for each run of each shard, and the sum.</summary>
internal static class MergedCopyPage
{
    private const int MaxNamed = 20;

    public static ReportPage Of(MergedCopy merged, IReadOnlyList<string> arguments)
    {
        CopyReport first = merged.All.First();
        return new ReportPage
        {
            Title = $"{CopyPage.TitleOf(first)}, in {Counted.Of(merged.Count, "shard")}",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = merged.All.Min(r => r.Started),
            Environment = first.Environment,
            Notes = [.. Notes(merged)],
            Sections = [new PageSection { Heading = "Shards", Tables = [Table(merged)] }],
        };
    }

    private static IEnumerable<string> Notes(MergedCopy merged)
    {
        if (merged.MissingCount > 0)
        {
            string more = merged.MissingCount > MaxNamed ? ", ..." : "";
            yield return $"missing: shard {string.Join(", ", merged.Missing.Take(MaxNamed))}{more} of {merged.Count}";
        }
        if (merged.Interrupted is { Count: > 0 } interrupted)
        {
            string more = interrupted.Count > MaxNamed ? ", ..." : "";
            string verb = interrupted.Count == 1 ? "was interrupted: run it again" : "were interrupted: run them again";
            yield return $"shard {string.Join(", ", interrupted.Take(MaxNamed))}{more} {verb}";
        }
        if (merged.Failed > 0)
            yield return $"{merged.Failed:#,0} failed";
        foreach (string failure in merged.Shards.Values.Select(runs => runs[^1])
            .SelectMany(r => r.Copies).SelectMany(c => c.Failures).Distinct().Take(MaxNamed))
        {
            yield return failure;
        }
    }

    private static PageTable Table(MergedCopy merged) => new(
        [
            PageColumn.Code("shard"), "files", "unchanged", "size",
            new("time", "s"), new("rate", "MiB/s"), new("CPU", "s"), "failed",
        ],
        [
            .. merged.All.Select(r => Row(
                $"{r.ShardIndex}/{r.ShardCount}", r.Files, r.UnchangedFiles, r.Bytes,
                r.Seconds, r.CpuSeconds, r.Failed)),
            Row("all", merged.Files, merged.UnchangedFiles, merged.Bytes, merged.Seconds, merged.CpuSeconds, merged.Failed),
        ]);

    private static PageRow Row(string name, long files, long unchanged, long bytes, double seconds, double cpuSeconds, long failed) => new(
        name, files, unchanged, PageCell.Size(bytes), PageCell.Of(seconds, "0.00"),
        CopyReport.Rate(bytes, seconds), PageCell.Of(cpuSeconds, "0.00"), failed);
}
