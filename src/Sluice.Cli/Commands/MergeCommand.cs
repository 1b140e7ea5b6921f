using System.Text.Json;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice merge`: the results of the shards of one copy as one, and what is missing.</summary>
internal sealed class MergeCommand(MergeOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal)
{
    public Task<int> RunAsync()
    {
        MergedCopy merged = MergedCopy.Of([.. options.Results.Select(Read)]);
        options.Output.Check(terminal);
        ReportPage page = MergedCopyPage.Of(merged, arguments);
        PageText.WriteResult(terminal, page);
        options.Output.Write(terminal, page);
        return Task.FromResult(merged.IsWhole ? ExitCode.Success : ExitCode.IoError);
    }

    private static (string Path, CopyReport Report) Read(string path)
    {
        if (!File.Exists(path))
            throw new FileNotFoundException($"{path}: no such file");
        CopyReport? report;
        try
        {
            report = JsonSerializer.Deserialize(File.ReadAllBytes(path), CopyJsonContext.Default.CopyReport);
        }
        catch (JsonException e)
        {
            throw new UsageException($"{path} is no result of sluice copy: {e.Message.ReplaceLineEndings(" ")}");
        }
        return CopyReportCheck.FaultOf(report) is { } fault
            ? throw new UsageException($"{path} is no result of sluice copy: {fault}")
            : (path, report!);
    }
}
