using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice methods`: every way of reading and writing a whole text file, timed and checked.</summary>
internal sealed class MethodsCommand(
    MethodsOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    // Of which a round makes 15 runs: two, and the one before them, are the calls of a warm-up.
    private const int WarmUpBytes = 64 << 10;
    private const int WarmUpRounds = 2;
    private const double WarmUpSeconds = 6;
    private const double SecondsOfMiB = 0.005;

    public async Task<int> RunAsync()
    {
        // The file that is read and the one that is written.
        ProgramRun.Prepare(options.Directory, 2L * options.SizesBytes[^1], terminal);
        options.Output.Check(terminal);
        if (!options.Quiet && options.Methods.Count > 0)
        {
            ProgramRun.Announce(terminal, $"{Counted.Of(options.Methods.Count, "method")}, {Counted.Of(options.Rounds, "round")}",
                WarmUpSeconds + (SecondsOfMiB * options.Methods.Count * (options.Rounds + 1) * options.SizesBytes.Sum(s => (long)s) / ByteSize.MiB));
        }

        DateTimeOffset began = DateTimeOffset.UtcNow;
        (int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)[] all =
        [
            .. options.SizesBytes.Select(size =>
                (size, (IReadOnlyDictionary<Method, MethodTimes>)options.Methods.ToDictionary(m => m, _ => new MethodTimes()))),
        ];
        IReadOnlyList<(string Name, string? Failure)> checks;
        StepResults<Method> measured;
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory, terminal.TellAtEnd))
        using (var progress = new LiveProgress(terminal, options.Quiet))
        {
            checks = options.UnitTests ? new WinFileIOChecks(scratch.FullPath).Run() : [];
            if (options.Methods.Count > 0)
                await WarmUpAsync(scratch.FullPath, progress);
            measured = await ProgramRun.RunStepsAsync(Steps(scratch.FullPath, all, progress), step =>
            {
                step.Run.Measure(step.Round, step.Method, step.Times);
                return Task.FromResult(step.Method);
            }, cancellationToken);
        }
        // Ended early, a size or a method may have no time.
        IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> results =
            [.. all.Where(r => r.Times.Values.Any(t => t.Seconds.Count > 0))];
        var page = new ReportPage
        {
            Title = "The methods of reading and writing a text file",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes = [.. results.Count == 0 ? Array.Empty<string>() : Notes(results.Max(r => r.Times.Values.Max(t => t.RoundSeconds.Count))),
                .. measured.Notes()],
            Sections = [.. results.Count == 0 ? [] : MethodReport.Sections(results),
                .. checks.Count == 0 ? (PageSection[])[] : [Section(checks)]],
        };
        int exitCode = ProgramRun.Finish(terminal, options.Output, page, measured);
        int wrong = ReportWrong(all, checks);
        return exitCode == ExitCode.Success ? wrong : exitCode;
    }

    private Task WarmUpAsync(string folder, LiveProgress progress)
    {
        progress.Show(() => "warming up");
        return CodeWarmUp.RunAsync(() =>
        {
            using var run = new MethodRun(folder, Math.Min(WarmUpBytes, options.SizesBytes[0]), cancellationToken);
            foreach ((int round, Method method) in MethodRun.Steps(options.Methods, WarmUpRounds))
                run.Measure(round, method, new MethodTimes());
            return Task.CompletedTask;
        }, cancellationToken);
    }

    /// <summary>Size by size; a size's files are made when its first step is due, and removed after its last.</summary>
    private IEnumerable<(MethodRun Run, int Round, Method Method, MethodTimes Times)> Steps(
        string folder, IEnumerable<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> sizes, LiveProgress progress)
    {
        foreach ((int sizeBytes, IReadOnlyDictionary<Method, MethodTimes> times) in options.Methods.Count == 0 ? [] : sizes)
        {
            string size = MethodReport.SizeName(sizeBytes);
            progress.Show(() => $"{size}: making the text");
            using var run = new MethodRun(folder, sizeBytes, cancellationToken);
            foreach ((int round, Method method) in MethodRun.Steps(options.Methods, options.Rounds))
            {
                progress.Show(() => $"{size}: {(round == 0 ? "warming up" : $"round {round} of {options.Rounds}")}, {method.Name}");
                yield return (run, round, method, times[method]);
            }
        }
    }

    private static IReadOnlyList<string> Notes(int rounds) =>
    [
        $"{ProgramRun.Rounds(rounds)}; ratio: against the fastest .NET way of the same table and size, above 1 is faster",
        "every result was compared with the text: bytes and characters one by one, lines by number and CRC-32C. Lines that a method hands "
            + "out one at a time are summed up while the clock runs",
        "reading: from the page cache, but for direct; writing: a new file, until the system has the bytes, or, direct, the device",
    ];

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

    private int ReportWrong(
        IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> results,
        IReadOnlyList<(string Name, string? Failure)> checks)
    {
        int exitCode = ExitCode.Success;
        foreach ((int size, IReadOnlyDictionary<Method, MethodTimes> times) in results)
        {
            foreach ((Method method, MethodTimes time) in times.Where(t => t.Value.Difference is not null))
                Report($"{method.Name}, {MethodReport.SizeName(size)}, gave a wrong result: {time.Difference}");
        }
        foreach ((string name, string? failure) in checks.Where(c => c.Failure is not null))
            Report($"WinFileIO, {name}, failed: {failure}");
        return exitCode;

        void Report(string message)
        {
            terminal.WriteError(message);
            exitCode = ExitCode.IoError;
        }
    }
}
