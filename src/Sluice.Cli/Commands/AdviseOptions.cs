using System.CommandLine;
using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `advise` command line.</summary>
internal sealed record AdviseOptions(string Directory)
{
    public bool Quick { get; init; }

    public PageOutput Output { get; init; } = new();

    public AdviseScale Scale => Quick ? AdviseScale.Quick : AdviseScale.Full;

    /// <summary>Adds the options of `advise` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, AdviseOptions> Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR",
            "Where files will be read and written: the disk that is measured (the temporary folder).");
        Option<bool> quick = command.Quick();
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        AdviseOptions Bind(ParseResult result) => new(result.GetValue(directory) ?? Path.GetTempPath())
        {
            Quick = result.GetValue(quick),
            Output = output(result),
        };
    }
}
