using System.CommandLine;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `compare` as the parser knows them, and their way into checked values.</summary>
internal sealed class CompareArguments
{
    private readonly Argument<string> _first = new("A.json") { Description = "The result of the first run, as --json wrote it." };
    private readonly Argument<string> _second = new("B.json") { Description = "The result of the second run of the same command." };
    private readonly PageOutputArguments _output;

    public CompareArguments(OptionList options)
    {
        options.Argument(_first);
        options.Argument(_second);
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">A result is missing.</exception>
    public CompareOptions Bind(ParseResult result)
    {
        if (result.GetValue(_first) is not { Length: > 0 } first || result.GetValue(_second) is not { Length: > 0 } second)
            throw new UsageException("two results are needed; try: sluice compare A.json B.json");
        PageOutput output = _output.Bind(result);
        foreach ((string option, string path) in output.Named)
        {
            if (Path.GetFullPath(path) == Path.GetFullPath(first) || Path.GetFullPath(path) == Path.GetFullPath(second))
                throw new UsageException($"{option} names a result that is compared");
        }
        return new CompareOptions(first, second, output);
    }
}
