using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>
/// `sluice frag`: fragments a volume by creating files and deleting some at random. If it ends early, it removes all of its files.
/// </summary>
internal sealed class FragCommand(FragOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    public Task<int> RunAsync() => Task.FromResult(Run());

    private int Run()
    {
        if ((options.DryRun || options.Cleanup) && context.Output.Named.Count > 0)
            throw new UsageException($"{(options.DryRun ? "--dry-run" : "--cleanup")} ages nothing: there is no result to write");
        PathArgument.RequireFolder(options.Directory);
        if (options.Cleanup)
            return Cleanup();
        FragSettings settings = options.Settings;
        VolumeSpace space = VolumeSpace.Of(options.Directory);
        long budgetBytes = Math.Min(settings.BudgetBytes(space), options.BudgetBytes ?? long.MaxValue);
        if (budgetBytes < settings.MinSizeBytes + FragPlan.OverheadBytes)
        {
            throw new IOException($"{options.Directory}: nothing can be filled: the volume has {space}, -f is {settings.FillPercent} %, "
                + $"{ByteSize.Format(settings.LeaveBytes)} are to be "
                + $"left{(options.BudgetBytes is { } budget ? $", --budget is {ByteSize.Format(budget)}" : "")}");
        }
        var plan = new FragPlan(settings, budgetBytes);
        if (options.DryRun)
            return PrintPlan(plan, budgetBytes);
        context.Output.Check(_terminal);
        IReadOnlyList<string> earlier = FragFolder.Find(options.Directory);
        if (earlier.Count > 0)
            _terminal.WriteNotice($"{string.Join(", ", earlier)}: of earlier runs; --cleanup removes them");
        RequireConsent(space, budgetBytes);
        return Age(plan, budgetBytes);
    }

    private void RequireConsent(VolumeSpace space, long budgetBytes)
    {
        if (options.Force)
            return;
        string what = $"{options.Directory}: the volume has {space}; "
            + $"up to {ByteSize.Format(budgetBytes)} will be filled and partly deleted, again and again";
        _terminal.RequireConsent(options.Directory, $"{what}. Begin?", $"{what}: beginning needs --force");
    }

    private int Age(FragPlan plan, long budgetBytes)
    {
        DateTimeOffset began = DateTimeOffset.UtcNow;
        long start = Stopwatch.GetTimestamp();
        using OwnedFolder folder = FragFolder.Create(options.Directory);
        try
        {
            var run = new FragRun(options.Settings, folder, FragFolder.CanMap(folder), _cancellationToken);
            using (var progress = new LiveProgress(_terminal, options.Quiet))
            {
                progress.Show(run.ProgressLine);
                run.Execute(plan.Steps());
            }
            FragReport report = Report(run, began, folder.FullPath, budgetBytes, Stopwatch.GetElapsedTime(start));
            // The result files are written before the text: if that fails, the files of the run are removed, and nothing was printed about
            // them.
            context.Output.Write(
                _terminal, FragPage.Of(report), json: writer => JsonFile.Write(writer, report, FragJsonContext.Default.FragReport));
            Print(report);
            return ExitCode.Success;
        }
        catch
        {
            if (FragFolder.Remove(folder))
                _terminal.WriteNotice(Strangers(folder.FullPath));
            throw;
        }
    }

    private FragReport Report(FragRun run, DateTimeOffset began, string folder, long budgetBytes, TimeSpan elapsed) => new(
        Started: began,
        Arguments: context.Arguments,
        Environment: EnvironmentProbe.ForPath(options.Directory),
        Folder: folder,
        Settings: options.Settings,
        BudgetBytes: budgetBytes,
        Cycles: run.Cycles,
        Created: run.Created,
        Deleted: run.Deleted,
        Skipped: run.Skipped,
        WrittenBytes: run.WrittenBytes,
        Files: run.Living,
        FilesBytes: run.LivingBytes,
        UsedPercent: Math.Round(VolumeSpace.Of(options.Directory).UsedPercent, 2),
        CyclePiecesPerFile: run.CyclePiecesPerFile,
        PiecesPerFile: run.LivingPiecesPerFile,
        History: run.History,
        Seconds: Math.Round(elapsed.TotalSeconds, 2));

    private void Print(FragReport report)
    {
        _terminal.WriteLine($"{Counted.Of(report.Cycles, "cycle")} in {report.Seconds:0.0} s: {Counted.Of(report.Created, "file")} made, "
            + $"{report.Deleted:#,0} deleted, {ByteSize.Format(report.WrittenBytes)} written");
        if (report.Skipped > 0)
            _terminal.WriteLine($"not made, since others filled the volume meanwhile: {Counted.Of(report.Skipped, "file")}");
        _terminal.WriteLine($"left: {Counted.Of(report.Files, "file")}, {ByteSize.Format(report.FilesBytes)}, "
            + $"the volume is {report.UsedPercent:0.0} % full");
        _terminal.WriteLine(report.CyclePiecesPerFile is { } pieces
            ? $"the files of the last cycle lay in {pieces:0.00} pieces on average, those left in {report.PiecesPerFile ?? 0:0.00}"
            : "the file system does not tell in how many pieces they lie (no FIEMAP)");
        _terminal.WriteLine($"they are in {report.Folder}; sluice frag --cleanup {options.Directory} removes them");
    }

    private int PrintPlan(FragPlan plan, long budgetBytes)
    {
        _terminal.Out.WriteLine($"# seed {options.Settings.Seed}, filling up to {budgetBytes} bytes");
        foreach (FragStep step in plan.Steps())
        {
            _cancellationToken.ThrowIfCancellationRequested();
            _terminal.Out.WriteLine(step.ToString());
        }
        return ExitCode.Success;
    }

    private int Cleanup()
    {
        IReadOnlyList<string> folders = FragFolder.Find(options.Directory);
        if (folders.Count == 0)
            _terminal.WriteLine($"{options.Directory}: nothing to remove");
        int exitCode = ExitCode.Success;
        foreach (string path in folders)
        {
            try
            {
                using OwnedFolder folder = FragFolder.Take(path);
                if (FragFolder.Remove(folder))
                {
                    _terminal.WriteNotice(Strangers(path));
                    exitCode = ExitCode.IoError;
                }
                else
                {
                    _terminal.WriteLine($"removed {path}");
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _terminal.WriteError($"{path} stays, perhaps its run is alive: {ErrorText.Of(e)}");
                exitCode = ExitCode.IoError;
            }
        }
        return exitCode;
    }

    private static string Strangers(string folder) => $"sluice: {folder} stays: something else is in it";
}
