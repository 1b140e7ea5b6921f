using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>`sluice bench`: runs the suites' rows in a scratch folder of its own and removes it, however the run ends.</summary>
internal sealed class BenchCommand(
    BenchOptions options, IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken)
{
    private readonly IReadOnlyList<(Suite Suite, Row Row)> _selected = options.SelectRows();

    public async Task<int> RunAsync()
    {
        if (!Directory.Exists(options.Directory))
            throw new DirectoryNotFoundException($"{options.Directory}: no such directory");
        options.Output.Check(terminal);
        BenchScale scale = options.Scale;
        foreach (string leftover in ScratchFolder.RemoveLeftovers(options.Directory))
            await terminal.Error.WriteLineAsync($"removed {leftover}, left behind by a run that was killed");

        // Files stay until the end of the run, so the suites' spaces add up.
        long spaceBytes = _selected.Select(s => s.Suite).Distinct().Sum(s => s.SpaceBytes(scale));
        if (EnvironmentProbe.FreeBytesAt(options.Directory) is { } free && free < spaceBytes)
            throw new IOException($"{options.Directory}: {ByteSize.Format(spaceBytes)} needed, {ByteSize.Format(free)} free");
        FioPeer fio = await FioPeer.DetectAsync(cancellationToken);
        EnvironmentRecord environment = EnvironmentProbe.ForPath(options.Directory);
        BenchText.WriteHeader(terminal, environment, fio.Description);
        DateTimeOffset started = DateTimeOffset.UtcNow;
        long start = Stopwatch.GetTimestamp();
        var rows = new List<RowReport>();
        var skipped = new List<SkippedRow>();
        (bool interrupted, ExceptionDispatchInfo? failure) = await RunRowsAsync(fio, scale, rows, skipped);

        var report = new BenchReport
        {
            Started = started,
            Arguments = arguments,
            Environment = environment,
            Fio = fio.Description,
            Quick = options.Quick,
            Short = options.IsShort,
            Seconds = Math.Round(Stopwatch.GetElapsedTime(start).TotalSeconds, 1),
            Interrupted = interrupted,
            Rows = rows,
            Skipped = skipped,
        };
        if (rows.Count > 0)
            BenchText.WriteTable(terminal, report);
        BenchText.WriteSummary(terminal, report);
        options.Output.Write(
            BenchPage.Of(report),
            json: path => JsonFile.Write(path, report, ReportJsonContext.Default.BenchReport),
            csv: path => BenchCsv.Write(path, report));
        failure?.Throw();
        return interrupted ? ExitCode.Interrupted : ExitCode.Success;
    }

    /// <returns>Whether it was interrupted, and what a row failed with; the rows measured until then are kept either way.</returns>
    private async Task<(bool Interrupted, ExceptionDispatchInfo? Failure)> RunRowsAsync(
        FioPeer fio, BenchScale scale, List<RowReport> rows, List<SkippedRow> skipped)
    {
        using ScratchFolder scratch = ScratchFolder.Create(options.Directory);
        using var progress = new LiveProgress(terminal, quiet: false);
        using var context = new BenchContext(scratch.FullPath, scale, cancellationToken);
        var runner = new RowRunner(context, fio, cancellationToken);
        try
        {
            foreach ((Suite suite, Row row) in _selected)
            {
                int number = rows.Count + skipped.Count + 1;
                progress.Show(() => $"{number} of {_selected.Count}: {row.Name}");
                try
                {
                    rows.Add(await runner.RunAsync(suite, row));
                }
                catch (RowSkippedException e)
                {
                    skipped.Add(new SkippedRow(row.Id, e.Message));
                }
            }
            return (false, null);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return (true, null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return (false, ExceptionDispatchInfo.Capture(e));
        }
    }
}
