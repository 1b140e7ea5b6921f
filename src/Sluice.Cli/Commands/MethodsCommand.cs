using System.CommandLine;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice methods`: every way of reading and writing a whole text file, timed and checked.</summary>
/// <param name="sizesBytes">The sizes of the files, in ascending order.</param>
/// <param name="ids">The ids of the rows to measure.</param>
/// <param name="unitTests">True to run the checks of WinFileIO.</param>
internal sealed class MethodsCommand(
    string directory, IReadOnlyList<int> sizesBytes, IReadOnlyList<string> ids, bool unitTests, int rounds, bool quiet,
    CommandContext context)
{
    // The maximum size of a file. Its text is in memory in several forms.
    private const long MaxBytes = 256 * ByteSize.MiB;

    private const int WarmUpBytes = 64 << 10;
    private const double WarmUpSeconds = 6;
    private const double SecondsOfMiB = 0.005;

    /// <summary>The file sizes in the article "Efficient File I/O From C#": about 0.66, 10 and 50 MB.</summary>
    private static readonly int[] ArticleSizes =
        [(int)(0.66m * ByteSize.MiB), (int)(10 * ByteSize.MiB), (int)(50 * ByteSize.MiB)];

    public static CommandBinder Define(OptionList command)
    {
        Argument<string?> directory = command.OptionalArgument("DIR", "Where to create the files (the temporary folder).");
        Option<bool> readFlag = command.Flag("--read", null, "Only the methods that read (the article's button Read File).");
        Option<bool> writeFlag = command.Flag("--write", null, "Only the methods that write (Write File).");
        Option<bool> unitTestsFlag = command.Flag("--unit-tests", null,
            "Only the checks of WinFileIO (WinFileIO Unit Tests). Without these three: all (Run All).");
        Option<string> size = command.Value("--size", null, "sizes",
            "Sizes of the files, separated by commas, up to 256M (0.66M,10M,50M).");
        Option<string> rounds = command.Rounds();
        Option<string> method = command.Value("--method", null, "names",
            "Only these methods, separated by commas; a part of a name selects all methods that contain it (all).");
        Option<bool> quickFlag = command.Flag("--quick", null, "One round, without the largest size.");
        Option<bool> quiet = command.Flag("--quiet", "q", "Show no progress.");
        return (result, context) =>
        {
            (bool read, bool write, bool unitTests) =
                (result.GetValue(readFlag), result.GetValue(writeFlag), result.GetValue(unitTestsFlag));
            bool all = !read && !write && !unitTests;
            string? names = result.GetValue(method);
            if (names is not null && unitTests && !read && !write)
                throw new UsageException("--method chooses among methods, and --unit-tests runs none");
            bool quick = result.GetValue(quickFlag);
            IReadOnlyList<TimedRow> methods =
                [.. new MethodFiles(folder: "", sizeBytes: 1, default).Rows.Where(m => all || (m.Writes ? write : read))];
            if (names is not null)
                methods = OptionText.Matching("--method", names, methods, m => m.Name);
            return new MethodsCommand(
                result.GetValue(directory) ?? Path.GetTempPath(),
                result.GetValue(size) is { } sizes ? ParseSizes(sizes) : quick ? ArticleSizes[..^1] : ArticleSizes,
                [.. methods.Select(m => m.Id)], unitTests || (all && names is null),
                OptionText.Rounds(result.GetValue(rounds), quick ? 1 : 5), result.GetValue(quiet), context).RunAsync;
        };
    }

    private static int[] ParseSizes(string text) =>
        [.. text.Split(',', StringSplitOptions.TrimEntries).Select(ParseSize).Distinct().Order()];

    // The article's size of 0.66 MB is not a whole number of bytes, so it is not parsed as a number.
    private static int ParseSize(string text) => text.Equals("0.66M", StringComparison.OrdinalIgnoreCase)
        ? ArticleSizes[0]
        : (int)OptionText.Size("--size", text, 1, MaxBytes)!.Value;

    private async Task<int> RunAsync()
    {
        var run = new MeasuringRun(context, directory, quiet || ids.Count == 0);
        // The space is needed for the file that is read and the one that is written.
        run.Prepare(
            2L * sizesBytes[^1], $"{Counted.Of(ids.Count, "method")}, {Counted.Of(rounds, "round")}",
            WarmUpSeconds + (SecondsOfMiB * ids.Count * (rounds + 1) * sizesBytes.Sum(s => (long)s) / ByteSize.MiB));
        var (checks, timer, measured) = await run.InScratchAsync(async (folder, progress) =>
        {
            IReadOnlyList<(string Name, string? Failure)> checks = unitTests ? new WinFileIOChecks(folder).Run() : [];
            var timer = new RowTimer(folder, rounds, progress, context.CancellationToken);
            if (ids.Count > 0)
                await timer.WarmUpAsync([.. Rows(Files(Math.Min(WarmUpBytes, sizesBytes[0])))]);
            StepResults<IReadOnlyList<TimedResult>> measured = await ProgramRun.RunStepsAsync(
                ids.Count == 0 ? [] : sizesBytes,
                size =>
                {
                    progress.Show(() => "making the text");
                    MethodFiles files = Files(size);
                    return timer.MeasureAsync(Rows(files), files.RunsPerSlice);
                },
                context.CancellationToken);
            return (checks, timer, measured);

            MethodFiles Files(int sizeBytes)
            {
                var files = new MethodFiles(folder, sizeBytes, context.CancellationToken);
                files.Make();
                return files;
            }
        });
        string[] notes = timer.Rounds == 0 ? [] :
        [
            .. TimedReport.Notes(timer.Rounds),
            "every result was compared with the text: bytes and characters one by one, lines by number and CRC-32C. Lines that a method "
                + "hands out one at a time are summed up while the clock runs",
            .. timer.Notes,
        ];
        return run.Finish(
            measured, "The methods of reading and writing a text file", notes,
            [
                .. TimedReport.Sections(timer.Results, "method", bySize: true),
                .. checks.Count == 0 ? [] : new[] { Section(checks) },
            ],
            [
                .. timer.Errors,
                .. checks.Where(c => c.Failure is not null).Select(c => $"WinFileIO, {c.Name}, failed: {c.Failure}"),
            ]);
    }

    private IEnumerable<TimedRow> Rows(MethodFiles files) => files.Rows.Where(r => ids.Contains(r.Id));

    private static PageSection Section(IReadOnlyList<(string Name, string? Failure)> checks) => new()
    {
        Heading = "WinFileIO unit tests",
        Tables =
        [
            new PageTable(
                [PageColumn.Text("test"), PageColumn.Text("result")],
                [.. checks.Select(c => new PageRow(c.Name, c.Failure is null ? "passed" : $"FAILED: {c.Failure}"))]),
        ],
    };
}
