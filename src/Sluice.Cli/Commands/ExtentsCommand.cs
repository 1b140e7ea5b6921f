using System.CommandLine;
using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice extents`: shows the places of files on their device and their fragmentation.</summary>
internal static class ExtentsCommand
{
    private const int MaxListed = 1_000_000;

    public static CommandBinder Define(OptionList command)
    {
        Argument<string> pathArgument = command.Argument(
            new Argument<string>("FILE|DIR") { Description = "The file, or the folder with all files below it. Links are not followed." });
        Option<string> worst = command.Value("--worst", "w", "N", "For a folder: list the N files with the most pieces (10).");
        Option<string> extents = command.Value("--extents", "e", "N", "For a file: list the first N extents (20).");
        Option<bool> sync = command.Flag("--sync", null,
            "Flush each file first: data that is only in memory has no extents yet.");
        return (result, context) =>
        {
            if (result.GetValue(pathArgument) is not { Length: > 0 } path)
                throw new UsageException("no file or folder named; try: sluice extents --help");
            int listedFiles = OptionText.Whole("--worst", result.GetValue(worst), 0, MaxListed, 10);
            int listedExtents = OptionText.Whole("--extents", result.GetValue(extents), 0, MaxListed, 20);
            return () => Task.FromResult(Run(path, listedFiles, listedExtents, result.GetValue(sync), context));
        };
    }

    /// <param name="worst">The number of the most fragmented files to list.</param>
    /// <param name="extentLimit">The maximum number of extents to list for a single file.</param>
    private static int Run(string path, int worst, int extentLimit, bool sync, CommandContext context)
    {
        TerminalStreams terminal = context.Terminal;
        bool isFolder = PathArgument.IsFolder(path);
        if (!isFolder && PathKinds.Of(path) is PathKind.BlockDevice or PathKind.Other)
            throw new UsageException($"{path} is neither a plain file nor a folder");
        context.Output.Check(terminal, path);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        var scan = new ExtentScan(sync, context.CancellationToken);
        using (var progress = new LiveProgress(terminal, quiet: false))
        {
            progress.Show(() => $"{path}: {Counted.Of(scan.Seen, "file")}");
            if (isFolder)
                scan.AddFolder(path);
            else
                scan.AddFile(path);
        }
        foreach (string failure in scan.Failures)
            terminal.WriteError(failure);
        var report = ExtentReport.Of(began, context.Arguments, path, isFolder, worst, scan);
        PageText.Write(terminal, ExtentPage.Of(report, extentLimit) with
        {
            Notes = report.InterruptedNote is { } note ? [note] : [],
        });
        context.Output.Write(
            terminal, ExtentPage.Of(report), json: writer => JsonFile.Write(writer, report, ExtentJsonContext.Default.ExtentReport));
        if (scan.IsInterrupted)
            return ExitCode.Interrupted;
        return scan.Failures.Count == 0 ? ExitCode.Success : ExitCode.IoError;
    }
}
