using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>`sluice methods`: every way of reading and writing a whole text file, timed and checked.</summary>
internal sealed class MethodsCommand(
    MethodsOptions options, IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken)
{
    // Of which a round makes 15 runs: two, and the one before them, are the calls of a warm-up.
    private const int WarmUpBytes = 64 << 10;
    private const int WarmUpRounds = 2;

    public async Task<int> RunAsync()
    {
        if (!Directory.Exists(options.Directory))
            throw new DirectoryNotFoundException($"{options.Directory}: no such directory");
        // The file that is read and the one that is written.
        long needed = 2L * options.SizesBytes[^1];
        if (EnvironmentProbe.FreeBytesAt(options.Directory) is { } free && free < needed)
            throw new IOException($"{options.Directory}: {ByteSize.Format(needed)} needed, {ByteSize.Format(free)} free");
        options.Output.Check(terminal);
        foreach (string leftover in ScratchFolder.RemoveLeftovers(options.Directory))
            await terminal.Error.WriteLineAsync($"removed {leftover}, left behind by a run that was killed");

        DateTimeOffset began = DateTimeOffset.UtcNow;
        IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> results;
        IReadOnlyList<(string Name, string? Failure)> checks;
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory))
        using (var progress = new LiveProgress(terminal, options.Quiet))
        {
            checks = options.UnitTests ? new WinFileIOChecks(scratch.FullPath).Run() : [];
            if (options.Methods.Count > 0)
                await WarmUpAsync(scratch.FullPath, progress);
            results = options.Methods.Count == 0
                ? []
                : [.. options.SizesBytes.Select(size => (size, Measure(scratch.FullPath, size, progress)))];
        }
        var page = new ReportPage
        {
            Title = "The methods of reading and writing a text file",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes = results.Count == 0 ? [] : Notes(),
            Sections = [.. results.Count == 0 ? [] : MethodReport.Sections(results), .. checks.Count == 0 ? (PageSection[])[] : [Section(checks)]],
        };
        PageText.Write(terminal, page);
        options.Output.Write(page);
        return ReportWrong(results, checks);
    }

    private Task WarmUpAsync(string folder, LiveProgress progress)
    {
        progress.Show(() => "warming up");
        return CodeWarmUp.RunAsync(() =>
        {
            new MethodRun(folder, Math.Min(WarmUpBytes, options.SizesBytes[0]), cancellationToken).Run(options.Methods, WarmUpRounds, (_, _) => { });
            return Task.CompletedTask;
        }, cancellationToken);
    }

    private IReadOnlyDictionary<Method, MethodTimes> Measure(string folder, int sizeBytes, LiveProgress progress)
    {
        progress.Show(() => $"{MethodReport.SizeName(sizeBytes)}: making the text");
        return new MethodRun(folder, sizeBytes, cancellationToken).Run(options.Methods, options.Rounds, (round, method) => progress.Show(
            () => $"{MethodReport.SizeName(sizeBytes)}: {(round == 0 ? "warming up" : $"round {round} of {options.Rounds}")}, {method.Name}"));
    }

    private IReadOnlyList<string> Notes() =>
    [
        $"{ProgramRun.Rounds(options.Rounds)}; ratio: against the fastest .NET way of the same table and size, above 1 is faster",
        "every result was compared with the text: bytes and characters one by one, lines by number and CRC-32C. Lines that a method hands out one at "
            + "a time are summed up while the clock runs",
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
        IReadOnlyList<(int SizeBytes, IReadOnlyDictionary<Method, MethodTimes> Times)> results, IReadOnlyList<(string Name, string? Failure)> checks)
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
            terminal.Error.WriteLine($"sluice: {message}");
            exitCode = ExitCode.IoError;
        }
    }
}
