using System.CommandLine;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `doctor` as the parser knows them, and their way into checked values.</summary>
internal sealed class DoctorArguments
{
    private readonly Argument<string?> _path = new("FILE|DIR")
    {
        Description = "A file, which is only read, or the folder whose file system is looked at (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly PageOutputArguments _output;

    public DoctorArguments(OptionList options)
    {
        options.Argument(_path);
        _output = new PageOutputArguments(options);
    }

    public DoctorOptions Bind(ParseResult result) =>
        new(result.GetValue(_path) ?? Path.GetTempPath()) { Output = _output.Bind(result) };
}
