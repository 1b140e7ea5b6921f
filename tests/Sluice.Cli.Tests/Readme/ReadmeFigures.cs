using System.Globalization;
using System.Text;
using System.Text.Json;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Readme;

/// <summary>Tables of README.md and docs/figures.md, made from kept results of `sluice bench --json`.</summary>
internal static class ReadmeFigures
{
    private const string Header =
        "| | ratio (95 %) | Sluice | .NET | CPU ratio | B/op, Sluice / .NET | to fio | best to best | |\n"
        + "|---|---:|---:|---:|---:|---:|---:|---:|---|\n";

    private const string FirstPageHeader =
        "| suite | row | ratio (95 %) | Sluice | .NET | CPU ratio | B/op, Sluice / .NET | what bounds Sluice |\n"
        + "|---|---|---:|---:|---:|---:|---:|---|\n";

    /// <summary>Where a block begins; README.md has one, docs/figures.md one for each suite.</summary>
    public static string Begin(string suite) => suite.Length == 0 ? "<!-- figures:begin -->" : $"<!-- figures:begin {suite} -->";

    public static string End(string suite) => suite.Length == 0 ? "<!-- figures:end -->" : $"<!-- figures:end {suite} -->";

    /// <summary>The block of one suite, every row of it.</summary>
    /// <param name="report">The suite's kept result.</param>
    /// <param name="jsonPath">The kept result, as a link.</param>
    public static string Make(BenchReport report, string jsonPath)
    {
        StringBuilder text = new();
        RowReport[] withTargets = [.. report.Rows.Where(row => row.Targets.Count > 0)];
        int reached = withTargets.Count(row => row.Targets.All(target => target.Reached));
        text.Append(Machine(report))
            .Append(Line($"by `sluice bench`: [raw figures]({jsonPath}). "))
            .Append("Ratios are Sluice to .NET, or to whom a row says it stands beside: above 1 Sluice is faster, or needs less CPU. ")
            .Append(Line($"{reached} of {withTargets.Length} rows reach the target that was set for them.\n\n"))
            .Append(Header);
        foreach (RowReport row in report.Rows)
        {
            Append(text, row);
        }

        return text.ToString();
    }

    /// <summary>
    /// The block of the first page: of each suite the row whose ratio is the highest with confidence, by the lower end of its interval,
    /// and the one that is the lowest, by the upper end, so that nobody chooses them, and chance does not either: no row is the highest
    /// whose rounds differ so much that its interval's ends lie more than a factor of two apart.
    /// </summary>
    public static string MakeFirstPage(IReadOnlyList<BenchReport> reports)
    {
        RowReport[][] suites =
            [.. reports.Select(report => report.Rows.Where(row => row.IsBesideDotNet).OrderByDescending(row => row.Ratio).ToArray())];
        int faster = suites.Sum(rows => rows.Count(row => IntervalOf(row) is { Low: > 1 }));
        int slower = suites.Sum(rows => rows.Count(row => IntervalOf(row) is { High: < 1 }));
        int all = suites.Sum(rows => rows.Length);
        string middles = string.Join(", ", suites.Select(rows => Line($"{Ratio(rows[rows.Length / 2].Ratio)} in `{rows[0].Suite}`")));
        StringBuilder text = new();
        text.Append(Machine(reports[0]))
            .Append("by `sluice bench`. Ratios are Sluice to .NET: above 1 Sluice is faster, or needs less CPU. ")
            .Append("B/op is what one operation allocates. ")
            .Append("What bounds Sluice is the disk, as fio measures it, where fio ran; else it follows ")
            .Append("from its CPU time: a disk or another thread where it waits for half of the time and more, the program's own ")
            .Append("instructions below 100 ns an operation, memory from 1 GiB/s on, and else the system calls or the processor. ")
            .Append("Of each suite the table has the row whose interval begins highest, of those whose ends lie within a factor of ")
            .Append("two, and the row whose interval ends lowest. ")
            .Append(Line($"The middle ratio is {middles}; "))
            .Append(Line($"of [all {all} rows](docs/figures.md) beside .NET {faster} are faster, {slower} slower, "))
            .Append("with 95 % confidence each; ")
            .Append("the others are even, or of too few rounds to tell.\n\n")
            .Append(FirstPageHeader);
        foreach (RowReport row in suites.SelectMany(Ends))
        {
            text.Append(Line($"| `{row.Suite}` | {row.ShownName} | {Figures(row)} | {Limit(row)} |\n"));
            if (row.Second is { } second && row.SecondRatio is { } ratio)
            {
                text.Append(Line($"| | - to {second.Name} | {Ratio(ratio)}{SecondInterval(row)} | "))
                    .Append(Line($"| {Rate(second.Rate)} {row.Unit} | | | |\n"));
            }
        }

        return text.ToString();
    }

    /// <summary>
    /// What bounds Sluice in a row, by its figures alone: fio's, or how much of the time it computes and how long for an operation.
    /// </summary>
    public static string Limit(RowReport row)
    {
        const double NsOfInstructions = 100;
        const double UsOfSystemCalls = 1000;
        const double MiBOfMemory = 1024;
        if (row.FioRate is { } fio)
        {
            // A commit carries many records, and fio's carries one.
            return row.FioRatio is >= 2 and { } many ? Line($"disk: fio {Rate(fio)} {row.Unit}, {many:0.0} for each of them")
                : Line($"disk: fio {Rate(fio)} {row.Unit}, ratio {ToFio(row)}");
        }

        if (row.Second is { } second && second.Name.StartsWith("fio", StringComparison.Ordinal))
            return Line($"disk: fio {Rate(second.Rate)} {row.Unit}");
        double mebibytes = row.Unit == "MiB/s" ? BytesOf(row) / (double)ByteSize.MiB : 1;
        double operations = row.Sluice.Rate / mebibytes;
        double processors = operations * row.Sluice.CpuUsPerOperation / 1e6;
        double bytesRate = row.Unit == "MiB/s" ? row.Sluice.Rate : 0;
        return processors < 0.5 ? Line($"waiting: {processors * 100:0} % CPU")
            : bytesRate >= MiBOfMemory ? Line($"memory: {row.Sluice.Rate / 1024:0.0} GiB/s")
            : row.Sluice.CpuUsPerOperation * 1000 < NsOfInstructions
            ? Line($"instructions: {row.Sluice.CpuUsPerOperation * 1000:0.0} ns")
            : row.Sluice.CpuUsPerOperation < UsOfSystemCalls ? Line($"system calls: {row.Sluice.CpuUsPerOperation:0.0} us CPU")
            : Line($"processor: {row.Sluice.CpuUsPerOperation / 1000:0.0} ms CPU");
    }

    /// <summary>Of an operation, as the suite's row declares them.</summary>
    private static long BytesOf(RowReport row) => Suite.All.SelectMany(static suite => suite.Rows)
        .FirstOrDefault(known => known.Id == row.Id)?.BytesPerOperation?.Invoke(BenchScale.Full) ?? ByteSize.MiB;

    /// <summary>Where no row has an interval (few rounds), the ratios themselves.</summary>
    private static RowReport[] Ends(RowReport[] rows)
    {
        RowReport highest = rows.Where(static row => IntervalOf(row) is { } at && at.High <= 2 * at.Low)
            .MaxBy(static row => IntervalOf(row)?.Low) ?? rows[0];
        RowReport lowest = rows.Where(static row => IntervalOf(row) is not null).MinBy(static row => IntervalOf(row)?.High) ?? rows[^1];
        return ReferenceEquals(highest, lowest) ? [highest] : [highest, lowest];
    }

    /// <summary>The text with a block between its markers replaced.</summary>
    public static string Replace(string page, string suite, string block)
    {
        int begin = page.IndexOf(Begin(suite), StringComparison.Ordinal);
        int end = page.IndexOf(End(suite), StringComparison.Ordinal);
        return begin < 0 || end < begin
            ? throw new InvalidDataException($"The page lacks the markers {Begin(suite)} and {End(suite)}.")
            : $"{page[..(begin + Begin(suite).Length)]}\n{block}{page[end..]}";
    }

    private static string Machine(BenchReport report)
    {
        EnvironmentRecord machine = report.Environment;
        return Line($"Measured {report.Started:yyyy-MM-dd} on {machine.Processor}, {machine.ProcessorCount} processors, ")
            + Line($"{machine.FileSystem} on {machine.Device}, kernel {machine.Kernel}, {machine.Runtime}, engine {machine.Engine}, ");
    }

    private static void Append(StringBuilder text, RowReport row)
    {
        text.Append(Line($"| {row.ShownName} | {Figures(row)} | {ToFio(row)} "))
            .Append(Line($"| {(row.BestRatio is { } best ? Ratio(best) : "")} | {Verdict(row)} |\n"));
        if (row.Second is { } second && row.SecondRatio is { } ratio)
        {
            text.Append(Line($"| - to {second.Name} | {Ratio(ratio)}{SecondInterval(row)} | "))
                .Append(Line($"| {Rate(second.Rate)} {row.Unit} | | | | | |\n"));
        }
    }

    private static string Figures(RowReport row) =>
        Line($"{Ratio(row.Ratio)}{Interval(row)} | {Rate(row.Sluice.Rate)} {row.Unit} ")
        + Line($"| {Rate(row.DotNet.Rate)} {row.Unit} ")
        + Line($"| {Ratio(row.CpuRatio)}{Span(row.CpuRatioLow, row.CpuRatioHigh)} | ")
        + Line($"{Bytes(row.Sluice.AllocatedBytesPerOperation)} / {Bytes(row.DotNet.AllocatedBytesPerOperation)}");

    private static string Interval(RowReport row) =>
        IntervalOf(row) is { } interval ? Line($" ({interval.Low:0.00}-{interval.High:0.00})") : Rounds(row);

    private static string SecondInterval(RowReport row) =>
        row is { SecondRatioLow: { } low, SecondRatioHigh: { } high } ? Span(low, high) : Rounds(row);

    private static string Span(double? low, double? high) => low is null || high is null ? "" : Line($" ({low:0.00}-{high:0.00})");

    private static string ToFio(RowReport row) =>
        row.FioRatio is { } ratio ? Ratio(ratio) + Span(row.FioRatioLow, row.FioRatioHigh) : "";

    /// <summary>Why a row has no interval.</summary>
    private static string Rounds(RowReport row) => row.RoundRatios.Count > 1 ? Line($" ({row.RoundRatios.Count} rounds, no interval)") : "";

    public static (double Low, double High)? IntervalOf(RowReport row) => Statistics.MedianInterval(row.RoundRatios);

    public static BenchReport Read(string path)
    {
        using FileStream json = File.OpenRead(path);
        return JsonSerializer.Deserialize(json, BenchJsonContext.Default.BenchReport)
            ?? throw new InvalidDataException($"{path} is empty.");
    }

    private static string Verdict(RowReport row)
    {
        string missed = string.Join(", ", row.Targets.Where(target => !target.Reached).Select(target => target.Requirement));
        return missed.Length == 0 ? "" : $"falls short of {missed}";
    }

    private static string Ratio(double ratio) => Line($"{ratio:0.00}");

    private static string Rate(double rate) => rate >= 1000 ? Line($"{rate:#,0}") : Line($"{rate:0.0}");

    private static string Bytes(double bytes) => Line($"{Math.Round(bytes):#,0}");

    private static string Line(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
