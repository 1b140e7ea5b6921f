using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The validated arguments of the `bench` command.</summary>
/// <param name="SuiteName">
/// The name of a suite, or <see cref="Suite.AllName"/>. Null for the suite everyday, unless <see cref="Full"/> or a row filter is given.
/// </param>
/// <param name="RowFilter">The text that the ids of the selected rows contain; null for all rows.</param>
/// <param name="Full">True to run all suites at full length.</param>
internal sealed record BenchOptions(
    string Directory, string? SuiteName = null, string? RowFilter = null, bool Quick = false, bool Full = false)
{
    private const double QuickSecondsOfRow = 0.5;

    /// <summary>True if rows of the suite everyday are selected, which have their own scale and text output.</summary>
    public bool IsEveryday => SelectRows().Any(static r => r.Suite.Name == EverydaySuite.Name);

    public BenchScale Scale => Quick ? BenchScale.Quick : IsEveryday ? BenchScale.Everyday : BenchScale.Full;

    /// <summary>The expected duration, in seconds.</summary>
    public double Seconds => Quick ? SelectRows().Count * QuickSecondsOfRow : SelectRows().Sum(static r => r.Suite.SecondsOfRow);

    public IReadOnlyList<Suite> SelectSuites() => SuiteName switch
    {
        null when RowFilter is null && !Full => [.. Suite.All.Where(static s => s.Name == EverydaySuite.Name)],
        null or Suite.AllName => [.. Suite.All.Where(static s => s.Name != EverydaySuite.Name)],
        _ => [.. Suite.All.Where(s => s.Name == SuiteName)],
    };

    /// <summary>Returns the selected rows. If no suite is named and no other row matches, those of everyday are included.</summary>
    public IReadOnlyList<(Suite Suite, Row Row)> SelectRows()
    {
        IReadOnlyList<(Suite, Row)> rows = RowsOf(SelectSuites());
        return rows.Count == 0 && SuiteName is null ? RowsOf(Suite.All) : rows;
    }

    private IReadOnlyList<(Suite Suite, Row Row)> RowsOf(IReadOnlyList<Suite> suites) =>
    [
        .. from suite in suites
           from row in suite.Rows
           where RowFilter is null || row.Id.Contains(RowFilter, StringComparison.Ordinal)
           select (suite, row),
    ];

    /// <summary>Adds the options of `bench` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, BenchOptions> Define(OptionList command)
    {
        Func<ParseResult, string> directory = command.ScratchParent();
        Option<string> suite = command.Value("--suite", null, "name",
            $"What to run: {string.Join(", ", Suite.All.Select(s => s.Name))} or {Suite.AllName} ({EverydaySuite.Name}).");
        Option<string> row = command.Value("--row", null, "text",
            "Only rows whose id contains this text; without --suite, of all suites, but of everyday only if no other suite has such a "
                + "row (all rows of the suite).");
        Option<bool> quick = command.Flag("--quick", null,
            "Five very short rounds of the same rows on small files: checks that they work; the values are not meaningful.");
        Option<bool> full = command.Flag("--full", null,
            $"All suites but everyday, as --suite {Suite.AllName}, about {MinutesOfAll} minutes (the suite everyday, at most two minutes).");
        return Bind;

        BenchOptions Bind(ParseResult result)
        {
            var options = new BenchOptions(
                directory(result), result.GetValue(suite), result.GetValue(row), result.GetValue(quick), result.GetValue(full));
            if (options.Quick && options.Full)
                throw new UsageException("--quick and --full exclude each other");
            if (options.SuiteName is { } name && name != Suite.AllName && Suite.All.All(s => s.Name != name))
                throw new UsageException(
                    $"no suite '{name}'; there is {string.Join(", ", Suite.All.Select(s => s.Name))} or {Suite.AllName}");
            if (options.RowFilter is { } filter && options.SelectRows().Count == 0)
                throw new UsageException($"no row's id contains '{filter}'; ids are such as {options.SelectSuites()[0].Rows[0].Id}");
            return options;
        }
    }

    private static int MinutesOfAll => Suite.All.Where(static s => s.Name != EverydaySuite.Name).Sum(static s => s.Minutes);
}
