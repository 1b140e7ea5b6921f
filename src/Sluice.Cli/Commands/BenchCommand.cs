using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Programs;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice bench`: runs the suites' rows in a scratch folder of its own and removes it, however the run ends.</summary>
internal sealed class BenchCommand(BenchOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    private readonly IReadOnlyList<(Suite Suite, Row Row)> _selected = options.SelectRows();

    public async Task<int> RunAsync()
    {
        BenchScale scale = options.Scale;
        // Rows that lack room are skipped one by one.
        ProgramRun.Prepare(options.Directory, BenchScale.SpareBytes, _terminal);
        options.Output.Check(_terminal);
        FioRunner fio = FioRunner.Detect();
        EnvironmentRecord environment = EnvironmentProbe.ForPath(options.Directory);
        PageText.WriteTop(_terminal, BenchPage.Title, environment);
        ProgramRun.Announce(_terminal, Counted.Of(_selected.Count, "row"), options.Seconds);
        DateTimeOffset started = DateTimeOffset.UtcNow;
        var skipped = new List<SkippedRow>();
        StepResults<RowReport[]> measured = await MeasureAsync(fio, scale, skipped);

        var report = new BenchReport
        {
            Started = started,
            Arguments = context.Arguments,
            Environment = environment,
            Fio = fio.Description,
            Quick = options.Quick,
            Seconds = Math.Round(measured.Time.TotalSeconds, 1),
            Interrupted = measured.Interrupted,
            Failure = measured.Failure is { } failure ? ErrorText.Of(failure) : null,
            Rows = [.. measured.Results.SelectMany(r => r)],
            Skipped = skipped,
        };
        ReportPage page = BenchPage.Of(report);
        if (options.IsEveryday)
            EverydayText.Write(_terminal, report);
        else
            PageText.WriteResult(_terminal, page, hasBars: false);
        options.Output.Write(
            _terminal, page,
            json: writer => JsonFile.Write(writer, report, BenchJsonContext.Default.BenchReport),
            csv: writer => PageCsv.WriteTable(writer, BenchTable.Flat(report)));
        measured.ReportFailure(_terminal);
        return measured.ExitCode;
    }

    /// <param name="skipped">Gets the rows that cannot be measured here, each of which gives null.</param>
    private async Task<StepResults<RowReport[]>> MeasureAsync(FioRunner fio, BenchScale scale, List<SkippedRow> skipped)
    {
        using ScratchFolder scratch = ScratchFolder.Create(options.Directory, _terminal.TellAtEnd);
        using var progress = new LiveProgress(_terminal, quiet: false);
        var bench = new BenchContext(scratch.FullPath, scale, _cancellationToken);
        var timeLeft = new BenchTimeLeft([.. _selected.Select(s => s.Suite.SecondsOfRow)]);
        var runner = new RowRunner(bench, fio, _cancellationToken);
        return await ProgramRun.RunStepsAsync(_selected.Index(), async step =>
        {
            (Suite suite, Row row) = step.Item;
            string left = timeLeft.Text(step.Index);
            progress.Show(() => $"{step.Index + 1} of {_selected.Count}{left}: {row.Name}");
            try
            {
                return await runner.RunAsync(suite, row);
            }
            catch (RowSkippedException e)
            {
                // The program failed because the signal reached it too. This is no reason to skip a row.
                _cancellationToken.ThrowIfCancellationRequested();
                skipped.Add(Skip(e.Message));
                return [];
            }
            catch (NotSupportedException e)
            {
                // A file system without preallocation, say: the other rows do not need it.
                skipped.Add(Skip(ErrorText.Of(e).ReplaceLineEndings(" ")));
                return [];
            }
            catch (IOException e) when (IsDiskFull(e))
            {
                skipped.Add(Skip(ErrorText.Of(e)));
                return [];
            }

            SkippedRow Skip(string reason) => new(row.Id, reason) { Name = row.Name };
        }, _cancellationToken);
    }

    /// <summary>ENOSPC, EDQUOT, or the same of Windows.</summary>
    private static bool IsDiskFull(IOException error) => error.HResult is 28 or 122 or unchecked((int)0x80070070);
}
