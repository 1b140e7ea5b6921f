using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice examples`: the common ways of reading and writing a file in sequence, timed, checked, and shown as code.</summary>
/// <param name="file">The file to create and keep; null for a temporary file, which is removed.</param>
/// <param name="count">The number of records of 100 bytes.</param>
internal sealed class ExamplesCommand(
    string? file, long count, int rounds, IReadOnlyList<ExampleCase> cases, bool force, bool quiet, CommandContext context)
{
    private const long MaxRecords = 10_000_000_000;
    private const double SecondsOfWarmUp = 0.4;
    private const double SecondsOfGiB = 2;
    private const long WarmUpRecords = 1_000;

    private readonly Dictionary<ExampleCase, ContenderReport> _rates = [];
    private readonly Dictionary<string, string> _unsupported = new(StringComparer.Ordinal);

    // If the file is a symbolic link, this is the path of its target, so that the link stays.
    private readonly string? _file = file is null ? null : Resolve(file);

    // Set before the measurement if the file existed and the user consented to replace it.
    private bool _mayReplace;

    private long FileBytes => count * RecordSource.RecordBytes;

    public static CommandBinder Define(OptionList command)
    {
        Argument<string?> fileArgument =
            command.OptionalArgument("FILE", "The file to create, which is kept (a temporary file, which is removed).");
        Argument<string?> countArgument = command.OptionalArgument("COUNT",
            "Records of 100 bytes in it (1000000). The original form: examples FILE COUNT.");
        Option<string> countOption = command.Value("--count", null, "N", "The same as COUNT, without a FILE (1000000).");
        Option<string> rounds = command.Rounds();
        Option<string> names = command.Value("--case", null, "names",
            "Only these cases, separated by commas; a part of a name selects all cases that contain it (all).");
        Option<bool> list = command.Flag("--list", null, "List the cases.");
        Option<string> show = command.Value("--show", null, "case", "Print the code of a case (none).");
        Option<bool> quiet = command.Flag("--quiet", "q", "Show no progress.");
        Option<bool> force = command.Flag("--force", null, "Replace an existing FILE without asking.");
        return (result, context) =>
        {
            string? file = result.GetValue(fileArgument);
            string? counted = result.GetValue(countArgument);
            string? option = result.GetValue(countOption);
            if (file is "")
                throw new UsageException("FILE is empty");
            if (counted is not null && option is not null)
                throw new UsageException("COUNT and --count are the same: give one");
            string? shown = result.GetValue(show);
            if ((result.GetValue(list) || shown is not null) && context.Output.Named.Count > 0)
                throw new UsageException("--list and --show measure nothing: there is no result to write");
            long count = OptionText.Whole("--count", counted ?? option, 1, MaxRecords) ?? 1_000_000;
            int times = OptionText.Rounds(result.GetValue(rounds), 5);
            IReadOnlyList<ExampleCase> cases = result.GetValue(names) is { } chosen
                ? OptionText.Matching("--case", chosen, ExampleCases.All, c => c.Name)
                : ExampleCases.All;
            if (shown is null && !result.GetValue(list))
                return new ExamplesCommand(file, count, times, cases, result.GetValue(force), result.GetValue(quiet), context).RunAsync;
            ExampleCase? one = shown is null ? null : OptionText.Matching("--show", shown, ExampleCases.All, c => c.Name)[0];
            return () =>
            {
                if (one is null)
                    List(cases, context.Terminal);
                else
                    Show(one, context.Terminal);
                return Task.FromResult(ExitCode.Success);
            };
        };
    }

    private static string Resolve(string file) =>
        new FileInfo(file).LinkTarget is null ? Path.GetFullPath(file) : RealPath.Of(file);

    private static void Show(ExampleCase shown, TerminalStreams terminal)
    {
        terminal.Out.WriteLine($"// {shown.Name}, as it is compiled into this tool. In a program of yours, write: using Sluice;");
        terminal.Out.WriteLine(shown.Writes
            ? "// 'records' makes what is written: records of 100 bytes, one after the other or as many as a block holds."
            : "// 'seen' counts and sums up what is read, so that the result can be checked.");
        terminal.Out.Write(shown.Code());
    }

    private static void List(IEnumerable<ExampleCase> cases, TerminalStreams terminal) => new TextTable(new PageTable(
        [PageColumn.Text("case"), PageColumn.Text("")],
        [.. cases.Select(c => new PageRow(c.Name, c.Summary))])).WriteTo(terminal);

    public async Task<int> RunAsync()
    {
        string folder = _file is null ? Path.GetTempPath() : Path.GetDirectoryName(_file) ?? _file;
        CheckFile();
        var run = new MeasuringRun(context, folder, quiet);
        run.Prepare(
            FileBytes, $"{Counted.Of(cases.Count, "case")}, {Counted.Of(rounds, "round")}",
            cases.Count * (SecondsOfWarmUp + (SecondsOfGiB * rounds * FileBytes / ByteSize.GiB)), subject: _file);
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
            measuring = new ExampleRun(path, count, runs: 1, context.CancellationToken);
            StepResults<bool> all = await ProgramRun.RunStepsAsync(
                [true, false], writes => MeasureAsync(measuring, writes, progress), context.CancellationToken);
            if (_file is not null && all.ExitCode == ExitCode.Success)
                failure = MoveTo(_file, path);
            return all;
        });
        int measuredRounds = _rates.Values.Max(r => (int?)r.SliceRates.Count) ?? 0;
        string?[] notes =
        [
            $"{ProgramRun.Rounds(measuredRounds)}; ratio: against the first .NET way of the same unit, above 1 is faster; every result was "
                + $"compared with the records (count and CRC-32C; of the file {measuring!.Crc:x8})",
            "reading: from the page cache, but for direct; writing: until the system has the bytes, or, direct, the device",
            cachingReason is null ? null : $"direct took no effect here: {cachingReason}",
            .. _unsupported.Select(u => $"{u.Key} was not measured: {u.Value}"),
            _file is not null && (failure is not null || measured.ExitCode != ExitCode.Success) ? $"{_file} was not made" : null,
        ];
        return run.Finish(
            measured, $"{Counted.Of(count, "record")} of {RecordSource.RecordBytes} bytes, read and written in sequence", notes,
            ExampleReport.Sections(_rates, measuring.Wrong, FileBytes),
            [
                .. failure is null ? [] : new[] { ErrorText.Of(failure) },
                .. measuring.Wrong.Select(w => $"{w.Key.Name} gave a wrong result: {w.Value}"),
            ]);
    }

    private async Task WarmUpAsync(string path)
    {
        var warmUp = new ExampleRun(path, Math.Min(WarmUpRecords, count), TurnRunner.WarmUpCalls, context.CancellationToken);
        var turns = new TurnRunner(TimeSpan.Zero, rounds: 0, context.CancellationToken);
        await turns.WarmUpAsync([.. cases.Where(c => c.Writes).Select(warmUp.ContenderOf)], _unsupported);
        warmUp.MakeFile();
        await turns.WarmUpAsync([.. cases.Where(c => !c.Writes).Select(warmUp.ContenderOf)], _unsupported);
        if (_unsupported.Count == cases.Count)
            throw new NotSupportedException(_unsupported.Values.First());
    }

    /// <summary>Measures the cases that write; or creates the file to read, and measures the cases that read.</summary>
    private async Task<bool> MeasureAsync(ExampleRun run, bool writes, LiveProgress progress)
    {
        if (!writes)
            run.MakeFile();
        ExampleCase[] measured = [.. cases.Where(c => c.Writes == writes && !_unsupported.ContainsKey(c.Name))];
        var turns = new TurnRunner(TimeSpan.Zero, rounds, context.CancellationToken)
        {
            Progress = (round, contender) => progress.Show(() => $"round {round} of {rounds}: {contender.Name}"),
        };
        IReadOnlyList<ContenderReport?> rates = await turns.MeasureAsync([.. measured.Select(run.ContenderOf)]);
        foreach ((ExampleCase example, ContenderReport? rate) in measured.Zip(rates))
        {
            if (rate is not null)
                _rates.Add(example, rate);
        }
        return true;
    }

    /// <returns>The error if the file could not be renamed; otherwise, null. The results are reported in both cases.</returns>
    private IOException? MoveTo(string target, string made)
    {
        try
        {
            // The consent applies to the file that existed at that time, and not to a file that was created later.
            File.Move(made, target, overwrite: force || _mayReplace);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return new IOException($"{target} was not made: {ErrorText.Of(e)}", e);
        }
    }

    private void CheckFile()
    {
        if (_file is null)
            return;
        if (Directory.Exists(_file))
            throw new UsageException($"{_file} is a directory");
        _mayReplace = File.Exists(_file);
        if (!_mayReplace)
            return;
        if (PathKinds.Of(_file) is not (PathKind.RegularFile or PathKind.Unknown))
            throw new UsageException($"{_file} is not a regular file");
        if (force)
            return;
        string question = $"{_file} exists ({ByteSize.Format(new FileInfo(_file).Length)}). Replace it?";
        context.Terminal.RequireConsent(_file, question, $"{_file} exists: replacing it needs --force");
    }

    private static string? WhyNotDirect(string folder)
    {
        string path = Path.Combine(folder, "probe.dat");
        using var handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, options: FileOptions.DeleteOnClose,
            caching: FileCaching.Direct);
        return handle.CachingReason;
    }
}
