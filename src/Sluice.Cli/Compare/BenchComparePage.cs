using System.Globalization;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Compare;

/// <summary>Compares two runs of `bench`, with a summary of the changes in words.</summary>
internal static class BenchComparePage
{
    /// <summary>The confidence that no row is called changed because of the variation of the rounds within each run.</summary>
    public const double OverallConfidence = 0.95;

    // The maximum number of rows that the summary names.
    private const int MaxNamed = 5;

    /// <returns>Null if the runs have no row in common.</returns>
    public static IReadOnlyList<PageSection>? Sections(BenchReport before, BenchReport after)
    {
        var byKey = before.Rows.ToDictionary(r => (r.Suite, r.Id));
        (RowReport Before, RowReport After)[] pairs =
        [
            .. after.Rows.Where(r => byKey.TryGetValue((r.Suite, r.Id), out RowReport? other) && other.Unit == r.Unit)
                .Select(r => (byKey[(r.Suite, r.Id)], r)),
        ];
        if (pairs.Length == 0)
            return null;
        // Bonferroni: with many rows, some would be outside a 95 % interval by chance.
        double confidence = 1 - (1 - OverallConfidence) / pairs.Length;
        RowChange[] rows = [.. pairs.Select(p => RowChange.Of(p.Before, p.After, confidence))];
        var seen = pairs.Select(p => (p.After.Suite, p.After.Id)).ToHashSet();
        string[] only =
        [
            .. Only(before.Rows, "in the first run only"),
            .. Only(after.Rows, "in the second run only, or with another unit there"),
        ];
        IEnumerable<string> Only(IEnumerable<RowReport> all, string where)
        {
            string[] names = [.. all.Where(r => !seen.Contains((r.Suite, r.Id))).Select(r => r.Name)];
            string more = names.Length > MaxNamed ? $", and {names.Length - MaxNamed} more" : "";
            if (names.Length > 0)
                yield return $"{Counted.Of(names.Length, "row is", "rows are")} {where}: {string.Join(", ", names.Take(MaxNamed))}{more}.";
        }
        string[] quick = before.Quick || after.Quick ? ["A quick run is among them: its figures mean nothing."] : [];
        return
        [
            new PageSection
            {
                Heading = "What changed",
                Text = string.Join('\n', [.. quick, .. Words(rows), .. only]),
            },
            new PageSection
            {
                Heading = "Row by row",
                Charts = [Chart(rows)],
                Tables = [Table(rows)],
            },
        ];
    }

    private static IEnumerable<string> Words(RowChange[] rows)
    {
        int changed = rows.Count(r => r.Verdict is RowVerdict.Faster or RowVerdict.Slower);
        int unknown = rows.Count(r => r.Verdict == RowVerdict.Unknown);
        if (changed > 0)
            yield return $"{changed} of {Counted.Of(rows.Length, "row")} changed beyond noise against .NET.";
        else if (rows.Length > unknown)
            yield return $"Against .NET nothing changed beyond noise in {Counted.Of(rows.Length - unknown, "row")}.";
        foreach (RowChange row in rows.Where(r => r.Verdict == RowVerdict.Faster).OrderByDescending(r => r.Sides!.Ratio))
            yield return $"Faster: {Describe(row)}";
        foreach (RowChange row in rows.Where(r => r.Verdict == RowVerdict.Slower).OrderBy(r => r.Sides!.Ratio))
            yield return $"Slower: {Describe(row)}";
        RowChange[] machine = [.. rows.Where(r => r.Verdict == RowVerdict.Machine)];
        if (machine.Length > 0)
        {
            yield return $"In {Counted.Of(machine.Length, "row")} Sluice and .NET changed alike, "
                + "which is the machine's or the disk's doing: "
                + string.Join(", ", machine.Select(r => $"{r.After.Name} ({Factor(r.Sluice!.Ratio)})")) + ".";
        }
        if (unknown > 0)
        {
            yield return $"In {Counted.Of(unknown, "row")} the rounds are too few, or too far apart, to tell: "
                + "even twice as much could be chance.";
        }
    }

    // Returns the interval, or null if there is no verdict.
    private static RatioInterval? Told(RowChange row) => row.Verdict == RowVerdict.Unknown ? null : row.Sides;

    private static string Describe(RowChange row) =>
        $"{row.After.Name}: {Factor(row.Sides!.Ratio)} against .NET ({Factor(row.Sides.Low)} to {Factor(row.Sides.High)}); "
        + $"Sluice itself {Factor(row.Sluice?.Ratio)}, .NET {Factor(row.DotNet?.Ratio)}.";

    private static string Factor(double? ratio) =>
        ratio is { } r ? $"x{r.ToString(Math.Abs(r - 1) < 0.1 ? "0.000" : "0.00", CultureInfo.InvariantCulture)}" : "unknown";

    private static string Name(RowVerdict verdict) => verdict switch
    {
        RowVerdict.Faster => "faster",
        RowVerdict.Slower => "slower",
        RowVerdict.Machine => "both sides alike",
        RowVerdict.Unknown => "cannot be told",
        _ => "",
    };

    private static PageChart Chart(RowChange[] rows) => new()
    {
        Title = "Sluice's ratio to .NET, the second run over the first",
        Kind = ChartKind.Bar,
        X = new ChartAxis("row", Categories: [.. rows.Select(r => r.After.Name)]),
        Y = new ChartAxis("times the first run's", IsLog: true),
        Series =
        [
            new ChartSeries
            {
                Name = "Sluice against .NET, second run to first",
                Y = [.. rows.Select(r => Told(r)?.Ratio)],
                Low = [.. rows.Select(r => Told(r)?.Low)],
                High = [.. rows.Select(r => Told(r)?.High)],
            },
        ],
        Reference = new ChartLine(1, "as in the first run"),
    };

    private static PageTable Table(RowChange[] rows) => new()
    {
        Columns =
        [
            PageColumn.Text("row"), PageColumn.Text("beyond noise"), new PageColumn("ratio, first"), new PageColumn("ratio, second"),
            new PageColumn("change"), new PageColumn("from"), new PageColumn("to"),
            new PageColumn("Sluice, first"), new PageColumn("Sluice, second"), new PageColumn("Sluice, change"),
            new PageColumn(".NET, first"),
            new PageColumn(".NET, second"), new PageColumn(".NET, change"), PageColumn.Text("unit"),
        ],
        Rows =
        [
            .. rows.Select(r => new PageRow(
                r.After.Name, Name(r.Verdict), PageCell.Ratio(r.Before.Ratio), PageCell.Ratio(r.After.Ratio),
                PageCell.Ratio(r.Sides?.Ratio),
                PageCell.Ratio(Told(r)?.Low), PageCell.Ratio(Told(r)?.High), r.Before.Sluice.Rate, r.After.Sluice.Rate,
                PageCell.Ratio(r.Sluice?.Ratio), r.Before.DotNet.Rate, r.After.DotNet.Rate, PageCell.Ratio(r.DotNet?.Ratio), r.After.Unit)
            {
                Key = r.After.Id,
            }),
        ],
    };
}
