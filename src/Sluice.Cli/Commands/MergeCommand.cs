using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice merge`: the results of several processes, of one copy or one measurement, as one; and what is missing.</summary>
internal sealed class MergeCommand(MergeOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal)
{
    public Task<int> RunAsync()
    {
        (string Path, byte[] Json)[] files = InterruptSignals.WhileNothingHasBegun(() => options.Results.Select(Read).ToArray());
        (ReportPage page, bool isWhole) = Array.Exists(files, f => IsOfSpeed(f.Json)) ? MergeSpeed(files) : MergeCopy(files);
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

    private static (string Path, byte[] Json) Read(string path) =>
        File.Exists(path) ? (path, File.ReadAllBytes(path))
            : throw new FileNotFoundException(Directory.Exists(path) ? $"{path} is a folder" : $"{path}: no such file");

    private static bool IsOfSpeed(byte[] json)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(json);
            return document.RootElement.ValueKind == JsonValueKind.Object && document.RootElement.TryGetProperty("workload", out _);
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static T Parse<T>((string Path, byte[] Json) file, string command, JsonTypeInfo<T> type, Func<T?, string?> faultOf)
        where T : class
    {
        T? report;
        try
        {
            report = JsonSerializer.Deserialize(file.Json, type);
        }
        catch (JsonException e)
        {
            throw new UsageException($"{file.Path} is no result of sluice {command}: {e.Message.ReplaceLineEndings(" ")}");
        }
        return faultOf(report) is { } fault
            ? throw new UsageException($"{file.Path} is no result of sluice {command}: {fault}")
            : report!;
    }
}
