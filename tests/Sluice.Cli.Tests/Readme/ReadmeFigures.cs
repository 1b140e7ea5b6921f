using System.Globalization;
using System.Text;
using System.Text.Json;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Readme;

/// <summary>Tables of README.md and docs/figures.md, made from kept results of `sluice bench --json`.</summary>
internal static class ReadmeFigures
{
    private const string Header =
        "| | ratio (95 %) | Sluice | .NET | CPU ratio | B/op, Sluice / .NET | to fio | best to best | |\n"
        + "|---|---:|---:|---:|---:|---:|---:|---:|---|\n";

    private const int RowColumns = EverydaySuite.MaxNameLength;
    private const int RatioColumns = 16;
    private const int RateColumns = 10;
    private const int MaxColumns = 80;

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
    /// The block of the first page: every row of a run of everyday work in lines of 80 columns, then a paragraph that says how to read them
    /// and counts the verdicts.
    /// </summary>
    public static string MakeFirstPage(BenchReport report, string jsonPath)
    {
        StringBuilder text = new();
        Append("", "ratio (95 %)", "Sluice", ".NET");
        text.Append(Line($"|{new string('-', RowColumns + 2)}|{new string('-', RatioColumns + 1)}:"))
            .Append(Line($"|{new string('-', RateColumns + 1)}:|{new string('-', RateColumns + 1)}:|\n"));
        foreach (RowReport row in report.Rows)
        {
            Append(
                row.Name, EverydayText.RatioCell(row), EverydayText.Rate(row.Sluice.Rate, row.Unit),
                EverydayText.Rate(row.DotNet.Rate, row.Unit));
        }

        foreach (SkippedRow row in report.Skipped)
        {
            Append(row.Id, "skipped", "", "");
        }

        text.Append('\n');
        foreach (string line in TerminalText.Wrap(
            $"{EverydayText.Summary(report)}. Ratio: Sluice to .NET, above 1 Sluice is faster; in parentheses its 95 % interval. "
            + $"{Machine(report)}by [`sluice bench`]({jsonPath}).", MaxColumns))
        {
            text.Append(Line($"{line}\n"));
        }

        return text.ToString();

        void Append(string name, string ratio, string sluice, string dotNet) =>
            text.Append(Line($"| {name,-RowColumns} | {ratio,RatioColumns} | {sluice,RateColumns} | {dotNet,RateColumns} |\n"));
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
