using System.CommandLine;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `methods` as the parser knows them, and their way into checked values.</summary>
internal sealed class MethodsArguments
{
    private const int MostRounds = 1000;

    // Three texts in memory, in several forms each.
    private const long MostBytes = 256 * ByteSize.MiB;

    private readonly Argument<string?> _directory = new("DIR")
    {
        Description = "Where to make the files (the temporary folder).",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<bool> _read;
    private readonly Option<bool> _write;
    private readonly Option<bool> _unitTests;
    private readonly Option<string> _size;
    private readonly Option<string> _rounds;
    private readonly Option<string> _method;
    private readonly Option<bool> _quick;
    private readonly Option<bool> _quiet;
    private readonly PageOutputArguments _output;

    public MethodsArguments(OptionList options)
    {
        options.Argument(_directory);
        _read = options.Flag("--read", null, "Only the methods that read (the article's button Read File).");
        _write = options.Flag("--write", null, "Only the methods that write (Write File).");
        _unitTests = options.Flag("--unit-tests", null, "Only the checks of WinFileIO (WinFileIO Unit Tests). Without these three: all (Run All).");
        _size = options.Value("--size", null, "sizes", "Sizes of the files, separated by commas (0.66M,10M,50M).");
        _rounds = options.Value("--rounds", null, "N", "Run all N times, in turns, and take the medians (5).");
        _method = options.Value("--method", null, "names", "Only these, separated by commas; a part of a name stands for all that have it.");
        _quick = options.Flag("--quick", null, "One round, without the largest size.");
        _quiet = options.Flag("--quiet", "q", "Show no progress.");
        _output = new PageOutputArguments(options);
    }

    /// <exception cref="UsageException">Values that make no sense, alone or together.</exception>
    public MethodsOptions Bind(ParseResult result)
    {
        (bool read, bool write, bool unitTests) = (result.GetValue(_read), result.GetValue(_write), result.GetValue(_unitTests));
        bool all = !read && !write && !unitTests;
        string? names = result.GetValue(_method);
        if (names is not null && unitTests && !read && !write)
            throw new UsageException("--method chooses among methods, and --unit-tests runs none");
        bool quick = result.GetValue(_quick);
        var options = new MethodsOptions(result.GetValue(_directory) ?? Path.GetTempPath());
        return options with
        {
            SizesBytes = result.GetValue(_size) is { } sizes ? ParseSizes(sizes) : quick ? MethodsOptions.ArticleSizes.SkipLast(1).ToArray() : options.SizesBytes,
            Methods = Choose(names, [.. MethodList.All.Where(m => all || (m.Writes ? write : read))]),
            UnitTests = unitTests || (all && names is null),
            Rounds = Number.Parse("--rounds", result.GetValue(_rounds), 1, MostRounds, quick ? 1 : options.Rounds),
            Quiet = result.GetValue(_quiet),
            Output = _output.Bind(result),
        };
    }

    private static int[] ParseSizes(string text)
    {
        int[] sizes = [.. text.Split(',', StringSplitOptions.TrimEntries).Select(ParseSize).Distinct().Order()];
        return sizes.Length > 0 ? sizes : throw new UsageException("--size names none");
    }

    private static int ParseSize(string text)
    {
        // No whole number of bytes, but the article's.
        if (text.Equals("0.66M", StringComparison.OrdinalIgnoreCase))
            return MethodsOptions.ArticleSizes[0];
        return ByteSize.TryParse(text, out long bytes) && bytes is > 0 and <= MostBytes
            ? (int)bytes
            : throw new UsageException($"--size: '{text}' is not a size from 1 to {ByteSize.Format(MostBytes)}");
    }

    private static IReadOnlyList<Method> Choose(string? names, IReadOnlyList<Method> methods)
    {
        if (names is null)
            return methods;
        string[] parts = names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        string? unknown = parts.FirstOrDefault(p => !methods.Any(m => Has(m, p)));
        if (parts.Length == 0 || unknown is not null)
            throw new UsageException($"--method: no method is called '{unknown ?? names}'");
        return [.. methods.Where(m => parts.Any(p => Has(m, p)))];
    }

    private static bool Has(Method method, string part) => method.Name.Contains(part, StringComparison.OrdinalIgnoreCase);
}
