using System.CommandLine;
using System.Globalization;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `frag` as the parser knows them, FragDisk's letters among them, and their way into checked values.</summary>
internal sealed class FragArguments
{
    private const int MostFiles = 9_999_999;
    private const int MostPerDirectory = 1_000_000;

    private static readonly FragSettings Defaults = new();

    private static readonly Dictionary<string, FragProfile> Profiles =
        Enum.GetValues<FragProfile>().ToDictionary(p => p.ToName(), StringComparer.Ordinal);

    private readonly Argument<string> _directory = new("DIRECTORY")
    {
        Description = "A folder on the volume to age; what is made lies in a folder of its own there.",
    };

    private readonly Option<string> _maxFiles;
    private readonly Option<string> _minSize;
    private readonly Option<string> _maxSize;
    private readonly Option<string> _cycleFiles;
    private readonly Option<string> _directoryFiles;
    private readonly Option<string> _subdirectories;
    private readonly Option<string> _cycles;
    private readonly Option<string> _keep;
    private readonly Option<string> _fill;
    private readonly Option<string> _seed;
    private readonly Option<string> _leave;
    private readonly Option<string> _budget;
    private readonly Option<string> _profile;
    private readonly Option<string> _target;
    private readonly PageOutputArguments _output;
    private readonly Option<bool> _dryRun;
    private readonly Option<bool> _cleanup;
    private readonly Option<bool> _force;
    private readonly Option<bool> _quiet;

    public FragArguments(OptionList options)
    {
        options.Argument(_directory);
        _maxFiles = options.Value("--max-files", "m", "N", "Make at most N files in all (100000).");
        _minSize = options.Value("--min-size", "Fm", "MB", "The smallest file, in MiB, or with a unit, as in 64K (1).");
        _maxSize = options.Value("--max-size", "FM", "MB", "The largest file, in MiB, or with a unit (256).");
        _cycleFiles = options.Value("--cycle-files", "c", "N", "Make at most N files in a cycle (1000).");
        _directoryFiles = options.Value("--dir-files", "d", "N", "Files in a directory (100).");
        _subdirectories = options.Value("--subdirs", "s", "N", "Subdirectories in a directory, at least 2 (10).");
        _cycles = options.Value("--cycles", "n", "N", "Fill and delete N times; 0: until -m files have been made (0).");
        _keep = options.Value("--keep", "k", "percent", "Of the files there are, keep so many at the end of a cycle, 1 to 99 (5).");
        _fill = options.Value("--fill", "f", "percent", "Fill the volume so far, with what is there already, 1 to 99 (70).");
        _seed = options.Value("--seed", "r", "number", "The same seed makes the same files (137).");
        _leave = options.Value("--leave", null, "size", "Leave at least so much free, whatever -f says (2G).");
        _budget = options.Value("--budget", null, "size", "Fill at most so much, whatever -f says.");
        _profile = options.Value("--profile", null, "name",
            "uniform (FragDisk's), log-normal sizes, append (small steps), interleaved (8 files grow in turns) (uniform).");
        _target = options.Value("--target-extents", null, "N", "End after the cycle whose files lie in N pieces on average.");
        _dryRun = options.Flag("--dry-run", null, "Print what would be made and deleted; touch nothing.");
        _cleanup = options.Flag("--cleanup", null, "Remove what earlier runs made in DIRECTORY, and nothing else.");
        _force = options.Flag("--force", null, "Do not ask.");
        _output = new PageOutputArguments(options, _force);
        _quiet = options.Flag("--quiet", "q", "Show no progress.");
    }

    /// <exception cref="UsageException">Values that make no sense, alone or together.</exception>
    public FragOptions Bind(ParseResult result)
    {
        if (result.GetValue(_directory) is not { Length: > 0 } directory)
            throw new UsageException("no directory named; try: sluice frag --help");
        var settings = new FragSettings
        {
            MaxFiles = Number.Parse("-m", result.GetValue(_maxFiles), 1, MostFiles, Defaults.MaxFiles),
            MinSizeBytes = ParseMebibytes("-Fm", result.GetValue(_minSize), Defaults.MinSizeBytes),
            MaxSizeBytes = ParseMebibytes("-FM", result.GetValue(_maxSize), Defaults.MaxSizeBytes),
            FilesPerCycle = Number.Parse("-c", result.GetValue(_cycleFiles), 1, MostFiles, Defaults.FilesPerCycle),
            FilesPerDirectory = Number.Parse("-d", result.GetValue(_directoryFiles), 1, MostPerDirectory, Defaults.FilesPerDirectory),
            SubdirectoriesPerDirectory =
                Number.Parse("-s", result.GetValue(_subdirectories), 2, MostPerDirectory, Defaults.SubdirectoriesPerDirectory),
            Cycles = Number.Parse("-n", result.GetValue(_cycles), 0, int.MaxValue, Defaults.Cycles),
            KeepPercent = Number.Parse("-k", result.GetValue(_keep), 1, 99, Defaults.KeepPercent),
            FillPercent = Number.Parse("-f", result.GetValue(_fill), 1, 99, Defaults.FillPercent),
            Seed = Number.Parse("-r", result.GetValue(_seed), 0, int.MaxValue, Defaults.Seed),
            LeaveBytes = ParseSize("--leave", result.GetValue(_leave)) ?? Defaults.LeaveBytes,
            Profile = ParseProfile(result.GetValue(_profile)),
            TargetPieces = ParseTarget(result.GetValue(_target)),
        };
        if (settings.MinSizeBytes > settings.MaxSizeBytes)
        {
            throw new UsageException($"-Fm: the smallest file ({ByteSize.Format(settings.MinSizeBytes)}) is larger than the largest "
                + $"(-FM, {ByteSize.Format(settings.MaxSizeBytes)})");
        }
        bool dryRun = result.GetValue(_dryRun);
        bool cleanup = result.GetValue(_cleanup);
        if (dryRun && cleanup)
            throw new UsageException("--dry-run and --cleanup exclude each other");
        return new FragOptions(directory, settings)
        {
            BudgetBytes = ParseSize("--budget", result.GetValue(_budget)),
            DryRun = dryRun,
            Cleanup = cleanup,
            Force = result.GetValue(_force),
            Quiet = result.GetValue(_quiet),
            Output = _output.Bind(result),
        };
    }

    // A plain number is megabytes, as FragDisk has it.
    private static long ParseMebibytes(string option, string? text, long byDefault)
    {
        if (text is null)
            return byDefault;
        string withUnit = char.IsAsciiDigit(text[^1]) ? text + "M" : text;
        return ByteSize.TryParse(withUnit, out long bytes) && bytes is > 0 and <= ByteSize.TiB
            ? bytes
            : throw new UsageException($"{option}: '{text}' is not a file size in MiB, up to 1 TiB");
    }

    private static long? ParseSize(string option, string? text) =>
        text is null ? null
        : ByteSize.TryParse(text, out long bytes) ? bytes
        : throw new UsageException($"{option}: '{text}' is not a size such as 2G");

    private static FragProfile ParseProfile(string? text) =>
        text is null ? FragProfile.Uniform
        : Profiles.TryGetValue(text, out FragProfile profile) ? profile
        : throw new UsageException($"--profile is one of {string.Join(", ", Profiles.Keys)}, not '{text}'");

    private static double? ParseTarget(string? text) =>
        text is null ? null
        : double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double target) && target is > 1 and < 1e6
            ? target
        : throw new UsageException($"--target-extents: '{text}' is not a number above 1");
}
