using System.CommandLine;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The validated arguments of the `extents` command.</summary>
internal sealed record ExtentsOptions(string Path)
{
    private const int MaxListed = 1_000_000;

    /// <summary>The number of the most fragmented files to list.</summary>
    public int Worst { get; init; } = 10;

    /// <summary>The maximum number of extents to list for a single file.</summary>
    public int ExtentLimit { get; init; } = 20;

    public bool Sync { get; init; }

    public PageOutput Output { get; init; } = new();

    /// <summary>Adds the options of `extents` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, ExtentsOptions> Define(OptionList command)
    {
        Argument<string> pathArgument = command.Argument(
            new Argument<string>("FILE|DIR") { Description = "The file, or the folder with all files below it. Links are not followed." });
        Option<string> worst = command.Value("--worst", "w", "N", "Of a folder, list the N files in most pieces (10).");
        Option<string> extents = command.Value("--extents", "e", "N", "Of a file, list the first N extents (20).");
        Option<bool> sync = command.Flag("--sync", null,
            "Write each file to the disk first: data that is in memory only has no place yet.");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        ExtentsOptions Bind(ParseResult result)
        {
            if (result.GetValue(pathArgument) is not { Length: > 0 } path)
                throw new UsageException("no file or folder named; try: sluice extents --help");
            return new ExtentsOptions(path)
            {
                Worst = OptionText.Whole("--worst", result.GetValue(worst), 0, MaxListed, 10),
                ExtentLimit = OptionText.Whole("--extents", result.GetValue(extents), 0, MaxListed, 20),
                Sync = result.GetValue(sync),
                Output = output(result),
            };
        }
    }
}
