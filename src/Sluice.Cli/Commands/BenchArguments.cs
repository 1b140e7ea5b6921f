using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `bench` as the parser knows them, and their way into checked values.</summary>
internal sealed class BenchArguments
{
    private readonly Argument<string?> _directory = new("DIR")
    {
        Description = "Where to make the scratch folder, which decides the disk that is measured (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string> _suite;
    private readonly Option<string> _row;
    private readonly PageOutputArguments _output;
    private readonly Option<bool> _quick;
    private readonly Option<bool> _full;

    public BenchArguments(OptionList options)
    {
        options.Argument(_directory);
        _suite = options.Value("--suite", null, "name", SuiteHelp());
        _row = options.Value("--row", null, "text", "Run only the rows whose id contains this text, of every suite if none is named.");
        _quick = options.Flag("--quick", null, "A few seconds on small files: shows that everything works, measures nothing.");
        _full = options.Flag("--full", null, "All suites at their usual length; without it and without --suite or --row, a short form of all, about two minutes.");
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">A suite or row that does not exist.</exception>
    public BenchOptions Bind(ParseResult result)
    {
        var options = new BenchOptions(result.GetValue(_directory) ?? Path.GetTempPath())
        {
            Suite = result.GetValue(_suite),
            RowFilter = result.GetValue(_row),
            Output = _output.Bind(result),
            Quick = result.GetValue(_quick),
            Full = result.GetValue(_full),
        };
        if (options.Quick && options.Full)
            throw new UsageException("--quick and --full exclude each other");
        if (options.Suite is { } name && name != Suite.AllName && Suite.All.All(s => s.Name != name))
            throw new UsageException($"no suite '{name}'; there is {string.Join(", ", Suite.All.Select(s => s.Name))} or {Suite.AllName}");
        if (options.RowFilter is { } filter && options.SelectRows().Count == 0)
            throw new UsageException($"no row's id contains '{filter}'; ids are such as {options.SelectSuites()[0].Rows[0].Id}");
        return options;
    }

    private static string SuiteHelp()
    {
        IEnumerable<string> suites = Suite.All.Select(
            s => $"{s.Name} ({s.Description}, about {s.TimeOfFullRun})");
        return $"What to run, at its usual length: {string.Join(", ", suites)} or {Suite.AllName}.";
    }
}
