using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Compare;

/// <summary>
/// Compares two results of one command: every number in the rows that both have. Numbers of several rounds have an interval, and the
/// changes whose interval does not contain 1 are described in words.
/// </summary>
internal static class ComparePage
{
    // The maximum number of changes in the summary. The table lists all of them.
    private const int MaxWords = 20;

    private const double OverallConfidence = 0.95;

    /// <exception cref="UsageException">The results have no row in common.</exception>
    public static ReportPage Of(ResultFile before, ResultFile after, IReadOnlyList<string> arguments)
    {
        IReadOnlyList<PageSection> sections = Sections(before.Page, after.Page)
            ?? throw new UsageException($"{before.Path} and {after.Path} have no row in common");
        return new ReportPage
        {
            Title = "Two runs, side by side",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = DateTimeOffset.UtcNow,
            Environment = after.Page.Environment,
            Notes =
            [
                $"first run: {before.Path}, {before.Page.Began.UtcDateTime:yyyy-MM-dd HH:mm} UTC, {before.Page.CommandLine}",
                $"second run: {after.Path}, {after.Page.Began.UtcDateTime:yyyy-MM-dd HH:mm} UTC, {after.Page.CommandLine}",
                .. EnvironmentNotes(before.Page.Environment, after.Page.Environment),
                $"a change is the second run over the first; its interval is Welch's on the "
                    + $"logarithms of the rounds, widened for the number of figures; it knows how much the rounds within each run differ, "
                    + $"and not how much this machine and disk differ from run to run: compare two runs of one program to see that; "
                    + $"figures of one round, and those that are no medians of rounds, have none",
            ],
            Sections = sections,
        };
    }

    // Free space is left out, because it always changes and explains no difference.
    private static IEnumerable<string> EnvironmentNotes(EnvironmentRecord? before, EnvironmentRecord? after)
    {
        if (before is null || after is null)
            yield break;
        foreach (((string label, string first), (_, string second)) in
            (before with { FreeBytes = null }).Facts().Zip((after with { FreeBytes = null }).Facts()).Where(f => f.First != f.Second))
        {
            yield return $"the {label} differs: {first}, then {second}";
        }
    }

    /// <returns>The sections; null if the pages have no number in common.</returns>
    private static IReadOnlyList<PageSection>? Sections(ReportPage before, ReportPage after)
    {
        NumberPair[] numbers =
        [
            .. from second in after.Sections
               let first = before.Sections.FirstOrDefault(s => s.Heading == second.Heading)
               where first is not null
               from table in second.Tables.Index()
               let earlier = Match(first, table.Item, table.Index)
               where earlier is not null
               from number in Pair(second.Heading, earlier, table.Item)
               select number,
        ];
        if (numbers.Length == 0)
            return null;
        // The Bonferroni correction: with many values, some would be outside a 95 % interval by chance.
        double confidence = 1 - ((1 - OverallConfidence) / Math.Max(1, numbers.Count(n => n.HasSamples)));
        foreach (NumberPair number in numbers.Where(n => n.HasSamples))
            number.Interval = RatioInterval.Of(number.Before.Samples!, number.After.Samples!, confidence);
        return
        [
            new PageSection { Heading = "What changed", Text = string.Join('\n', Words([.. numbers.Where(n => n.HasSamples)])) },
            .. numbers.GroupBy(n => n.Section).Select(section => new PageSection
            {
                Heading = section.Key,
                Tables = [.. section.GroupBy(n => n.Table).Select(table => Table(table.Key, table))],
            }),
        ];
    }

    private static PageTable? Match(PageSection section, PageTable table, int index) =>
        table.Title is { } title ? section.Tables.FirstOrDefault(t => t.Title == title) : section.Tables.ElementAtOrDefault(index);

    private static IEnumerable<NumberPair> Pair(string section, PageTable before, PageTable after)
    {
        var byKey = before.Rows.GroupBy(KeyOf, StringComparer.Ordinal).Where(g => g.Key.Length > 0)
            .ToDictionary(g => g.Key, g => g.First());
        (int Before, int After)[] columns =
        [
            .. after.Columns.Index().Where(c => c.Item.Kind == ColumnKind.Number)
                .Select(c => (Before: before.Columns.ToList().IndexOf(c.Item), After: c.Index)).Where(c => c.Before >= 0),
        ];
        return
            from row in after.Rows
            where byKey.ContainsKey(KeyOf(row))
            from column in columns
            let a = byKey[KeyOf(row)].CellAt(column.Before)
            let b = row.CellAt(column.After)
            where a.Value is not null && b.Value is not null
            select new NumberPair(section, after, KeyOf(row), after.Columns[column.After].Header, a, b);
    }

    /// <param name="sampled">The numbers of several rounds.</param>
    private static IEnumerable<string> Words(NumberPair[] sampled)
    {
        if (sampled.Length == 0)
        {
            yield return "No figure is of several rounds in both runs: what of a change is noise, only more rounds or more runs tell.";
            yield break;
        }
        NumberPair[] changed =
        [
            .. sampled.Where(n => n.Interval is { } i && (i.IsAbove || i.IsBelow))
                .OrderByDescending(n => Math.Abs(Math.Log(n.Interval!.Ratio))),
        ];
        int untold = sampled.Count(n => n.Interval is not { IsTooWide: false });
        int told = sampled.Length - untold;
        if (changed.Length > 0)
            yield return $"{changed.Length} of {Counted.Of(sampled.Length, "figure")} changed beyond noise.";
        else if (told > 0)
            yield return $"Nothing changed beyond noise in {Counted.Of(told, "figure")}.";
        foreach (NumberPair number in changed.Take(MaxWords))
        {
            RatioInterval interval = number.Interval!;
            yield return $"{number.Section}: {number.Row}, {number.Figure}: {(interval.IsAbove ? "higher" : "lower")}, "
                + $"{Factor(interval.Ratio)} ({Factor(interval.Low)} to {Factor(interval.High)}).";
        }
        if (changed.Length > MaxWords)
            yield return $"{changed.Length - MaxWords} smaller changes are in the tables.";
        if (untold > 0)
        {
            yield return $"In {Counted.Of(untold, "figure")} the rounds are too few ({sampled.Min(n => n.MinRounds)} and more), "
                + $"or too far apart, to tell: even twice as much could be chance. More --rounds tell more, where the command has them.";
        }
    }

    private static PageTable Table(PageTable table, IEnumerable<NumberPair> numbers) => new(
        [
            // A narrow terminal shows the first columns that fit.
            PageColumn.Text("row"), PageColumn.Text("figure"), "second to first", PageColumn.Text("beyond noise"), "first run", "second run",
            "from", "to",
        ],
        [.. numbers.Select(Row)])
    {
        Title = table.Title,
    };

    private static PageRow Row(NumberPair number)
    {
        RatioInterval? told = number.Interval is { IsTooWide: false } interval ? interval : null;
        string verdict = !number.HasSamples ? ""
            : told is null ? "cannot be told"
            : told.IsAbove ? "higher"
            : told.IsBelow ? "lower" : "no";
        return new PageRow(
            number.Row, number.Figure, number.Before.Value > 0 ? PageCell.Ratio(number.After.Value / number.Before.Value) : PageCell.Empty,
            verdict, number.Before with { Samples = null }, number.After with { Samples = null }, Limit(told?.Low), Limit(told?.High))
        {
            Key = $"{number.Row} {number.Figure}",
        };
    }

    // Ratios close to 1 have three decimals, so that a bound of 0.997 is not printed as 1.00.
    private static PageCell Limit(double? ratio) =>
        PageCell.Of(ratio, ratio is { } r && Math.Abs(r - 1) < 0.1 ? "0.000" : "0.00");

    private static string Factor(double ratio) => $"x{Limit(ratio).Text}";

    private static string KeyOf(PageRow row) => row.Key ?? row.CellAt(0).Text;

    /// <summary>A number in both runs.</summary>
    /// <param name="Table">The table of the second run.</param>
    private sealed record NumberPair(string Section, PageTable Table, string Row, string Figure, PageCell Before, PageCell After)
    {
        public bool HasSamples => Before.Samples is { Count: > 1 } && After.Samples is { Count: > 1 };

        public int MinRounds => Math.Min(Before.Samples!.Count, After.Samples!.Count);

        /// <summary>The interval of the ratio; null if the numbers have too few rounds for one.</summary>
        public RatioInterval? Interval { get; set; }
    }
}
