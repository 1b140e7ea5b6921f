using System.CommandLine;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The validated arguments of the `examples` command.</summary>
internal sealed record ExamplesOptions
{
    private const long MaxRecords = 10_000_000_000;
    /// <summary>The file to create and keep; null for a temporary file, which is removed.</summary>
    public string? File { get; init; }

    /// <summary>The number of records of 100 bytes.</summary>
    public long Count { get; init; } = 1_000_000;

    public int Rounds { get; init; } = 5;

    public IReadOnlyList<ExampleCase> Cases { get; init; } = ExampleCases.All;

    /// <summary>The case whose code is printed instead of a measurement; null to measure.</summary>
    public ExampleCase? Show { get; init; }

    /// <summary>True to print the names of the cases instead of measuring.</summary>
    public bool List { get; init; }

    public bool Force { get; init; }

    public bool Quiet { get; init; }

    public PageOutput Output { get; init; } = new();

    /// <summary>Adds the options of `examples` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, ExamplesOptions> Define(OptionList command)
    {
        Argument<string?> fileArgument =
            command.OptionalArgument("FILE", "The file to make, which stays (a temporary one, which is removed).");
        Argument<string?> count = command.OptionalArgument("COUNT",
            "Records of 100 bytes in it (1000000). The original form: examples FILE COUNT.");
        Option<string> countOption = command.Value("--count", null, "N", "The same as COUNT, without a FILE (1000000).");
        Option<string> rounds = command.Rounds();
        Option<string> cases = command.Value("--case", null, "names",
            "Only these, separated by commas; a part of a name stands for all that have it (all).");
        Option<bool> list = command.Flag("--list", null, "List the cases.");
        Option<string> show = command.Value("--show", null, "case", "Print the code of a case (none).");
        Option<bool> quiet = command.Flag("--quiet", "q", "Show no progress.");
        Option<bool> force = command.Flag("--force", null, "Replace a FILE that is there without asking.");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        ExamplesOptions Bind(ParseResult result)
        {
            string? file = result.GetValue(fileArgument);
            string? counted = result.GetValue(count);
            string? option = result.GetValue(countOption);
            if (file is "")
                throw new UsageException("FILE is empty");
            if (counted is not null && option is not null)
                throw new UsageException("COUNT and --count are the same: give one");
            PageOutput results = output(result);
            if ((result.GetValue(list) || result.GetValue(show) is not null) && results.Named.Count > 0)
                throw new UsageException("--list and --show measure nothing: there is no result to write");
            var options = new ExamplesOptions();
            return options with
            {
                File = file,
                Count = OptionText.Whole("--count", counted ?? option, 1, MaxRecords) ?? options.Count,
                Rounds = OptionText.Rounds(result.GetValue(rounds), options.Rounds),
                Cases = result.GetValue(cases) is { } names ? OptionText.Matching("--case", names, options.Cases, c => c.Name) : options.Cases,
                Show = result.GetValue(show) is { } name ? OptionText.Matching("--show", name, options.Cases, c => c.Name)[0] : null,
                List = result.GetValue(list),
                Force = result.GetValue(force),
                Quiet = result.GetValue(quiet),
                Output = results,
            };
        }
    }
}
