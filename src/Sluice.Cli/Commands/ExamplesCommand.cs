using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice examples`: the common ways of reading and writing a file in sequence, timed, checked, and shown as code.</summary>
internal sealed class ExamplesCommand(
    ExamplesOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    private const double SecondsOfWarmUp = 0.4;
    private const double SecondsOfGiB = 2;
    private const long WarmUpRecords = 1_000;

    private readonly Dictionary<ExampleCase, string> _unsupported = [];

    // A link stays one, and what it points to is made.
    private readonly string? _file = options.File is { } file ? Resolve(file) : null;

    // Set before anything is measured: there was a file, and its replacement was agreed to.
    private bool _mayReplace;

    private long FileBytes => options.Count * RecordSource.RecordBytes;

    public Task<int> RunAsync()
    {
        if (options.Show is { } shown)
        {
            Show(shown);
            return Task.FromResult(ExitCode.Success);
        }
        if (options.List)
        {
            List();
            return Task.FromResult(ExitCode.Success);
        }
        return MeasureAllAsync();
    }

    private static string Resolve(string file) =>
        new FileInfo(file).LinkTarget is null ? Path.GetFullPath(file) : RealPath.Of(file);

    private void Show(ExampleCase shown)
    {
        terminal.Out.WriteLine($"// {shown.Name}, as it is compiled into this tool. In a program of yours, write: using Sluice;");
        terminal.Out.WriteLine(shown.Writes
            ? "// 'records' makes what is written: records of 100 bytes, one after the other or as many as a block holds."
            : "// 'seen' counts and sums up what is read, so that the result can be checked.");
        terminal.Out.Write(shown.Code());
    }

    private void List()
    {
        var table = new TextTable("case", "") { LeftColumns = new HashSet<int> { 0, 1 } };
        foreach (ExampleCase example in options.Cases)
            table.Add(example.Name, example.Summary);
        table.WriteTo(terminal);
    }

    private async Task<int> MeasureAllAsync()
    {
        string folder = _file is null ? Path.GetTempPath() : Path.GetDirectoryName(_file) ?? _file;
        ProgramRun.Prepare(folder, FileBytes, terminal);
        CheckFile();
        options.Output.Check(terminal, _file);
        if (!options.Quiet)
        {
            ProgramRun.Announce(terminal, $"{Counted.Of(options.Cases.Count, "case")}, {Counted.Of(options.Rounds, "round")}",
                options.Cases.Count * (SecondsOfWarmUp + (SecondsOfGiB * options.Rounds * FileBytes / ByteSize.GiB)));
        }

        DateTimeOffset began = DateTimeOffset.UtcNow;
        EnvironmentRecord environment = EnvironmentProbe.ForPath(folder);
        var results = options.Cases.ToDictionary(c => c, _ => new ExampleTimes());
        StepResults<ExampleCase?> measured;
        string? cachingReason;
        uint crc;
        IOException? failure = null;
        using (ScratchFolder scratch = ScratchFolder.Create(folder, terminal.TellAtEnd))
        {
            // Beside FILE and not in it: nobody finds half a file under its name, whatever ends the run.
            string path = Path.Combine(scratch.FullPath, "records.dat");
            cachingReason = WhyNotDirect(scratch.FullPath);
            using (var progress = new LiveProgress(terminal, options.Quiet))
                (measured, crc) = await MeasureAsync(path, results, progress);
            if (_file is { } file && measured.ExitCode == ExitCode.Success)
                failure = MoveTo(file, path);
        }
        var page = new ReportPage
        {
            Title = $"{Counted.Of(options.Count, "record")} of {RecordSource.RecordBytes} bytes, read and written in sequence",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = environment,
            Notes = Notes(results.Values.Max(t => t.Seconds.Count), crc, cachingReason, measured, failure),
            Sections = ExampleReport.Sections(results.Where(r => r.Value.Seconds.Count > 0).ToDictionary(), FileBytes),
        };
        int exitCode = ProgramRun.Finish(terminal, options.Output, page, measured);
        if (failure is not null)
            terminal.WriteError(ErrorText.Of(failure));
        int wrong = Math.Max(ReportWrong(results), failure is null ? ExitCode.Success : ExitCode.IoError);
        return exitCode == ExitCode.Success ? wrong : exitCode;
    }

    /// <returns>Why it has not got its name: what was measured is told all the same.</returns>
    private IOException? MoveTo(string file, string made)
    {
        try
        {
            // Consent was to what was there: what has come since is somebody's.
            File.Move(made, file, overwrite: options.Force || _mayReplace);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return new IOException($"{file} was not made: {ErrorText.Of(e)}", e);
        }
    }

    private void CheckFile()
    {
        if (_file is not { } file)
            return;
        if (Directory.Exists(file))
            throw new UsageException($"{file} is a directory");
        _mayReplace = File.Exists(file);
        if (!_mayReplace)
            return;
        if (PathKinds.Of(file) is not (PathKind.RegularFile or PathKind.Unknown))
            throw new UsageException($"{file} is no plain file");
        if (options.Force)
            return;
        string question = $"{file} exists ({ByteSize.Format(new FileInfo(file).Length)}). Replace it?";
        terminal.RequireConsent(file, question, $"{file} exists: replacing it needs --force");
    }

    private async Task<(StepResults<ExampleCase?> Measured, uint Crc)> MeasureAsync(
        string path, Dictionary<ExampleCase, ExampleTimes> results, LiveProgress progress)
    {
        var warmUp = new ExampleRun(path, Math.Min(WarmUpRecords, options.Count), cancellationToken);
        progress.Show(() => "warming up");
        warmUp.MakeFile();
        await CodeWarmUp.RunAsync(async () =>
        {
            foreach (ExampleCase example in options.Cases)
            {
                try
                {
                    for (int i = 0; i < CodeWarmUp.Calls && !_unsupported.ContainsKey(example); i++)
                        await warmUp.MeasureAsync(example, new ExampleTimes());
                }
                catch (NotSupportedException e)
                {
                    // A file system without preallocation, say: the other cases do not need it.
                    _unsupported.Add(example, ErrorText.Of(e).ReplaceLineEndings(" "));
                    warmUp.MakeFile();
                }
            }
        }, cancellationToken);

        if (_unsupported.Count == options.Cases.Count)
            throw new NotSupportedException(_unsupported.Values.First());

        var run = new ExampleRun(path, options.Count, cancellationToken);
        StepResults<ExampleCase?> measured = await ProgramRun.RunStepsAsync(Steps(), async step =>
        {
            if (step.Case is not { } example)
            {
                run.MakeFile();
                return null;
            }
            progress.Show(() => $"round {step.Round} of {options.Rounds}: {example.Name}");
            run.Settle(example);
            await run.MeasureAsync(example, results[example]);
            return example;
        }, cancellationToken);
        return (measured, run.Crc);
    }

    /// <summary>In each round the cases that write, the making of the file that is read, and the cases that read.</summary>
    private IEnumerable<(int Round, ExampleCase? Case)> Steps()
    {
        for (int round = 1; round <= options.Rounds; round++)
        {
            ExampleCase[] cases = [.. Rounds.ThereAndBack(options.Cases, round - 1).Where(c => !_unsupported.ContainsKey(c))];
            foreach (ExampleCase example in cases.Where(c => c.Writes))
                yield return (round, example);
            yield return (round, null);
            foreach (ExampleCase example in cases.Where(c => !c.Writes))
                yield return (round, example);
        }
    }

    private static string? WhyNotDirect(string folder)
    {
        string path = Path.Combine(folder, "probe.dat");
        using var handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, options: FileOptions.DeleteOnClose,
            caching: FileCaching.Direct);
        return handle.CachingReason;
    }

    private IReadOnlyList<string> Notes(
        int rounds, uint crc, string? cachingReason, StepResults<ExampleCase?> measured, Exception? failure) =>
    [
        $"{ProgramRun.Rounds(rounds)}; ratio: against the first .NET way of the same unit, above 1 is faster; every result was compared "
            + $"with the records (count and CRC-32C; of the file {crc:x8})",
        "reading: from the page cache, but for direct; writing: until the system has the bytes, or, direct, the device",
        .. cachingReason is { } reason ? [$"direct took no effect here: {reason}"] : Array.Empty<string>(),
        .. _unsupported.Select(u => $"{u.Key.Name} was not measured: {u.Value}"),
        .. measured.Notes(),
        .. _file is { } file && (failure is not null || measured.ExitCode != ExitCode.Success)
            ? [$"{file} was not made"]
            : Array.Empty<string>(),
    ];

    private int ReportWrong(Dictionary<ExampleCase, ExampleTimes> results)
    {
        int exitCode = ExitCode.Success;
        foreach ((ExampleCase example, ExampleTimes times) in results.Where(r => r.Value.Difference is not null))
        {
            terminal.WriteError($"{example.Name} gave a wrong result: {times.Difference}");
            exitCode = ExitCode.IoError;
        }
        return exitCode;
    }
}
