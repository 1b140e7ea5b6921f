using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice methods`: every way of reading and writing a whole text file, timed and checked.</summary>
internal sealed class MethodsCommand(MethodsOptions options, CommandContext context)
{
    private const int WarmUpBytes = 64 << 10;
    private const double WarmUpSeconds = 6;
    private const double SecondsOfMiB = 0.005;

    public async Task<int> RunAsync()
    {
        var run = new MeasuringRun(context, options.Directory, options.Output, options.Quiet || options.Methods.Count == 0);
        // The space is needed for the file that is read and the one that is written.
        run.Prepare(
            2L * options.SizesBytes[^1], $"{Counted.Of(options.Methods.Count, "method")}, {Counted.Of(options.Rounds, "round")}",
            WarmUpSeconds
                + (SecondsOfMiB * options.Methods.Count * (options.Rounds + 1) * options.SizesBytes.Sum(s => (long)s) / ByteSize.MiB));
        IReadOnlyList<(string Name, string? Failure)> checks = [];
        StepResults<MethodSize> measured = await run.InScratchAsync(async (folder, progress) =>
        {
            checks = options.UnitTests ? new WinFileIOChecks(folder).Run() : [];
            await WarmUpAsync(folder, progress);
            return await ProgramRun.RunStepsAsync(
                options.Methods.Count == 0 ? [] : options.SizesBytes, size => MeasureAsync(folder, size, progress),
                context.CancellationToken);
        });
        MethodSize[] sizes = [.. measured.Results.Where(s => s.Rates.Count > 0)];
        int rounds = sizes.SelectMany(s => s.Rates.Values).Max(r => (int?)r.SliceRates.Count) ?? 0;
        string[] notes = sizes.Length == 0 ? [] :
        [
            $"{ProgramRun.Rounds(rounds)}; ratio: against the fastest .NET way of the same table and size, above 1 is faster",
            "every result was compared with the text: bytes and characters one by one, lines by number and CRC-32C. Lines that a method "
                + "hands out one at a time are summed up while the clock runs",
            "reading: from the page cache, but for direct; writing: a new file, until the system has the bytes, or, direct, the device",
        ];
        int exitCode = run.Finish(
            measured, "The methods of reading and writing a text file", notes,
            [
                .. sizes.Length == 0 ? [] : MethodReport.Sections(options.Methods, sizes),
                .. checks.Count == 0 ? [] : new[] { Section(checks) },
            ]);
        string[] wrong =
        [
            .. measured.Results.SelectMany(s => s.Wrong.Select(w => $"{w.Key.Name}, {s.Name}, gave a wrong result: {w.Value}")),
            .. checks.Where(c => c.Failure is not null).Select(c => $"WinFileIO, {c.Name}, failed: {c.Failure}"),
        ];
        Array.ForEach(wrong, context.Terminal.WriteError);
        return exitCode == ExitCode.Success && wrong.Length > 0 ? ExitCode.IoError : exitCode;
    }

    private async Task WarmUpAsync(string folder, LiveProgress progress)
    {
        if (options.Methods.Count == 0)
            return;
        progress.Show(() => "warming up");
        using var run = new MethodRun(folder, Math.Min(WarmUpBytes, options.SizesBytes[0]), context.CancellationToken)
        {
            Runs = TurnRunner.WarmUpCalls,
        };
        await new TurnRunner(TimeSpan.Zero, rounds: 0, context.CancellationToken).WarmUpAsync([.. options.Methods.Select(run.ContenderOf)]);
    }

    private async Task<MethodSize> MeasureAsync(string folder, int sizeBytes, LiveProgress progress)
    {
        string size = MethodSize.NameOf(sizeBytes);
        progress.Show(() => $"{size}: making the text");
        using var run = new MethodRun(folder, sizeBytes, context.CancellationToken);
        var turns = new TurnRunner(TimeSpan.Zero, options.Rounds, context.CancellationToken)
        {
            Progress = (round, contender) => progress.Show(() => $"{size}: round {round} of {options.Rounds}, {contender.Name}"),
        };
        IReadOnlyList<ContenderReport?> rates = await turns.MeasureAsync([.. options.Methods.Select(run.ContenderOf)]);
        return new MethodSize(
            sizeBytes, options.Methods.Zip(rates).Where(m => m.Second is not null).ToDictionary(m => m.First, m => m.Second!), run.Wrong);
    }

    private static PageSection Section(IReadOnlyList<(string Name, string? Failure)> checks) => new()
    {
        Heading = "WinFileIO unit tests",
        Tables =
        [
            new PageTable
            {
                Columns = [PageColumn.Text("test"), PageColumn.Text("result")],
                Rows = [.. checks.Select(c => new PageRow(c.Name, c.Failure is null ? "passed" : $"FAILED: {c.Failure}"))],
            },
        ],
    };
}
