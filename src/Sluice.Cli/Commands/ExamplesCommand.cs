using System.CommandLine;
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
/// <param name="file">The file to create and keep; null for a temporary file, which is removed.</param>
/// <param name="count">The number of records of 100 bytes.</param>
/// <param name="cases">The names of the cases to measure.</param>
internal sealed class ExamplesCommand(
    string? file, long count, int rounds, IReadOnlyList<string> cases, bool force, bool quiet, CommandContext context)
{
    private const long MaxRecords = 10_000_000_000;
    private const double SecondsOfWarmUp = 0.4;
    private const double SecondsOfGiB = 2;
    private const long WarmUpRecords = 1_000;

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
            string[] all = [.. new ExampleFile(path: "", count: 0, default).Rows.Select(r => r.Name)];
            IReadOnlyList<string> cases = result.GetValue(names) is { } chosen ? OptionText.Matching("--case", chosen, all, c => c) : all;
            if (shown is null && !result.GetValue(list))
                return new ExamplesCommand(file, count, times, cases, result.GetValue(force), result.GetValue(quiet), context).RunAsync;
            string? one = shown is null ? null : OptionText.Matching("--show", shown, all, c => c)[0];
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

    private static void Show(string shown, TerminalStreams terminal)
    {
        terminal.Out.WriteLine($"// {shown}, as it is compiled into this tool. In a program of yours, write: using Sluice;");
        terminal.Out.WriteLine(shown.StartsWith("write", StringComparison.Ordinal)
            ? "// 'records' makes what is written: records of 100 bytes, one after the other or as many as a block holds."
            : "// 'seen' counts and sums up what is read, so that the result can be checked.");
        terminal.Out.Write(ExampleCode.Of(shown));
    }

    private static void List(IEnumerable<string> cases, TerminalStreams terminal) => new TextTable(new PageTable(
        [PageColumn.Text("case"), PageColumn.Text("")],
        [.. cases.Select(c => new PageRow(c, ExampleCode.SummaryOf(c)))])).WriteTo(terminal);

    private async Task<int> RunAsync()
    {
        string folder = _file is null ? Path.GetTempPath() : Path.GetDirectoryName(_file) ?? _file;
        CheckFile();
        var run = new MeasuringRun(context, folder, quiet);
        run.Prepare(
            FileBytes, $"{Counted.Of(cases.Count, "case")}, {Counted.Of(rounds, "round")}",
            cases.Count * (SecondsOfWarmUp + (SecondsOfGiB * rounds * FileBytes / ByteSize.GiB)), subject: _file);
        string? notDirect = null;
        IOException? failure = null;
        uint crc = 0;
        var (timer, measured) = await run.InScratchAsync(async (scratch, progress) =>
        {
            // The records are written to a temporary file in the folder of FILE, so that no incomplete file gets the name, however the run
            // ends.
            string path = Path.Combine(scratch, "records.dat");
            var timer = new RowTimer(scratch, rounds, progress, context.CancellationToken);
            var few = new ExampleFile(path, Math.Min(WarmUpRecords, count), context.CancellationToken);
            await timer.WarmUpAsync(Rows(few, writes: true));
            few.Make();
            notDirect = DirectIo.Refusal(path);
            await timer.WarmUpAsync(Rows(few, writes: false));
            var records = new ExampleFile(path, count, context.CancellationToken);
            crc = records.Crc;
            StepResults<IReadOnlyList<TimedResult>> measured = await ProgramRun.RunStepsAsync(
                [true, false],
                writes =>
                {
                    if (!writes)
                        records.Make();
                    return timer.MeasureAsync(Rows(records, writes));
                },
                context.CancellationToken);
            if (_file is not null && measured.ExitCode == ExitCode.Success)
                failure = MoveTo(_file, path);
            return (timer, measured);
        });
        string?[] notes =
        [
            .. TimedReport.Notes(timer.Rounds),
            $"every result was compared with the records (count and CRC-32C; of the file {crc:x8})",
            notDirect,
            .. timer.Notes,
            _file is not null && (failure is not null || measured.ExitCode != ExitCode.Success) ? $"{_file} was not made" : null,
        ];
        return run.Finish(
            measured, $"{Counted.Of(count, "record")} of {RecordSource.RecordBytes} bytes, read and written in sequence", notes,
            TimedReport.Sections(timer.Results, "case", bySize: false),
            [.. failure is null ? [] : new[] { ErrorText.Of(failure) }, .. timer.Errors]);
    }

    private TimedRow[] Rows(ExampleFile records, bool writes) =>
        [.. records.Rows.Where(r => r.Writes == writes && cases.Contains(r.Name))];

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
}
