using System.Globalization;
using System.Text;
using System.Text.Json;
using Sluice.Cli.Report;

namespace Sluice.Cli.Tests.Readme;

/// <summary>The README's table, made from one kept result of `sluice bench --json`.</summary>
internal static class ReadmeFigures
{
    public const string Begin = "<!-- figures:begin -->";
    public const string End = "<!-- figures:end -->";

    /// <summary>The block between the markers.</summary>
    /// <param name="jsonPath">The kept result, from the root of the repository, with forward slashes.</param>
    public static string Make(BenchReport report, string jsonPath)
    {
        EnvironmentRecord machine = report.Environment;
        StringBuilder text = new();
        text.Append(Line($"Measured {report.Started:yyyy-MM-dd} on {machine.Processor}, {machine.ProcessorCount} processors, "))
            .Append(Line($"{machine.FileSystem} on {machine.Device}, kernel {machine.Kernel}, {machine.Runtime}, engine {machine.Engine}, "))
            .Append(Line($"by `sluice bench`: [raw figures]({jsonPath}). "))
            .Append("Ratios are Sluice to .NET: above 1 Sluice is faster, or needs less CPU.\n\n")
            .Append("| | ratio | Sluice | .NET | CPU ratio | B/op, Sluice / .NET | to fio | |\n")
            .Append("|---|---:|---:|---:|---:|---:|---:|---|\n");
        foreach (RowReport row in report.Rows)
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

        return text.ToString();
    }

    /// <summary>The README with the block between its markers replaced.</summary>
    public static string Replace(string readme, string block)
    {
        int begin = readme.IndexOf(Begin, StringComparison.Ordinal);
        int end = readme.IndexOf(End, StringComparison.Ordinal);
        return begin < 0 || end < begin
            ? throw new InvalidDataException($"README.md lacks the markers {Begin} and {End}.")
            : $"{readme[..(begin + Begin.Length)]}\n{block}{readme[end..]}";
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
