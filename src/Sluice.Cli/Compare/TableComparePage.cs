using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Compare;

/// <summary>
/// Compares two pages of the same command: every number in the rows that both have. Numbers of several rounds have an interval, and the
/// changes whose interval does not contain 1 are described in words.
/// </summary>
internal static class TableComparePage
{
    // The maximum number of changes in the summary. The table lists all of them.
    private const int MaxWords = 20;

    private const double OverallConfidence = 0.95;

    /// <returns>The sections; null if the pages have no number in common.</returns>
    public static IReadOnlyList<PageSection>? Sections(ReportPage before, ReportPage after)
    {
        (PageSection Section, (PageTable Table, NumberPair[] Numbers)[] Tables)[] pairs =
        [
            .. from second in after.Sections
               let first = before.Sections.FirstOrDefault(s => s.Heading == second.Heading)
               where first is not null
               let tables = Pair(first, second)
               where tables.Length > 0
               select (second, tables),
        ];
        NumberPair[] numbers = [.. pairs.SelectMany(p => p.Tables).SelectMany(t => t.Numbers)];
        if (numbers.Length == 0)
            return null;
        // The Bonferroni correction: with many values, some would be outside a 95 % interval by chance.
        double confidence = 1 - ((1 - OverallConfidence) / Math.Max(1, numbers.Count(n => n.HasSamples)));
        return
        [
            new PageSection { Heading = "What changed", Text = string.Join('\n',
                Words(pairs.SelectMany(p => p.Tables.SelectMany(t => t.Numbers.Select(n => (p.Section, n)))), confidence)) },
            .. pairs.Select(p => new PageSection { Heading = p.Section.Heading,
                Tables = [.. p.Tables.Select(t => Table(t.Table, t.Numbers, confidence))] }),
        ];
    }

    private static (PageTable Table, NumberPair[] Numbers)[] Pair(PageSection before, PageSection after) =>
    [
        .. after.Tables.Select((t, i) => (After: t, Before: Match(before, t, i))).Where(p => p.Before is not null)
            .Select(p => (p.After, Numbers: Pair(p.Before!, p.After))).Where(p => p.Numbers.Length > 0),
    ];

    private static PageTable? Match(PageSection section, PageTable table, int index) =>
        table.Title is { } title ? section.Tables.FirstOrDefault(t => t.Title == title) : section.Tables.ElementAtOrDefault(index);

    private static NumberPair[] Pair(PageTable before, PageTable after)
    {
        var byKey = before.Rows.GroupBy(KeyOf, StringComparer.Ordinal).Where(g => g.Key.Length > 0)
            .ToDictionary(g => g.Key, g => g.First());
        (int Before, int After)[] columns =
        [
            .. after.Columns.Index().Where(c => c.Item.Kind == ColumnKind.Number)
                .Select(c => (Before: before.Columns.ToList().IndexOf(c.Item), After: c.Index)).Where(c => c.Before >= 0),
        ];
        return
        [
            .. from row in after.Rows
               where byKey.ContainsKey(KeyOf(row))
               from column in columns
               let a = byKey[KeyOf(row)].CellAt(column.Before)
               let b = row.CellAt(column.After)
               where a.Value is not null && b.Value is not null
               select new NumberPair(KeyOf(row), row.Key ?? NameOf(row), after.Columns[column.After].Header, a, b),
        ];
    }

    private static IEnumerable<string> Words(IEnumerable<(PageSection Section, NumberPair Number)> numbers, double confidence)
    {
        (PageSection Section, NumberPair Number, RatioInterval? Interval)[] sampled =
            [.. numbers.Where(n => n.Number.HasSamples).Select(n => (n.Section, n.Number, n.Number.Interval(confidence)))];
        if (sampled.Length == 0)
        {
            yield return "No figure is of several rounds in both runs: what of a change is noise, only more rounds or more runs tell.";
            yield break;
        }
        (PageSection Section, NumberPair Number, RatioInterval? Interval)[] changed =
        [
            .. sampled.Where(s => s.Interval is { } i && (i.IsAbove || i.IsBelow))
                .OrderByDescending(s => Math.Abs(Math.Log(s.Interval!.Ratio))),
        ];
        int untold = sampled.Count(s => s.Interval is not { IsTooWide: false });
        int told = sampled.Length - untold;
        if (changed.Length > 0)
            yield return $"{changed.Length} of {Counted.Of(sampled.Length, "figure")} changed beyond noise.";
        else if (told > 0)
            yield return $"Nothing changed beyond noise in {Counted.Of(told, "figure")}.";
        foreach ((PageSection section, NumberPair number, RatioInterval? interval) in changed.Take(MaxWords))
        {
            yield return $"{section.Heading}: {number.Row}, {number.Figure}: {(interval!.IsAbove ? "higher" : "lower")}, "
                + $"{Factor(interval.Ratio)} ({Factor(interval.Low)} to {Factor(interval.High)}).";
        }
        if (changed.Length > MaxWords)
            yield return $"{changed.Length - MaxWords} smaller changes are in the tables.";
        if (untold > 0)
        {
            yield return $"In {Counted.Of(untold, "figure")} the rounds are too few ({sampled.Min(s => s.Number.MinRounds)} and more), "
                + $"or too far apart, to tell: even twice as much could be chance. More --rounds tell more, where the command has them.";
        }
    }

    private static PageTable Table(PageTable table, IReadOnlyList<NumberPair> numbers, double confidence) => new()
    {
        Title = table.Title,
        Columns =
        [
            PageColumn.Text("row"), PageColumn.Text("figure"), "first run", "second run",
            "second to first",
            "from", "to", PageColumn.Text("beyond noise"),
        ],
        Rows = [.. numbers.Select(n => Row(n, n.Interval(confidence)))],
    };

    private static PageRow Row(NumberPair number, RatioInterval? interval)
    {
        RatioInterval? told = interval is { IsTooWide: false } ? interval : null;
        string verdict = !number.HasSamples ? ""
            : told is null ? "cannot be told"
            : told.IsAbove ? "higher"
            : told.IsBelow ? "lower" : "no";
        return new PageRow(
            number.Row, number.Figure, number.Before with { Samples = null }, number.After with { Samples = null },
            number.Before.Value > 0 ? PageCell.Ratio(number.After.Value / number.Before.Value) : PageCell.Empty,
            Limit(told?.Low), Limit(told?.High), verdict)
        {
            Key = $"{number.Key} {number.Figure}",
        };
    }

    // Ratios close to 1 have three decimals, so that a bound of 0.997 is not printed as 1.00.
    private static string FormatOf(double ratio) => Math.Abs(ratio - 1) < 0.1 ? "0.000" : "0.00";

    private static PageCell Limit(double? ratio) => ratio is { } r ? PageCell.Of(r, FormatOf(r)) : PageCell.Empty;

    private static string Factor(double ratio) => $"x{Limit(ratio).Text}";

    private static string KeyOf(PageRow row) => row.Key ?? NameOf(row);

    private static string NameOf(PageRow row) => row.CellAt(0).Text;

    /// <summary>A number in both runs.</summary>
    private sealed record NumberPair(string Key, string Row, string Figure, PageCell Before, PageCell After)
    {
        public bool HasSamples => Before.Samples is { Count: > 1 } && After.Samples is { Count: > 1 };

        public int MinRounds => Math.Min(Before.Samples!.Count, After.Samples!.Count);

        public RatioInterval? Interval(double confidence) => HasSamples ? RatioInterval.Of(Before.Samples!, After.Samples!, confidence)
            : null;
    }
}
