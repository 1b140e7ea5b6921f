using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice examples`: the common ways of reading and writing a file in sequence, timed, checked, and shown as code.</summary>
internal sealed class ExamplesCommand(ExamplesOptions options, CommandContext context)
{
    private const double SecondsOfWarmUp = 0.4;
    private const double SecondsOfGiB = 2;
    private const long WarmUpRecords = 1_000;

    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly Dictionary<ExampleCase, ContenderReport> _rates = [];
    private readonly Dictionary<string, string> _unsupported = new(StringComparer.Ordinal);

    // If the file is a symbolic link, this is the path of its target, so that the link stays.
    private readonly string? _file = options.File is { } file ? Resolve(file) : null;

    // Set before the measurement if the file existed and the user consented to replace it.
    private bool _mayReplace;

    private long FileBytes => options.Count * RecordSource.RecordBytes;

    public Task<int> RunAsync()
    {
        if (options.Show is { } shown)
            Show(shown);
        else if (options.List)
            List();
        else
            return MeasureAllAsync();
        return Task.FromResult(ExitCode.Success);
    }

    private static string Resolve(string file) =>
        new FileInfo(file).LinkTarget is null ? Path.GetFullPath(file) : RealPath.Of(file);

    private void Show(ExampleCase shown)
    {
        _terminal.Out.WriteLine($"// {shown.Name}, as it is compiled into this tool. In a program of yours, write: using Sluice;");
        _terminal.Out.WriteLine(shown.Writes
            ? "// 'records' makes what is written: records of 100 bytes, one after the other or as many as a block holds."
            : "// 'seen' counts and sums up what is read, so that the result can be checked.");
        _terminal.Out.Write(shown.Code());
    }

    private void List()
    {
        new TextTable(new PageTable
        {
            Columns = [PageColumn.Text("case"), PageColumn.Text("")],
            Rows = [.. options.Cases.Select(c => new PageRow(c.Name, c.Summary))],
        }).WriteTo(_terminal);
    }

    private async Task<int> MeasureAllAsync()
    {
        string folder = _file is null ? Path.GetTempPath() : Path.GetDirectoryName(_file) ?? _file;
        ProgramRun.Prepare(folder, FileBytes, _terminal);
        CheckFile();
        options.Output.Check(_terminal, _file);
        if (!options.Quiet)
        {
            ProgramRun.Announce(_terminal, $"{Counted.Of(options.Cases.Count, "case")}, {Counted.Of(options.Rounds, "round")}",
                options.Cases.Count * (SecondsOfWarmUp + (SecondsOfGiB * options.Rounds * FileBytes / ByteSize.GiB)));
        }
        var run = new MeasuringRun(context, folder, options.Output, options.Quiet);
        ExampleRun? measuring = null;
        string? cachingReason = null;
        IOException? failure = null;
        StepResults<bool> measured = await run.InScratchAsync(async (scratch, progress) =>
        {
            // The records are written to a temporary file in the folder of FILE, so that no incomplete file gets the name, however the run
            // ends.
            string path = Path.Combine(scratch, "records.dat");
            cachingReason = WhyNotDirect(scratch);
            progress.Show(() => "warming up");
            await WarmUpAsync(path);
            measuring = new ExampleRun(path, options.Count, runs: 1, context.CancellationToken);
            StepResults<bool> all = await ProgramRun.RunStepsAsync(
                [true, false], writes => MeasureAsync(measuring, writes, progress), context.CancellationToken);
            if (_file is { } file && all.ExitCode == ExitCode.Success)
                failure = MoveTo(file, path);
            return all;
        });
        int rounds = _rates.Values.Max(r => (int?)r.SliceRates.Count) ?? 0;
        string[] notes =
        [
            $"{ProgramRun.Rounds(rounds)}; ratio: against the first .NET way of the same unit, above 1 is faster; every result was "
                + $"compared with the records (count and CRC-32C; of the file {measuring!.Crc:x8})",
            "reading: from the page cache, but for direct; writing: until the system has the bytes, or, direct, the device",
            .. cachingReason is { } reason ? [$"direct took no effect here: {reason}"] : Array.Empty<string>(),
            .. _unsupported.Select(u => $"{u.Key} was not measured: {u.Value}"),
            .. _file is { } made && (failure is not null || measured.ExitCode != ExitCode.Success) ? [$"{made} was not made"]
                : Array.Empty<string>(),
        ];
        int exitCode = run.Finish(
            measured, $"{Counted.Of(options.Count, "record")} of {RecordSource.RecordBytes} bytes, read and written in sequence", notes,
            ExampleReport.Sections(_rates, measuring.Wrong, FileBytes));
        string[] errors =
        [
            .. failure is null ? [] : new[] { ErrorText.Of(failure) },
            .. measuring.Wrong.Select(w => $"{w.Key.Name} gave a wrong result: {w.Value}"),
        ];
        Array.ForEach(errors, _terminal.WriteError);
        return exitCode == ExitCode.Success && errors.Length > 0 ? ExitCode.IoError : exitCode;
    }

    private async Task WarmUpAsync(string path)
    {
        var warmUp = new ExampleRun(path, Math.Min(WarmUpRecords, options.Count), TurnRunner.WarmUpCalls, context.CancellationToken);
        var turns = new TurnRunner(TimeSpan.Zero, rounds: 0, context.CancellationToken);
        await turns.WarmUpAsync([.. options.Cases.Where(c => c.Writes).Select(warmUp.ContenderOf)], _unsupported);
        warmUp.MakeFile();
        await turns.WarmUpAsync([.. options.Cases.Where(c => !c.Writes).Select(warmUp.ContenderOf)], _unsupported);
        if (_unsupported.Count == options.Cases.Count)
            throw new NotSupportedException(_unsupported.Values.First());
    }

    /// <summary>Measures the cases that write; or creates the file to read, and measures the cases that read.</summary>
    private async Task<bool> MeasureAsync(ExampleRun run, bool writes, LiveProgress progress)
    {
        if (!writes)
            run.MakeFile();
        ExampleCase[] cases = [.. options.Cases.Where(c => c.Writes == writes && !_unsupported.ContainsKey(c.Name))];
        var turns = new TurnRunner(TimeSpan.Zero, options.Rounds, context.CancellationToken)
        {
            Progress = (round, contender) => progress.Show(() => $"round {round} of {options.Rounds}: {contender.Name}"),
        };
        foreach ((ExampleCase example, ContenderReport? rate) in cases.Zip(await turns.MeasureAsync([.. cases.Select(run.ContenderOf)])))
        {
            if (rate is not null)
                _rates.Add(example, rate);
        }
        return true;
    }

    /// <returns>The error if the file could not be renamed; otherwise, null. The results are reported in both cases.</returns>
    private IOException? MoveTo(string file, string made)
    {
        try
        {
            // The consent applies to the file that existed at that time, and not to a file that was created later.
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
            throw new UsageException($"{file} is not a regular file");
        if (options.Force)
            return;
        string question = $"{file} exists ({ByteSize.Format(new FileInfo(file).Length)}). Replace it?";
        _terminal.RequireConsent(file, question, $"{file} exists: replacing it needs --force");
    }

    private static string? WhyNotDirect(string folder)
    {
        string path = Path.Combine(folder, "probe.dat");
        using var handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, options: FileOptions.DeleteOnClose,
            caching: FileCaching.Direct);
        return handle.CachingReason;
    }
}
