using System.CommandLine;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `extents` as the parser knows them, and their way into checked values.</summary>
internal sealed class ExtentsArguments
{
    private const int MaxListed = 1_000_000;

    private readonly Argument<string> _path = new("FILE|DIR")
    {
        Description = "The file, or the folder with all files below it. Links are not followed.",
    };

    private readonly Option<string> _worst;
    private readonly Option<string> _extents;
    private readonly Option<bool> _sync;
    private readonly PageOutputArguments _output;

    public ExtentsArguments(OptionList options)
    {
        options.Argument(_path);
        _worst = options.Value("--worst", "w", "N", "Of a folder, list the N files in most pieces (10).");
        _extents = options.Value("--extents", "e", "N", "Of a file, list the first N extents (20).");
        _sync = options.Flag("--sync", null, "Write each file to the disk first: data that is in memory only has no place yet.");
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">Numbers that make no sense.</exception>
    public ExtentsOptions Bind(ParseResult result)
    {
        if (result.GetValue(_path) is not { Length: > 0 } path)
            throw new UsageException("no file or folder named; try: sluice extents --help");
        return new ExtentsOptions(path)
        {
            Worst = Number.Parse("--worst", result.GetValue(_worst), 0, MaxListed, 10),
            ExtentLimit = Number.Parse("--extents", result.GetValue(_extents), 0, MaxListed, 20),
            Sync = result.GetValue(_sync),
            Output = _output.Bind(result),
        };
    }
}
