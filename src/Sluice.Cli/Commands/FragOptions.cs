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
            "A folder on the volume to age; what is made lies in a folder of its own there."
        });
        Option<string> maxFiles = command.Value("--max-files", "m", "N", "Make at most N files in all (100000).");
        Option<string> minSize = command.Value("--min-size", "Fm", "MB", "The smallest file, in MiB, or with a unit, as in 64K (1).");
        Option<string> maxSize = command.Value("--max-size", "FM", "MB", "The largest file, in MiB, or with a unit (256).");
        Option<string> cycleFiles = command.Value("--cycle-files", "c", "N", "Make at most N files in a cycle (1000).");
        Option<string> directoryFiles = command.Value("--dir-files", "d", "N", "Files in a directory (100).");
        Option<string> subdirectories = command.Value("--subdirs", "s", "N", "Subdirectories in a directory, at least 2 (10).");
        Option<string> cycles = command.Value("--cycles", "n", "N", "Fill and delete N times; 0: until -m files have been made (0).");
        Option<string> keep = command.Value("--keep", "k", "percent",
            "Of the files there are, keep so many at the end of a cycle, 1 to 99 (5).");
        Option<string> fill = command.Value("--fill", "f", "percent", "Fill the volume so far, with what is there already, 1 to 99 (70).");
        Option<string> seed = command.Value("--seed", "r", "number", "The same seed makes the same files (137).");
        Option<string> leave = command.Value("--leave", null, "size", "Leave at least so much free, whatever -f says (2G).");
        Option<string> budget = command.Value("--budget", null, "size", "Fill at most so much, whatever -f says (no limit).");
        Option<bool> dryRunFlag = command.Flag("--dry-run", null, "Print what would be made and deleted; touch nothing.");
        Option<bool> cleanupFlag = command.Flag("--cleanup", null, "Remove what earlier runs made in DIRECTORY, and nothing else.");
        Option<bool> force = command.Flag("--force", null, "Do not ask.");
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
