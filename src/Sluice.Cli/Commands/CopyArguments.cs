using System.CommandLine;
using System.Globalization;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `copy` as the parser knows them, and their way into checked values.</summary>
internal sealed class CopyArguments
{
    private const int MaxDepth = 64;

    private static readonly Dictionary<string, CopyMethod> Methods = new(StringComparer.Ordinal)
    {
        ["auto"] = CopyMethod.Auto,
        ["reflink"] = CopyMethod.Reflink,
        ["range"] = CopyMethod.CopyFileRange,
        ["direct"] = CopyMethod.Direct,
        ["buffered"] = CopyMethod.Buffered,
    };

    private readonly Argument<string[]> _paths = new("PATH")
    {
        Description = "SOURCE... TARGET. A target that is a folder takes the sources into it. With --demo: the folder for its files (here).",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string> _method;
    private readonly Option<string> _depth;
    private readonly Option<string> _size;
    private readonly Option<bool> _recursive;
    private readonly Option<bool> _preserve;
    private readonly Option<bool> _force;
    private readonly Option<bool> _resume;
    private readonly Option<bool> _verify;
    private readonly Option<bool> _sync;
    private readonly Option<bool> _quiet;
    private readonly Option<bool> _demo;
    private readonly PageOutputArguments _output;

    public CopyArguments(OptionList options)
    {
        options.Argument(_paths);
        _recursive = options.Flag("--recursive", "r", "Copy folders with all that is below them; links stay links.");
        _preserve = options.Flag("--preserve", "p", "Keep modes, owners, times, extended attributes and hard links.");
        _force = options.Flag("--force", "f", "Replace files that are there, without asking.");
        _method = options.Value("--method", null, "name", "auto, reflink, range (copy_file_range), direct or buffered (auto).");
        _depth = options.Value("--depth", null, "N", $"Outstanding requests of 1 MiB in a direct copy, 1 to {MaxDepth} ({CopyOptions.DefaultDepth}).");
        _resume = options.Flag("--resume", null, "Go on from what an earlier copy left, after comparing it; and leave it when this one fails.");
        _verify = options.Flag("--verify", null, "Read the copy back past the cache and compare checksums before it gets its name.");
        _sync = options.Flag("--sync", null, "End only when the copy is on the disk.");
        _quiet = options.Flag("--quiet", "q", "Print nothing but errors.");
        _demo = options.Flag("--demo", null, "Make a file, copy it past the cache with four requests outstanding, print the rates, delete both.");
        _output = new PageOutputArguments(options, _force);
        _size = options.Value("--size", null, "size", "The size of the demo's file (1G).");
    }

    /// <exception cref="UsageException">Paths that are missing, values that make no sense.</exception>
    public CopyCommandOptions Bind(ParseResult result)
    {
        string[] paths = result.GetValue(_paths) ?? [];
        bool demo = result.GetValue(_demo);
        if (demo && paths.Length > 1)
            throw new UsageException("--demo makes its own files; at most a folder for them can be named");
        if (!demo && result.GetValue(_size) is not null)
            throw new UsageException("--size is the demo's; give --demo too");
        if (!demo && paths.Length < 2)
            throw new UsageException("a source and a target are needed; try: sluice copy SOURCE... TARGET, sluice copy --demo");
        if (Array.Exists(paths, p => p.Length == 0))
            throw new UsageException("an empty path names no file");
        return new CopyCommandOptions(demo ? [] : paths[..^1], paths.Length == 0 ? Environment.CurrentDirectory : paths[^1])
        {
            Method = ParseMethod(result.GetValue(_method)),
            Depth = ParseDepth(result.GetValue(_depth)),
            Recursive = result.GetValue(_recursive),
            Preserve = result.GetValue(_preserve),
            Force = result.GetValue(_force),
            Resume = result.GetValue(_resume),
            Verify = result.GetValue(_verify),
            Sync = result.GetValue(_sync),
            Quiet = result.GetValue(_quiet),
            Demo = demo,
            Output = _output.Bind(result),
            DemoSizeBytes = ParseSize(result.GetValue(_size)),
        };
    }

    private static CopyMethod ParseMethod(string? text) =>
        text is null ? CopyMethod.Auto
        : Methods.TryGetValue(text, out CopyMethod method) ? method
        : throw new UsageException($"--method is one of {string.Join(", ", Methods.Keys)}, not '{text}'");

    private static int ParseDepth(string? text) =>
        text is null ? CopyOptions.DefaultDepth
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int depth) && depth is >= 1 and <= MaxDepth ? depth
        : throw new UsageException($"--depth is a number from 1 to {MaxDepth}, not '{text}'");

    private static long ParseSize(string? text) =>
        text is null ? ByteSize.GiB
        : ByteSize.TryParse(text, out long bytes) && bytes > 0 ? bytes
        : throw new UsageException($"--size is a size such as 256M, not '{text}'");
}
