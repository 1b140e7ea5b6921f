using System.CommandLine;
using Sluice.Cli.Programs.Figures;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>One checked `figures` command line.</summary>
internal sealed record FiguresOptions(string Directory)
{
    private const int First = 2;
    private const int Last = 8;

    /// <summary>Numbers of the report's figures.</summary>
    public required IReadOnlySet<int> Figures { get; init; }

    public bool Quick { get; init; }

    public PageOutput Output { get; init; } = new();

    public FigureScale Scale => Quick ? FigureScale.Quick : FigureScale.Full;

    /// <summary>Adds the options of `figures` to the command.</summary>
    /// <returns>From what was parsed to checked values; throws <see cref="UsageException"/> where they make no sense.</returns>
    public static Func<ParseResult, FiguresOptions> Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR",
            "Where to make the scratch folders, which decides the disk that is measured (the temporary folder).");
        Option<string> figure = command.Value("--figure", null, "N",
            $"Only these of the report's figures, as in 2,3 (all, {First} to {Last}).");
        Option<bool> quick = command.Quick();
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        FiguresOptions Bind(ParseResult result) => new(result.GetValue(directory) ?? Path.GetTempPath())
        {
            Figures = result.GetValue(figure) is { } list
                ? list.Split(',').Select(n => OptionText.Whole("--figure", n.Trim(), First, Last, First)).ToHashSet()
                : Enumerable.Range(First, Last - First + 1).ToHashSet(),
            Quick = result.GetValue(quick),
            Output = output(result),
        };
    }
}
