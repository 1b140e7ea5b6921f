using System.CommandLine;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `figures` as the parser knows them, and their way into checked values.</summary>
internal sealed class FiguresArguments
{
    private const int First = 2;
    private const int Last = 8;

    private readonly Argument<string?> _directory = new("DIR")
    {
        Description = "Where to make the scratch folders, which decides the disk that is measured (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string> _figure;
    private readonly Option<bool> _quick;
    private readonly PageOutputArguments _output;

    public FiguresArguments(OptionList options)
    {
        options.Argument(_directory);
        _figure = options.Value("--figure", null, "N", $"Only these of the report's figures, as in 2,3 ({First} to {Last}).");
        _quick = options.Flag("--quick", null, "A few seconds on small files: shows that everything works, measures nothing.");
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">A figure that does not exist.</exception>
    public FiguresOptions Bind(ParseResult result) => new(result.GetValue(_directory) ?? Path.GetTempPath())
    {
        Figures = result.GetValue(_figure) is { } list
            ? list.Split(',').Select(n => Number.Parse("--figure", n.Trim(), First, Last, First)).ToHashSet()
            : Enumerable.Range(First, Last - First + 1).ToHashSet(),
        Quick = result.GetValue(_quick),
        Output = _output.Bind(result),
    };
}
