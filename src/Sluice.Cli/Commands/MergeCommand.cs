using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice merge`: the results of several processes, of one copy or one measurement, as one; and what is missing.</summary>
internal static class MergeCommand
{
    public static Func<ParseResult, CommandContext, Task<int>> Define(OptionList command)
    {
        Argument<string[]> resultsArgument = command.Argument(new Argument<string[]>("RESULT.json")
        {
            Description = "The results of a copy's shards, or of speed's ranks, as --json wrote them; in any order.",
            Arity = ArgumentArity.ZeroOrMore,
        });
        Func<ParseResult, PageOutput> outputOf = PageOutput.Define(command);
        return (result, context) =>
        {
            string[] results = result.GetValue(resultsArgument) ?? [];
            if (results.Length == 0 || Array.Exists(results, r => r.Length == 0))
                throw new UsageException("results are needed; try: sluice merge shard*.json");
            PageOutput output = outputOf(result);
            if (results.Select(output.OptionNaming).FirstOrDefault(o => o is not null) is { } option)
                throw new UsageException($"{option} names a result that is merged");
            return Task.FromResult(Run(results, output, context));
        };
    }

    private static int Run(string[] results, PageOutput output, CommandContext context)
    {
        (string Path, byte[] Json)[] files =
            InterruptSignals.WhileNothingHasBegun(() => results.Select(r => (r, ResultJson.ReadBytes(r))).ToArray());
        ReportPage page;
        bool isWhole;
        if (Array.Exists(files, IsOfSpeed))
        {
            MergedSpeed merged = MergedSpeed.Of(
                [.. files.Select(f => (f.Path, Parse(f, "speed", SpeedJsonContext.Default.SpeedReport, SpeedReportCheck.FaultOf)))]);
            (page, isWhole) = (MergedSpeedPage.Of(merged, context.Arguments), merged.IsWhole);
        }
        else
        {
            MergedCopy merged = MergedCopy.Of(
                [.. files.Select(f => (f.Path, Parse(f, "copy", CopyJsonContext.Default.CopyReport, CopyReportCheck.FaultOf)))]);
            (page, isWhole) = (MergedCopyPage.Of(merged, context.Arguments), merged.IsWhole);
        }
        output.Check(context.Terminal);
        PageText.WriteResult(context.Terminal, page);
        output.Write(context.Terminal, page);
        return isWhole ? ExitCode.Success : ExitCode.IoError;
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
