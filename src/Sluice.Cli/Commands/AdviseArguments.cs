using System.CommandLine;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `advise` as the parser knows them, and their way into checked values.</summary>
internal sealed class AdviseArguments
{
    private readonly Argument<string?> _directory = new("DIR")
    {
        Description = "Where files will be read and written: the disk that is measured (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<bool> _quick;
    private readonly PageOutputArguments _output;

    public AdviseArguments(OptionList options)
    {
        options.Argument(_directory);
        _quick = options.Flag("--quick", null, "A few seconds on small files: shows that everything works, measures nothing.");
        _output = new PageOutputArguments(options);
    }

    public AdviseOptions Bind(ParseResult result) => new(result.GetValue(_directory) ?? Path.GetTempPath())
    {
        Quick = result.GetValue(_quick),
        Output = _output.Bind(result),
    };
}
