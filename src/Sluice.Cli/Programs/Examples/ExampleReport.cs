using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Examples;

/// <summary>The cases' times as tables and bars.</summary>
internal static class ExampleReport
{
    private const double BytesPerMiB = ByteSize.MiB;

    public static IReadOnlyList<PageSection> Sections(IReadOnlyDictionary<ExampleCase, ExampleTimes> results, long fileBytes)
    {
        double? clockHz = ProcessorFrequency.NominalHz();
        return
        [
            .. results.Keys.GroupBy(c => c.Writes)
                .Select(cases => Section(cases.Key ? "Writing" : "Reading", [.. cases], results, fileBytes, clockHz)),
        ];
    }

    private static PageSection Section(
        string heading, IReadOnlyList<ExampleCase> cases, IReadOnlyDictionary<ExampleCase, ExampleTimes> results, long fileBytes,
        double? clockHz) => new()
        {
            Heading = heading,
            Tables =
            [
                new PageTable
                {
                    Columns =
                    [
                        PageColumn.Text("case"), PageColumn.Text("with"), new PageColumn("speed", "MiB/s"),
                        new PageColumn("CPU", "clocks/B"),
                        new PageColumn("CPU time", "ns/B"), new PageColumn("ratio"), PageColumn.Text("result"),
                    ],
                    Rows = [.. cases.Select(c => Row(c, results[c], Baseline(c, cases, results), fileBytes, clockHz))],
                },
            ],
            Charts = [Chart(heading, cases, results, fileBytes)],
        };

    private static PageRow Row(ExampleCase example, ExampleTimes times, ExampleTimes? baseline, long fileBytes, double? clockHz)
    {
        double cpuPerByte = Statistics.Median(times.CpuSeconds) / fileBytes;
        return new PageRow(
            example.Name, example.Way, PageCell.Of(Speed(times, fileBytes), "#,0").With(Speeds(times, fileBytes)),
            clockHz is { } hz ? PageCell.Of(cpuPerByte * hz, "0.00") : PageCell.Empty,
            PageCell.Of(cpuPerByte * 1e9, "0.00").With(times.CpuSeconds.Select(s => s / fileBytes * 1e9)),
            baseline is null || ReferenceEquals(baseline, times) ? PageCell.Ratio(baseline is null ? null : 1)
                : PageCell.Ratio(Statistics.MedianRatio(baseline.Seconds, times.Seconds))
                .With(Statistics.Ratios(baseline.Seconds, times.Seconds)),
            times.Difference is { } wrong ? $"WRONG: {wrong}" : "right");
    }

    /// <summary>The synchronous way of .NET among the cases of the same unit.</summary>
    private static ExampleTimes? Baseline(
        ExampleCase example, IReadOnlyList<ExampleCase> cases, IReadOnlyDictionary<ExampleCase, ExampleTimes> results) =>
        cases.FirstOrDefault(c => c.Unit == example.Unit && c.Way == ExampleCases.DotNet) is { } baseline ? results[baseline] : null;

    private static double Speed(ExampleTimes times, long fileBytes) => Statistics.Median(Speeds(times, fileBytes));

    private static IEnumerable<double> Speeds(ExampleTimes times, long fileBytes) =>
        times.Seconds.Select(s => fileBytes / BytesPerMiB / Math.Max(s, 1e-9));

    private static PageChart Chart(
        string heading, IReadOnlyList<ExampleCase> cases, IReadOnlyDictionary<ExampleCase, ExampleTimes> results, long fileBytes) => new()
        {
            Title = heading,
            Kind = ChartKind.Bar,
            X = new ChartAxis("case", Categories: [.. cases.Select(c => c.Name)]),
            Y = new ChartAxis("speed", "MiB/s"),
            Series =
            [
                .. cases.Select(Side).Distinct().Select(side => new ChartSeries
                {
                    Name = side,
                    Y = [.. cases.Select(c => Side(c) == side ? Speed(results[c], fileBytes) : (double?)null)],
                    Low = [.. cases.Select(c => Side(c) == side ? Speeds(results[c], fileBytes).Min() : (double?)null)],
                    High = [.. cases.Select(c => Side(c) == side ? Speeds(results[c], fileBytes).Max() : (double?)null)],
                }),
            ],
        };

    private static string Side(ExampleCase example) =>
        example.Way.StartsWith(ExampleCases.DotNet, StringComparison.Ordinal) ? ExampleCases.DotNet : "Sluice";
}
