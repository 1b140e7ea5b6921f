using System.CommandLine;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The validated arguments of the `frag` command.</summary>
/// <param name="BudgetBytes">The maximum number of bytes to write; null for no maximum.</param>
internal sealed record FragOptions(
    string Directory, FragSettings Settings, long? BudgetBytes, bool DryRun, bool Cleanup, bool Force, bool Quiet)
{
    private const int MaxFiles = 9_999_999;
    private const int MaxPerDirectory = 1_000_000;

    private static readonly FragSettings Defaults = new();

    /// <summary>Adds the options of `frag` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, FragOptions> Define(OptionList command)
    {
        Argument<string> directoryArgument = command.Argument(new Argument<string>("DIRECTORY")
        {
            Description =
            "A folder on the volume to fragment; the files are created in a new folder in it."
        });
        Option<string> maxFiles = command.Value("--max-files", "m", "N", "Create at most N files in total (100000).");
        Option<string> minSize = command.Value("--min-size", "Fm", "MB", "The smallest file, in MiB, or with a unit, as in 64K (1).");
        Option<string> maxSize = command.Value("--max-size", "FM", "MB", "The largest file, in MiB, or with a unit (256).");
        Option<string> cycleFiles = command.Value("--cycle-files", "c", "N", "Create at most N files in a cycle (1000).");
        Option<string> directoryFiles = command.Value("--dir-files", "d", "N", "Files in a directory (100).");
        Option<string> subdirectories = command.Value("--subdirs", "s", "N", "Subdirectories in a directory, at least 2 (10).");
        Option<string> cycles = command.Value("--cycles", "n", "N", "Fill and delete N times; 0: until -m files have been created (0).");
        Option<string> keep = command.Value("--keep", "k", "percent",
            "Percentage of the files that remain at the end of a cycle, 1 to 99 (5).");
        Option<string> fill = command.Value("--fill", "f", "percent", "How full the volume becomes, including other files, 1 to 99 (70).");
        Option<string> seed = command.Value("--seed", "r", "number", "The same seed creates the same files (137).");
        Option<string> leave = command.Value("--leave", null, "size", "Free space that is never used, regardless of -f (2G).");
        Option<string> budget = command.Value("--budget", null, "size", "Write at most this many bytes, regardless of -f (no limit).");
        Option<bool> dryRunFlag = command.Flag("--dry-run", null, "Print which files would be created and deleted, and change nothing.");
        Option<bool> cleanupFlag = command.Flag("--cleanup", null, "Remove the files of earlier runs in DIRECTORY, and nothing else.");
        Option<bool> force = command.Flag("--force", null, "Do not ask for confirmation.");
        Option<bool> quiet = command.Flag("--quiet", "q", "Show no progress.");
        return Bind;

        FragOptions Bind(ParseResult result)
        {
            if (result.GetValue(directoryArgument) is not { Length: > 0 } directory)
                throw new UsageException("no directory named; try: sluice frag --help");
            var settings = new FragSettings
            {
                MaxFiles = OptionText.Whole("-m", result.GetValue(maxFiles), 1, MaxFiles, Defaults.MaxFiles),
                MinSizeBytes = Mebibytes("-Fm", result.GetValue(minSize)) ?? Defaults.MinSizeBytes,
                MaxSizeBytes = Mebibytes("-FM", result.GetValue(maxSize)) ?? Defaults.MaxSizeBytes,
                FilesPerCycle = OptionText.Whole("-c", result.GetValue(cycleFiles), 1, MaxFiles, Defaults.FilesPerCycle),
                FilesPerDirectory = OptionText.Whole("-d", result.GetValue(directoryFiles), 1, MaxPerDirectory,
                    Defaults.FilesPerDirectory),
                SubdirectoriesPerDirectory =
                    OptionText.Whole("-s", result.GetValue(subdirectories), 2, MaxPerDirectory, Defaults.SubdirectoriesPerDirectory),
                Cycles = OptionText.Whole("-n", result.GetValue(cycles), 0, int.MaxValue, Defaults.Cycles),
                KeepPercent = OptionText.Whole("-k", result.GetValue(keep), 1, 99, Defaults.KeepPercent),
                FillPercent = OptionText.Whole("-f", result.GetValue(fill), 1, 99, Defaults.FillPercent),
                Seed = OptionText.Whole("-r", result.GetValue(seed), 0, int.MaxValue, Defaults.Seed),
                LeaveBytes = OptionText.Size("--leave", result.GetValue(leave), 0) ?? Defaults.LeaveBytes,
            };
            if (settings.MinSizeBytes > settings.MaxSizeBytes)
            {
                throw new UsageException($"-Fm: the smallest file ({ByteSize.Format(settings.MinSizeBytes)}) is larger than the largest "
                    + $"(-FM, {ByteSize.Format(settings.MaxSizeBytes)})");
            }
            bool dryRun = result.GetValue(dryRunFlag);
            bool cleanup = result.GetValue(cleanupFlag);
            if (dryRun && cleanup)
                throw new UsageException("--dry-run and --cleanup exclude each other");
            return new FragOptions(directory, settings,
                BudgetBytes: OptionText.Size("--budget", result.GetValue(budget), 0),
                DryRun: dryRun,
                Cleanup: cleanup,
                Force: result.GetValue(force),
                Quiet: result.GetValue(quiet));
        }
    }

    // A plain number is in MiB, as in FragDisk.
    private static long? Mebibytes(string option, string? text) =>
        OptionText.Size(option, text is [.., >= '0' and <= '9'] ? text + "M" : text, 1, ByteSize.TiB);
}
