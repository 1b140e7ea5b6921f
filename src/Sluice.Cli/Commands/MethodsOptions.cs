using System.CommandLine;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The validated arguments of the `methods` command.</summary>
internal sealed record MethodsOptions(string Directory)
{
    // The maximum size of a file. Three texts of this size are in memory, each in several forms.
    private const long MaxBytes = 256 * ByteSize.MiB;

    /// <summary>The file sizes in the article "Efficient File I/O From C#": about 0.66, 10 and 50 MB.</summary>
    public static IReadOnlyList<int> ArticleSizes { get; } =
        [(int)(0.66m * ByteSize.MiB), (int)(10 * ByteSize.MiB), (int)(50 * ByteSize.MiB)];

    public IReadOnlyList<int> SizesBytes { get; init; } = ArticleSizes;

    public IReadOnlyList<Method> Methods { get; init; } = MethodList.All;

    /// <summary>True to run the checks of WinFileIO.</summary>
    public bool UnitTests { get; init; } = true;

    public int Rounds { get; init; } = 5;

    public bool Quiet { get; init; }

    public PageOutput Output { get; init; } = new();

    /// <summary>Adds the options of `methods` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, MethodsOptions> Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR", "Where to make the files (the temporary folder).");
        Option<bool> readFlag = command.Flag("--read", null, "Only the methods that read (the article's button Read File).");
        Option<bool> writeFlag = command.Flag("--write", null, "Only the methods that write (Write File).");
        Option<bool> unitTestsFlag = command.Flag("--unit-tests", null,
            "Only the checks of WinFileIO (WinFileIO Unit Tests). Without these three: all (Run All).");
        Option<string> size = command.Value("--size", null, "sizes",
            "Sizes of the files, separated by commas, up to 256M (0.66M,10M,50M).");
        Option<string> rounds = command.Rounds();
        Option<string> method = command.Value("--method", null, "names",
            "Only these, separated by commas; a part of a name stands for all that have it (all).");
        Option<bool> quickFlag = command.Flag("--quick", null, "One round, without the largest size.");
        Option<bool> quiet = command.Flag("--quiet", "q", "Show no progress.");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return Bind;

        MethodsOptions Bind(ParseResult result)
        {
            (bool read, bool write, bool unitTests) =
                (result.GetValue(readFlag), result.GetValue(writeFlag), result.GetValue(unitTestsFlag));
            bool all = !read && !write && !unitTests;
            string? names = result.GetValue(method);
            if (names is not null && unitTests && !read && !write)
                throw new UsageException("--method chooses among methods, and --unit-tests runs none");
            bool quick = result.GetValue(quickFlag);
            Method[] methods = [.. MethodList.All.Where(m => all || (m.Writes ? write : read))];
            var options = new MethodsOptions(result.GetValue(directory) ?? Path.GetTempPath());
            return options with
            {
                SizesBytes = result.GetValue(size) is { } sizes ? ParseSizes(sizes) : quick ? ArticleSizes.SkipLast(1).ToArray()
                    : options.SizesBytes,
                Methods = names is null ? methods : OptionText.Matching("--method", names, methods, m => m.Name),
                UnitTests = unitTests || (all && names is null),
                Rounds = OptionText.Rounds(result.GetValue(rounds), quick ? 1 : options.Rounds),
                Quiet = result.GetValue(quiet),
                Output = output(result),
            };
        }
    }

    private static int[] ParseSizes(string text)
    {
        int[] sizes = [.. text.Split(',', StringSplitOptions.TrimEntries).Select(ParseSize).Distinct().Order()];
        return sizes.Length > 0 ? sizes : throw new UsageException("--size names none");
    }

    private static int ParseSize(string text)
    {
        // The article's size of 0.66 MB is not a whole number of bytes, so it is not parsed as a number.
        if (text.Equals("0.66M", StringComparison.OrdinalIgnoreCase))
            return ArticleSizes[0];
        return (int)OptionText.Size("--size", text, 1, MaxBytes)!.Value;
    }
}
