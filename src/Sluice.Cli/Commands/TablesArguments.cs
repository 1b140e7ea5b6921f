using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Tables;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `tables` as the parser knows them, and their way into checked values.</summary>
internal sealed class TablesArguments
{
    private readonly Argument<string?> _directory = new("DIR")
    {
        Description = "Where to make the scratch folder, which decides the disk that is measured (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string> _table;
    private readonly Option<bool> _quick;
    private readonly PageOutputArguments _output;

    public TablesArguments(OptionList options)
    {
        options.Argument(_directory);
        _table = options.Value("--table", null, "text", "Only the tables whose heading contains this text, as in readasync.");
        _quick = options.Flag("--quick", null, "A few seconds on small files: shows that everything works, measures nothing.");
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">A table that does not exist.</exception>
    public TablesOptions Bind(ParseResult result)
    {
        var options = new TablesOptions(result.GetValue(_directory) ?? Path.GetTempPath())
        {
            Table = result.GetValue(_table),
            Quick = result.GetValue(_quick),
            Output = _output.Bind(result),
        };
        string[] headings = [.. MethodTables.All(BenchScale.Quick).Select(t => t.Heading)];
        return options.Table is null || headings.Any(h => h.Contains(options.Table, StringComparison.OrdinalIgnoreCase))
            ? options
            : throw new UsageException($"no table '{options.Table}'; there are {string.Join(", ", headings)}");
    }
}
