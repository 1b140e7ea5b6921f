using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Programs;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice bench`: runs the rows of the suites in a scratch folder, and removes the folder at the end.</summary>
internal sealed class BenchCommand(BenchOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    private readonly IReadOnlyList<(Suite Suite, Row Row)> _selected = options.SelectRows();

    public async Task<int> RunAsync()
    {
        var run = new MeasuringRun(context, options.Directory);
        // The space of the rows is not checked here, because a row without enough space is skipped.
        run.Prepare(BenchScale.SpareBytes, Counted.Of(_selected.Count, "row"), options.Seconds);
        FioRunner fio = FioRunner.Detect();
        EnvironmentRecord environment = EnvironmentProbe.ForPath(options.Directory);
        PageText.WriteTop(_terminal, BenchPage.Title, environment);
        DateTimeOffset started = DateTimeOffset.UtcNow;
        var skipped = new List<SkippedRow>();
        StepResults<RowReport[]> measured =
            await run.InScratchAsync((scratch, progress) => MeasureAsync(scratch, fio, skipped, progress));

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
            PageText.WriteResult(_terminal, page);
        context.Output.Write(
            _terminal, page,
            json: writer => JsonFile.Write(writer, report, BenchJsonContext.Default.BenchReport),
            csv: writer => PageCsv.WriteTable(writer, BenchTable.Flat(report)));
        measured.ReportFailure(_terminal);
        return measured.ExitCode;
    }

    /// <param name="skipped">Receives the rows that cannot be measured here. Each of them has an empty result.</param>
    private Task<StepResults<RowReport[]>> MeasureAsync(
        string scratch, FioRunner fio, List<SkippedRow> skipped, LiveProgress progress)
    {
        long start = Stopwatch.GetTimestamp();
        var runner = new RowRunner(new BenchContext(scratch, options.Scale, _cancellationToken), fio, _cancellationToken);
        return ProgramRun.RunStepsAsync(_selected.Index(), async step =>
        {
            (Suite suite, Row row) = step.Item;
            string left = TimeLeft(step.Index, Stopwatch.GetElapsedTime(start));
            progress.Show(() => $"{step.Index + 1} of {_selected.Count}{left}: {row.Name}");
            try
            {
                return await runner.RunAsync(suite, row);
            }
            catch (RowSkippedException e)
            {
                // If Ctrl-C also ended the program that the row runs, the run is interrupted and the row is not skipped.
                _cancellationToken.ThrowIfCancellationRequested();
                skipped.Add(Skip(e.Message));
                return [];
            }
            catch (NotSupportedException e)
            {
                // The row needs a feature that the file system does not support, such as preallocation; other rows may not need it.
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

    /// <summary>
    /// Estimates the rest of the run from the elapsed time and the usual durations of its rows. Empty before the first row is complete.
    /// </summary>
    private string TimeLeft(int done, TimeSpan elapsed)
    {
        if (done == 0)
            return "";
        double rest = _selected.Skip(done).Sum(s => s.Suite.SecondsOfRow) / _selected.Take(done).Sum(s => s.Suite.SecondsOfRow);
        double seconds = elapsed.TotalSeconds * rest;
        return seconds < 90 ? $", about {Math.Max(1, seconds):0} s left" : $", about {seconds / 60:0} min left";
    }

    /// <summary>Returns true for ENOSPC, EDQUOT and ERROR_DISK_FULL of Windows.</summary>
    private static bool IsDiskFull(IOException error) => error.HResult is 28 or 122 or unchecked((int)0x80070070);
}
