using System.CommandLine;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `doctor` command line.</summary>
internal sealed record DoctorOptions(string Path)
{
    public PageOutput Output { get; init; } = new();

    /// <summary>Adds the options of `doctor` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, DoctorOptions> Define(OptionList command)
    {
        Argument<string?> path = command.OptionalArgument("FILE|DIR",
            "A file, which is only read, or the folder whose file system is looked at (the temporary folder).");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        DoctorOptions Bind(ParseResult result) =>
            new(result.GetValue(path) ?? System.IO.Path.GetTempPath()) { Output = output(result) };
    }
}
