using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// The methods' times as tables: those that give the same beside one another, each against the fastest of .NET's among them.
/// </summary>
internal static class MethodReport
{
    /// <summary>In MiB from half a one on, as the article names its sizes.</summary>
    public static string SizeName(int sizeBytes) => sizeBytes < ByteSize.MiB / 2
        ? ByteSize.Format(sizeBytes)
        : string.Create(CultureInfo.InvariantCulture, $"{sizeBytes / (double)ByteSize.MiB:0.##} MiB");

    /// <param name="results">Of each size, in the order in which they are shown.</param>
    public static IReadOnlyList<PageSection> Sections(IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method,
        MethodTimes> Times)> results) =>
    [
        .. results[0].Times.Keys.Where(m => results.Any(r => r.Times[m].Seconds.Count > 0))
            .GroupBy(m => (m.Writes, m.IsOpenBefore, Kind: m.IsOpenBefore ? ResultKind.Bytes : m.Kind))
            .OrderBy(g => g.Key.Writes).ThenBy(g => g.Key.IsOpenBefore).ThenBy(g => g.Key.Kind)
            .Select(g => Section(Heading(g.Key.Writes, g.Key.IsOpenBefore, g.Key.Kind), [.. g], results)),
    ];

    private static string Heading(bool writes, bool isOpenBefore, ResultKind kind) =>
        (writes ? "Writing" : "Reading") + (isOpenBefore
            ? " an open file, without open and close"
            : kind switch
            {
                ResultKind.Bytes => writes ? " bytes" : " into bytes",
                ResultKind.Text => writes ? " characters" : " into characters",
                _ => writes ? " lines" : " into lines",
            });

    private static PageSection Section(
        string heading, IReadOnlyList<Method> methods,
        IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> results)
    {
        IEnumerable<PageColumn> columns = results.SelectMany(r => (PageColumn[])
        [
            new PageColumn(SizeName(r.SizeBytes), "ms"), new PageColumn(SizeName(r.SizeBytes), "MiB/s"),
            new PageColumn($"{SizeName(r.SizeBytes)} ratio"),
        ]);
        return new PageSection
        {
            Heading = heading,
            Tables =
            [
                new PageTable
                {
                    Columns = [PageColumn.Text("method"), PageColumn.Text("by"), .. columns, PageColumn.Text("result")],
                    Rows = [.. methods.Select(m => Row(m, methods, results))],
                },
            ],
            Charts = [Chart(heading, methods, results[^1].SizeBytes, results[^1].Times)],
        };
    }

    private static PageRow Row(
        Method method, IReadOnlyList<Method> methods,
        IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> results)
    {
        IEnumerable<PageCell> cells = results.SelectMany(r =>
        {
            MethodTimes times = r.Times[method];
            if (times.Seconds.Count == 0)
                return (PageCell[])[PageCell.Empty, PageCell.Empty, PageCell.Empty];
            MethodTimes? fastest = FastestDotNet(methods, r.Times);
            return (PageCell[])
            [
                PageCell.Of(Seconds(times) * 1000, Seconds(times) < 0.001 ? "0.000" : "0.00")
                    .With(times.RoundSeconds.Select(s => s * 1000)),
                PageCell.Of(Speed(Seconds(times), r.SizeBytes), "#,0").With(times.RoundSeconds.Select(s => Speed(s, r.SizeBytes))),
                fastest is null ? PageCell.Empty
                    : PageCell.Ratio(Seconds(fastest) / Seconds(times)).With(Statistics.Ratios(fastest.RoundSeconds, times.RoundSeconds)),
            ];
        });
        string? wrong = results.Select(r => r.Times[method].Difference is { } d ? $"{SizeName(r.SizeBytes)}: {d}" : null)
            .FirstOrDefault(d => d is not null);
        return new PageRow([method.Name, Name(method.Side), .. cells, wrong is null ? "right" : $"WRONG: {wrong}"]);
    }

    private static string Name(IoSide side) => side == IoSide.Bcl ? ".NET" : "Sluice";

    private static double Seconds(MethodTimes times) => Math.Max(Statistics.Median(times.Seconds), 1e-9);

    private static double Speed(double seconds, int sizeBytes) => sizeBytes / (double)ByteSize.MiB / Math.Max(seconds, 1e-9);

    /// <summary>Null where there is none. A wrong result is not fast.</summary>
    private static MethodTimes? FastestDotNet(IReadOnlyList<Method> methods, IReadOnlyDictionary<Method, MethodTimes> results) =>
        methods.Where(m => m.Side == IoSide.Bcl && results[m] is { Difference: null, Seconds.Count: > 0 }).Select(m => results[m])
            .MinBy(Seconds);

    private static PageChart Chart(
        string heading, IReadOnlyList<Method> methods, int sizeBytes, IReadOnlyDictionary<Method, MethodTimes> results)
    {
        return new PageChart
        {
            Title = $"{heading}, {SizeName(sizeBytes)}",
            Kind = ChartKind.Bar,
            X = new ChartAxis("method", Categories: [.. methods.Select(m => m.Name)]),
            Y = new ChartAxis("speed", "MiB/s"),
            Series =
            [
                .. methods.Select(m => m.Side).Distinct().Select(side => new ChartSeries
                {
                    Name = Name(side),
                    Y = Of(side, t => t.Seconds, Statistics.Median),
                    Low = Of(side, t => t.RoundSeconds, Enumerable.Max),
                    High = Of(side, t => t.RoundSeconds, Enumerable.Min),
                }),
            ],
        };

        double?[] Of(IoSide side, Func<MethodTimes, IReadOnlyList<double>> times, Func<IEnumerable<double>, double> choose) =>
            [.. methods.Select(m => m.Side == side && times(results[m]) is { Count: > 0 } seconds ? Speed(choose(seconds), sizeBytes)
                : (double?)null)];
    }
}
