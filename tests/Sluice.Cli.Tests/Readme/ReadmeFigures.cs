using System.Globalization;
using System.Text;
using System.Text.Json;
using Sluice.Cli.Report;

namespace Sluice.Cli.Tests.Readme;

/// <summary>Tables of README.md and docs/figures.md, made from kept results of `sluice bench --json`.</summary>
internal static class ReadmeFigures
{
    private const string Header = "| | ratio | Sluice | .NET | CPU ratio | B/op, Sluice / .NET | to fio | |\n|---|---:|---:|---:|---:|---:|---:|---|\n";

    /// <summary>The rows of the first page: what each suite is about, won or lost; all others stand in docs/figures.md.</summary>
    public static readonly string[] Headlines =
    [
        "direct-read-4k-d1", "direct-read-4k-d32", "direct-read-4k-d128", "hot-read-4k-async", "cold-read-4k-d32", "overwrite-4k-async",
        "read-batch-128", "append-200-t64", "open-close", "stream-read-async-512", "stream-read-async-4096", "stream-read-async-16384",
        "stream-write-async-4096", "stream-write-async-16384", "stream-read-4096", "stream-write-4096", "stream-unbuffered-write-async-16384",
        "stream-file-read-1m", "stream-file-write-1m", "stream-file-read-1k", "stream-read-byte", "stream-read-line-async",
        "stream-copy-to-file", "stream-direct-read-async", "seq-read-direct", "seq-read-cached", "seq-write-direct", "seq-lines-bytes",
        "seq-scan", "files-read-hot", "files-read-cold", "files-write", "files-text-async-10mb", "copy-cold", "copy-durable", "copy-tree-nested",
        "copy-tree-flat", "enumerate-names", "enumerate-details", "replace-4k",
    ];

    /// <summary>Where a block begins; README.md has one, docs/figures.md one for each suite.</summary>
    public static string Begin(string suite) => suite.Length == 0 ? "<!-- figures:begin -->" : $"<!-- figures:begin {suite} -->";

    public static string End(string suite) => suite.Length == 0 ? "<!-- figures:end -->" : $"<!-- figures:end {suite} -->";

    /// <summary>The block of one suite, every row of it.</summary>
    /// <param name="report">The suite's kept result.</param>
    /// <param name="jsonPath">The kept result, as a link.</param>
    public static string Make(BenchReport report, string jsonPath)
    {
        StringBuilder text = new();
        text.Append(Machine(report))
            .Append(Line($"by `sluice bench`: [raw figures]({jsonPath}). "))
            .Append("Ratios are Sluice to .NET: above 1 Sluice is faster, or needs less CPU.\n\n")
            .Append(Header);
        foreach (RowReport row in report.Rows)
        {
            Append(text, row);
        }

        return text.ToString();
    }

    /// <summary>The block of the first page: the <see cref="Headlines"/> of all suites.</summary>
    public static string MakeHeadlines(IReadOnlyList<BenchReport> reports)
    {
        StringBuilder text = new();
        text.Append(Machine(reports[0])).Append("by `sluice bench`. Ratios are Sluice to .NET: above 1 Sluice is faster, or needs less CPU. ");
        RowReport[] rows = [.. reports.SelectMany(report => report.Rows)];
        RowReport[] withTargets = [.. rows.Where(row => row.Targets.Count > 0)];
        int reached = withTargets.Count(row => row.Targets.All(target => target.Reached));
        text.Append(Line($"{reached} of {withTargets.Length} rows reach the target that was set for them; [every row](docs/figures.md).\n\n"))
            .Append(Header);
        foreach (RowReport row in rows.Where(row => Headlines.Contains(row.Id)))
        {
            Append(text, row with { Second = null });
        }

        return text.ToString();
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
        text.Append(Line($"| {row.Name} | {Ratio(row.Ratio)} | {Rate(row.Sluice.Rate)} {row.Unit} | {Rate(row.DotNet.Rate)} {row.Unit} "))
            .Append(Line($"| {Ratio(row.CpuRatio)} "))
            .Append(Line($"| {Bytes(row.Sluice.AllocatedBytesPerOperation)} / {Bytes(row.DotNet.AllocatedBytesPerOperation)} "))
            .Append(Line($"| {(row.FioRatio is { } fio ? Ratio(fio) : "")} | {Verdict(row)} |\n"));
        if (row.Second is { } second && row.SecondRatio is { } ratio)
        {
            text.Append(Line($"| - to {second.Name} | {Ratio(ratio)} | | {Rate(second.Rate)} {row.Unit} | | | | |\n"));
        }
    }

    public static BenchReport Read(string path)
    {
        using FileStream json = File.OpenRead(path);
        return JsonSerializer.Deserialize(json, ReportJsonContext.Default.BenchReport) ?? throw new InvalidDataException($"{path} is empty.");
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
