using System.CommandLine;
using System.Globalization;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `examples` as the parser knows them, and their way into checked values.</summary>
internal sealed class ExamplesArguments
{
    private const long MostRecords = 10_000_000_000;
    private const int MostRounds = 1000;

    private readonly Argument<string?> _file = new("FILE")
    {
        Description = "The file to make, which stays (a temporary one, which is removed).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Argument<string?> _count = new("COUNT")
    {
        Description = "Records of 100 bytes in it (1000000). The original form: examples FILE COUNT.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string> _countOption;
    private readonly Option<string> _rounds;
    private readonly Option<string> _case;
    private readonly Option<bool> _list;
    private readonly Option<string> _show;
    private readonly Option<bool> _force;
    private readonly Option<bool> _quiet;
    private readonly PageOutputArguments _output;

    public ExamplesArguments(OptionList options)
    {
        options.Argument(_file);
        options.Argument(_count);
        _countOption = options.Value("--count", null, "N", "The same as COUNT, without a FILE.");
        _rounds = options.Value("--rounds", null, "N", "Run all N times, in turns, and take the medians (5).");
        _case = options.Value("--case", null, "names", "Only these, separated by commas; a part of a name stands for all that have it.");
        _list = options.Flag("--list", null, "List the cases.");
        _show = options.Value("--show", null, "case", "Print the code of a case.");
        _quiet = options.Flag("--quiet", "q", "Show no progress.");
        _force = options.Flag("--force", null, "Replace FILE and result files that are there without asking.");
        _output = new PageOutputArguments(options, _force);
    }

    /// <exception cref="UsageException">Values that make no sense, alone or together.</exception>
    public ExamplesOptions Bind(ParseResult result)
    {
        string? file = result.GetValue(_file);
        string? counted = result.GetValue(_count);
        string? option = result.GetValue(_countOption);
        if (file is "")
            throw new UsageException("FILE is empty");
        if (counted is not null && option is not null)
            throw new UsageException("COUNT and --count are the same: give one");
        var options = new ExamplesOptions();
        return options with
        {
            File = file,
            Count = ParseCount(counted ?? option, options.Count),
            Rounds = Number.Parse("--rounds", result.GetValue(_rounds), 1, MostRounds, options.Rounds),
            Cases = result.GetValue(_case) is { } names ? Choose(names) : options.Cases,
            Show = result.GetValue(_show) is { } name ? Find(name) : null,
            List = result.GetValue(_list),
            Force = result.GetValue(_force),
            Quiet = result.GetValue(_quiet),
            Output = _output.Bind(result),
        };
    }

    private static long ParseCount(string? text, long byDefault)
    {
        if (text is null)
            return byDefault;
        return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long count) && count is > 0 and <= MostRecords
            ? count
            : throw new UsageException($"'{text}' is not a number of records from 1 to {MostRecords}");
    }

    private static ExampleCase Find(string name) =>
        ExampleCases.All.FirstOrDefault(c => c.IsCalled(name))
        ?? throw new UsageException($"there is no case '{name}'; --list names them");

    private static IReadOnlyList<ExampleCase> Choose(string names)
    {
        var chosen = new HashSet<ExampleCase>();
        foreach (string name in names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            ExampleCase[] exact = [.. ExampleCases.All.Where(c => c.IsCalled(name))];
            ExampleCase[] matching = exact.Length > 0
                ? exact
                : [.. ExampleCases.All.Where(c => c.Name.Contains(name, StringComparison.OrdinalIgnoreCase))];
            if (matching.Length == 0)
                throw new UsageException($"--case: there is no case '{name}'; --list names them");
            chosen.UnionWith(matching);
        }
        return chosen.Count > 0
            ? [.. ExampleCases.All.Where(chosen.Contains)]
            : throw new UsageException("--case names none");
    }
}
