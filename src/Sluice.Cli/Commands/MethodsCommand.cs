using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice methods`: every way of reading and writing a whole text file, timed and checked.</summary>
/// <param name="sizesBytes">The sizes of the files, in ascending order.</param>
/// <param name="unitTests">True to run the checks of WinFileIO.</param>
internal sealed class MethodsCommand(
    string directory, IReadOnlyList<int> sizesBytes, IReadOnlyList<Method> methods, bool unitTests, int rounds, bool quiet,
    CommandContext context)
{
    // The maximum size of a file. Three texts of this size are in memory, each in several forms.
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
            Method[] methods = [.. MethodList.All.Where(m => all || (m.Writes ? write : read))];
            return new MethodsCommand(
                result.GetValue(directory) ?? Path.GetTempPath(),
                result.GetValue(size) is { } sizes ? ParseSizes(sizes) : quick ? ArticleSizes[..^1] : ArticleSizes,
                names is null ? methods : OptionText.Matching("--method", names, methods, m => m.Name),
                unitTests || (all && names is null), OptionText.Rounds(result.GetValue(rounds), quick ? 1 : 5), result.GetValue(quiet),
                context).RunAsync;
        };
    }

    private static int[] ParseSizes(string text) =>
        [.. text.Split(',', StringSplitOptions.TrimEntries).Select(ParseSize).Distinct().Order()];

    // The article's size of 0.66 MB is not a whole number of bytes, so it is not parsed as a number.
    private static int ParseSize(string text) => text.Equals("0.66M", StringComparison.OrdinalIgnoreCase)
        ? ArticleSizes[0]
        : (int)OptionText.Size("--size", text, 1, MaxBytes)!.Value;

    public async Task<int> RunAsync()
    {
        var run = new MeasuringRun(context, directory, quiet || methods.Count == 0);
        // The space is needed for the file that is read and the one that is written.
        run.Prepare(
            2L * sizesBytes[^1], $"{Counted.Of(methods.Count, "method")}, {Counted.Of(rounds, "round")}",
            WarmUpSeconds + (SecondsOfMiB * methods.Count * (rounds + 1) * sizesBytes.Sum(s => (long)s) / ByteSize.MiB));
        IReadOnlyList<(string Name, string? Failure)> checks = [];
        StepResults<MethodSize> measured = await run.InScratchAsync(async (folder, progress) =>
        {
            checks = unitTests ? new WinFileIOChecks(folder).Run() : [];
            if (methods.Count > 0)
                await WarmUpAsync(folder, progress);
            return await ProgramRun.RunStepsAsync(
                methods.Count == 0 ? [] : sizesBytes, size => MeasureAsync(folder, size, progress), context.CancellationToken);
        });
        MethodSize[] sizes = [.. measured.Results.Where(s => s.Rates.Count > 0)];
        int measuredRounds = sizes.SelectMany(s => s.Rates.Values).Max(r => (int?)r.SliceRates.Count) ?? 0;
        string[] notes = sizes.Length == 0 ? [] :
        [
            $"{ProgramRun.Rounds(measuredRounds)}; ratio: against the fastest .NET way of the same table and size, above 1 is faster",
            "every result was compared with the text: bytes and characters one by one, lines by number and CRC-32C. Lines that a method "
                + "hands out one at a time are summed up while the clock runs",
            "reading: from the page cache, but for direct; writing: a new file, until the system has the bytes, or, direct, the device",
        ];
        return run.Finish(
            measured, "The methods of reading and writing a text file", notes,
            [
                .. sizes.Length == 0 ? [] : MethodReport.Sections(methods, sizes),
                .. checks.Count == 0 ? [] : new[] { Section(checks) },
            ],
            [
                .. measured.Results.SelectMany(s => s.Wrong.Select(w => $"{w.Key.Name}, {s.Name}, gave a wrong result: {w.Value}")),
                .. checks.Where(c => c.Failure is not null).Select(c => $"WinFileIO, {c.Name}, failed: {c.Failure}"),
            ]);
    }

    private async Task WarmUpAsync(string folder, LiveProgress progress)
    {
        progress.Show(() => "warming up");
        using var run = new MethodRun(folder, Math.Min(WarmUpBytes, sizesBytes[0]), context.CancellationToken)
        {
            Runs = TurnRunner.WarmUpCalls,
        };
        await new TurnRunner(TimeSpan.Zero, rounds: 0, context.CancellationToken).WarmUpAsync([.. methods.Select(run.ContenderOf)]);
    }

    private async Task<MethodSize> MeasureAsync(string folder, int sizeBytes, LiveProgress progress)
    {
        string size = MethodSize.NameOf(sizeBytes);
        progress.Show(() => $"{size}: making the text");
        using var run = new MethodRun(folder, sizeBytes, context.CancellationToken);
        var turns = new TurnRunner(TimeSpan.Zero, rounds, context.CancellationToken)
        {
            Progress = (round, contender) => progress.Show(() => $"{size}: round {round} of {rounds}, {contender.Name}"),
        };
        IReadOnlyList<ContenderReport?> rates = await turns.MeasureAsync([.. methods.Select(run.ContenderOf)]);
        return new MethodSize(
            sizeBytes, methods.Zip(rates).Where(m => m.Second is not null).ToDictionary(m => m.First, m => m.Second!), run.Wrong);
    }

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
