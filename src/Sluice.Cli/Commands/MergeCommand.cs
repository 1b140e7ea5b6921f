using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice merge`: the results of several processes, of one copy or one measurement, as one; and what is missing.</summary>
internal sealed class MergeCommand(MergeOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal)
{
    public Task<int> RunAsync()
    {
        (string Path, byte[] Json)[] files = InterruptSignals.WhileNothingHasBegun(
            () => options.Results.Select(r => (r, ResultJson.ReadBytes(r))).ToArray());
        (ReportPage page, bool isWhole) = Array.Exists(files, IsOfSpeed) ? MergeSpeed(files) : MergeCopy(files);
        options.Output.Check(terminal);
        PageText.WriteResult(terminal, page);
        options.Output.Write(terminal, page);
        return Task.FromResult(isWhole ? ExitCode.Success : ExitCode.IoError);
    }

    private (ReportPage Page, bool IsWhole) MergeSpeed((string Path, byte[] Json)[] files)
    {
        MergedSpeed merged = MergedSpeed.Of(
            [.. files.Select(f => (f.Path, Parse(f, "speed", SpeedJsonContext.Default.SpeedReport, SpeedReportCheck.FaultOf)))]);
        return (MergedSpeedPage.Of(merged, arguments), merged.IsWhole);
    }

    private (ReportPage Page, bool IsWhole) MergeCopy((string Path, byte[] Json)[] files)
    {
        MergedCopy merged = MergedCopy.Of(
            [.. files.Select(f => (f.Path, Parse(f, "copy", CopyJsonContext.Default.CopyReport, CopyReportCheck.FaultOf)))]);
        return (MergedCopyPage.Of(merged, arguments), merged.IsWhole);
    }

    private static bool IsOfSpeed((string Path, byte[] Json) file)
    {
        using JsonDocument document = ResultJson.Parse(file.Path, file.Json);
        return document.RootElement is { ValueKind: JsonValueKind.Object } root && root.TryGetProperty("workload", out _);
    }

    private static T Parse<T>((string Path, byte[] Json) file, string command, JsonTypeInfo<T> type, Func<T?, string?> faultOf)
        where T : class
    {
        using JsonDocument document = ResultJson.Parse(file.Path, file.Json);
        T? report = ResultJson.Read(file.Path, document.RootElement, type, $"sluice {command}");
        return faultOf(report) is { } fault
            ? throw new UsageException($"{file.Path} is no result of sluice {command}: {fault}")
            : report!;
    }
}
