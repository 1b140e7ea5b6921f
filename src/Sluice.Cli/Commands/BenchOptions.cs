using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `bench` command line.</summary>
internal sealed record BenchOptions(string Directory)
{
    /// <summary>A suite's name, or <see cref="Suite.AllName"/>, which null also stands for.</summary>
    public string? SuiteName { get; init; }

    /// <summary>Only rows whose id contains this.</summary>
    public string? RowFilter { get; init; }

    public PageOutput Output { get; init; } = new();

    public bool Quick { get; init; }

    /// <summary>Everything at its usual length, though nothing was picked.</summary>
    public bool Full { get; init; }

    /// <summary>
    /// Whether it is the short form of all suites: the whole takes half an hour, which nobody expects of a bare command.
    /// </summary>
    public bool IsShort => SuiteName is null && RowFilter is null && !Full && !Quick;

    public BenchScale Scale => Quick ? BenchScale.Quick : IsShort ? BenchScale.Short : BenchScale.Full;

    public IReadOnlyList<Suite> SelectSuites() => SuiteName switch
    {
        null or Suite.AllName => [.. Suite.All.Where(static s => !s.IsOnRequest)],
        _ => [.. Suite.All.Where(s => s.Name == SuiteName)],
    };

    /// <summary>
    /// Rows of suites on request too, where no suite is named, but only if no other row is meant: a part of a name is no request.
    /// </summary>
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
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, BenchOptions> Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR",
            "Where to make the scratch folder, which decides the disk that is measured (the temporary folder).");
        Option<string> suite = command.Value("--suite", null, "name", SuiteHelp());
        Option<string> row = command.Value("--row", null, "text",
            "Run only the rows whose id contains this text, of every suite if none is named, of remote if no other has it (all rows).");
        Option<bool> quick = command.Quick();
        Option<bool> full = command.Flag("--full", null,
            "All suites at their usual length; without it and without --suite or --row, a short form of all, about four minutes.");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        BenchOptions Bind(ParseResult result)
        {
            var options = new BenchOptions(result.GetValue(directory) ?? Path.GetTempPath())
            {
                SuiteName = result.GetValue(suite),
                RowFilter = result.GetValue(row),
                Output = output(result),
                Quick = result.GetValue(quick),
                Full = result.GetValue(full),
            };
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

    private static string SuiteHelp()
    {
        IEnumerable<string> suites = Suite.All.Select(
            s => $"{s.Name} ({s.Description}, about {s.TimeOfFullRun}{(s.IsOnRequest ? ", not among all" : "")})");
        return $"What to run, at its usual length: {string.Join(", ", suites)} or {Suite.AllName} (a short form of all).";
    }
}
