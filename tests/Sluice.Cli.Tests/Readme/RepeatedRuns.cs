using System.Globalization;
using System.Text;
using Sluice.Cli.Bench;

namespace Sluice.Cli.Tests.Readme;

/// <summary>
/// The block of docs/figures.md about several whole runs of one machine: how far their ratios lie apart, and the rows whose intervals have
/// no ratio in common.
/// </summary>
internal static class RepeatedRuns
{
    /// <summary>Its name between the markers.</summary>
    public const string Block = "runs";

    /// <summary>The folders of the machine with the most runs, the first one first: they end in the number of the run.</summary>
    /// <param name="results">The folder of all kept results.</param>
    public static string[] Find(string results) =>
        Directory.GetDirectories(results)
            .Where(static folder => char.IsAsciiDigit(folder[^1]))
            .GroupBy(static folder => folder[..(folder.LastIndexOf('-') + 1)])
            .OrderByDescending(static runs => runs.Count()).ThenBy(static runs => runs.Key, StringComparer.Ordinal)
            .First().Order(StringComparer.Ordinal).ToArray();

    /// <summary>The text and the table.</summary>
    /// <param name="runs">All reports of each run.</param>
    public static string Make(IReadOnlyList<IReadOnlyList<BenchReport>> runs)
    {
        RowReport[][] rows =
        [
            .. runs[0].SelectMany(report => report.Rows)
                .Select(first => runs
                    .Select(run => run.SelectMany(report => report.Rows)
                        .FirstOrDefault(row => row.Suite == first.Suite && row.Id == first.Id)).ToArray())
                .Where(found => found.All(row => row is not null && ReadmeFigures.IntervalOf(row) is not null))
                .Select(found => found.Select(row => row!).ToArray()),
        ];
        RowReport[][] apart = [.. rows.Where(row => !Overlap(row))];
        double[] moved = [.. rows.Select(row => (row.Max(run => run.Ratio) / row.Min(run => run.Ratio)) - 1).Order()];
        StringBuilder text = new();
        text.Append(Line($"Of the {rows.Length} rows that have an interval in each of {runs.Count} runs, "))
            .Append(Line($"{rows.Length - apart.Length} have intervals with a ratio in common, {apart.Length} have not. "))
            .Append(Line($"Half of all ratios lie within {100 * Part(moved, 0.5):0} % of one another, nine in ten within "))
            .Append(Line($"{100 * Part(moved, 0.9):0} %.\n\n"))
            .Append(Line($"| suite | row |{string.Concat(runs.Select((_, n) => Line($" run {n + 1} |")))}\n"))
            .Append(Line($"|---|---|{string.Concat(runs.Select(_ => "---:|"))}\n"));
        foreach (RowReport[] row in apart)
        {
            text.Append(Line($"| `{row[0].Suite}` | {row[0].Name} |{string.Concat(row.Select(Cell))}\n"));
        }

        return text.ToString();
    }

    private static bool Overlap(RowReport[] row) =>
        row.Max(run => ReadmeFigures.IntervalOf(run)!.Value.Low) <= row.Min(run => ReadmeFigures.IntervalOf(run)!.Value.High);

    private static double Part(double[] sorted, double share) => sorted[(int)(share * (sorted.Length - 1))];

    private static string Cell(RowReport row)
    {
        (double low, double high) = ReadmeFigures.IntervalOf(row)!.Value;
        return Line($" {row.Ratio:0.00} ({low:0.00}-{high:0.00}) |");
    }

    private static string Line(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
