using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice extents`: shows the places of files on their device and their fragmentation.</summary>
internal sealed class ExtentsCommand(ExtentsOptions options, CommandContext context)
{
    private readonly TerminalStreams _terminal = context.Terminal;
    private readonly CancellationToken _cancellationToken = context.CancellationToken;

    public Task<int> RunAsync() => Task.FromResult(Run());

    private int Run()
    {
        LinkedFile.RequireTarget(options.Path);
        bool isFolder = Directory.Exists(options.Path);
        if (!isFolder && !File.Exists(options.Path))
            throw AbsentPath.Error(options.Path, new FileNotFoundException($"{options.Path}: no such file or directory"));
        if (!isFolder && PathKinds.Of(options.Path) is PathKind.BlockDevice or PathKind.Other)
            throw new UsageException($"{options.Path} is neither a plain file nor a folder");
        options.Output.Check(_terminal, options.Path);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        var scan = new ExtentScan(options.Sync, _cancellationToken);
        using (var progress = new LiveProgress(_terminal, quiet: false))
        {
            progress.Show(() => $"{options.Path}: {Counted.Of(scan.Seen, "file")}");
            if (isFolder)
                scan.AddFolder(options.Path);
            else
                scan.AddFile(options.Path);
        }
        foreach (string failure in scan.Failures)
            _terminal.WriteError(failure);
        ExtentReport report = ExtentReport.Of(options.Path, isFolder, options.Worst, scan) with
        {
            Started = began,
            Arguments = context.Arguments,
        };
        PageText.Write(_terminal, ExtentPage.Of(report, options.ExtentLimit) with
        {
            Notes = report.InterruptedNote is { } note ? [note] : [],
        });
        options.Output.Write(
            _terminal, ExtentPage.Of(report),
            json: writer => JsonFile.Write(writer, report, ExtentJsonContext.Default.ExtentReport));
        if (scan.IsInterrupted)
            return ExitCode.Interrupted;
        return scan.Failures.Count == 0 ? ExitCode.Success : ExitCode.IoError;
    }
}
