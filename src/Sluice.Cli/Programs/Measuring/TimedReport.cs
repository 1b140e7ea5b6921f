using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Formats results of rows as a table and a chart for each group, with the ratio to the fastest .NET row.</summary>
internal static class TimedReport
{
    /// <summary>Explains the values of <see cref="Sections"/>.</summary>
    public static IReadOnlyList<string> Notes(int rounds) =>
    [
        $"{ProgramRun.Rounds(rounds)}; ratio: against the fastest .NET way of the same table and size, above 1 is faster",
        "reading: from the page cache, but for direct; writing: a new file, until the system has the bytes, or, direct, the device",
    ];

    /// <summary>The size in the unit of the article "Efficient File I/O From C#": MiB from 0.5 MiB on.</summary>
    public static string SizeOf(long bytes) => bytes < ByteSize.MiB / 2 ? ByteSize.Format(bytes) : $"{Mebibytes(bytes):0.##} MiB";

    /// <param name="results">The results, with those of the largest size at the end.</param>
    /// <param name="name">The header of the rows' names.</param>
    /// <param name="bySize">
    /// True for columns with the name of their size; false for results of one size, which are shown with CPU time.
    /// </param>
    public static IReadOnlyList<PageSection> Sections(IReadOnlyList<TimedResult> results, string name, bool bySize)
    {
        double? clockHz = ProcessorFrequency.NominalHz();
        return
        [
            .. results.GroupBy(r => r.Group)
                .Select(g => Section(g.Key, [.. g.GroupBy(r => r.Bytes).Select(size => size.ToArray())])),
        ];

        PageSection Section(string heading, TimedResult[][] sizes) => new()
        {
            Heading = heading,
            Tables =
            [
                PageTable.Of(
                    sizes.SelectMany(s => s).GroupBy(r => r.Name), way => way.Key,
                    [
                        (PageColumn.Text(name), way => way.Key), (PageColumn.Text("by"), way => SideName(way.First())),
                        .. sizes.SelectMany(Columns), (PageColumn.Text("result"), Verdict),
                    ]),
            ],
            Charts = [Bars(bySize ? $"{heading}, {SizeOf(sizes[^1][0].Bytes)}" : heading, name, sizes[^1])],
        };

        IEnumerable<(PageColumn Column, Func<IGrouping<string, TimedResult>, PageCell> Of)> Columns(TimedResult[] results)
        {
            long bytes = results[0].Bytes;
            string? size = bySize ? SizeOf(bytes) : null;
            // Wrong results are not compared.
            ContenderReport? fastest = results.Where(r => r.Side == IoSide.Bcl && r.Wrong is null).MaxBy(r => r.Rate.Rate)?.Rate;
            yield return (new(size ?? "time", "ms"), Cell(r => r.Milliseconds()));
            yield return (size is null ? "ratio" : $"{size} ratio", Cell(r => r.RatioTo(fastest)));
            yield return (new(size ?? "speed", "MiB/s"), Cell(r => r.Cell(1 / Mebibytes(bytes), "#,0")));
            if (bySize)
                yield break;
            double nanoseconds = 1000.0 / bytes;
            yield return (new("CPU", "clocks/B"), Cell(r => PageCell.Of(r.CpuUsPerOperation * nanoseconds * clockHz / 1e9, "0.00")));
            yield return (new("CPU time", "ns/B"), Cell(r => PageCell.Of(r.CpuUsPerOperation * nanoseconds, "0.00")
                .With(r.SliceCpuUs.Select(c => c * nanoseconds))));

            Func<IGrouping<string, TimedResult>, PageCell> Cell(Func<ContenderReport, PageCell> cell) =>
                way => way.FirstOrDefault(r => r.Bytes == bytes) is { } result ? cell(result.Rate) : PageCell.Empty;
        }
    }

    private static PageCell Verdict(IEnumerable<TimedResult> way) =>
        way.FirstOrDefault(r => r.Wrong is not null) is { } wrong ? $"WRONG: {SizeOf(wrong.Bytes)}: {wrong.Wrong}" : "right";

    private static PageChart Bars(string title, string name, TimedResult[] results) => PageChart.OfRounds(
        title, new ChartAxis(name, Categories: [.. results.Select(r => r.Name)]), new ChartAxis("speed", "MiB/s"),
        results.Select(SideName).Distinct().Select(side => (
            side, results.Select(r => SideName(r) == side ? r.Rate.SliceRates.Select(rate => rate * Mebibytes(r.Bytes)) : null))));

    private static string SideName(TimedResult result) => result.Side == IoSide.Bcl ? BenchTable.DotNetName : "Sluice";

    private static double Mebibytes(long bytes) => bytes / (double)ByteSize.MiB;
}
