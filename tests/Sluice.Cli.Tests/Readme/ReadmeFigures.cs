using System.Globalization;
using System.Text;
using System.Text.Json;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Readme;

/// <summary>The table of README.md, made from a kept result of `sluice bench --json`.</summary>
internal static class ReadmeFigures
{
    private const int RowColumns = EverydaySuite.MaxNameLength;
    private const int RatioColumns = 16;
    private const int RateColumns = 10;
    private const int MaxColumns = 80;

    public const string Begin = "<!-- figures:begin -->";

    public const string End = "<!-- figures:end -->";

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
    public static string Replace(string page, string block)
    {
        int begin = page.IndexOf(Begin, StringComparison.Ordinal);
        int end = page.IndexOf(End, StringComparison.Ordinal);
        return begin < 0 || end < begin
            ? throw new InvalidDataException($"The page lacks the markers {Begin} and {End}.")
            : $"{page[..(begin + Begin.Length)]}\n{block}{page[end..]}";
    }

    private static string Machine(BenchReport report)
    {
        EnvironmentRecord machine = report.Environment;
        return Line($"Measured {report.Started:yyyy-MM-dd} on {machine.Processor}, {machine.ProcessorCount} processors, ")
            + Line($"{machine.FileSystem} on {machine.Device}, kernel {machine.Kernel}, {machine.Runtime}, engine {machine.Engine}, ");
    }

    public static BenchReport Read(string path)
    {
        using FileStream json = File.OpenRead(path);
        return JsonSerializer.Deserialize(json, BenchJsonContext.Default.BenchReport)
            ?? throw new InvalidDataException($"{path} is empty.");
    }

    private static string Line(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
