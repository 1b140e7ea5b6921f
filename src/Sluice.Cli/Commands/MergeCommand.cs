using System.CommandLine;
using System.Text.Json;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice merge`: adds up the results of the shards of one copy, and lists missing ones.</summary>
internal static class MergeCommand
{
    public static CommandBinder Define(OptionList command)
    {
        Argument<string[]> resultsArgument = command.Argument(new Argument<string[]>("RESULT.json")
        {
            Description = "The results of a copy's shards, as --json wrote them; in any order.",
            Arity = ArgumentArity.ZeroOrMore,
        });
        return (result, context) =>
        {
            string[] results = result.GetValue(resultsArgument) ?? [];
            if (results.Length == 0 || Array.Exists(results, r => r.Length == 0))
                throw new UsageException("results are needed; try: sluice merge shard*.json");
            if (results.Select(context.Output.OptionNaming).FirstOrDefault(o => o is not null) is { } option)
                throw new UsageException($"{option} names a result that is merged");
            return () => Task.FromResult(Run(results, context));
        };
    }

    private static int Run(string[] results, CommandContext context)
    {
        (string, CopyReport)[] reports = InterruptSignals.WhileNothingHasBegun(() => results.Select(r => (r, Read(r))).ToArray());
        MergedCopy copy;
        ReportPage page;
        try
        {
            copy = MergedCopy.Of(reports);
            page = MergedCopyPage.Of(copy, context.Arguments);
        }
#pragma warning disable CA1031 // Thrown for values out of range or lists without a required element.
        catch (Exception e) when (e is not (UsageException or IOException))
#pragma warning restore CA1031
        {
            throw new UsageException($"{string.Join(", ", results)} cannot be merged: one of them is not as sluice wrote it");
        }

        context.Output.Check(context.Terminal);
        PageText.WriteResult(context.Terminal, page);
        context.Output.Write(context.Terminal, page);
        return copy.IsWhole ? ExitCode.Success : ExitCode.IoError;
    }

    private static CopyReport Read(string path)
    {
        using JsonDocument document = ResultJson.Parse(path);
        return ResultJson.Read(path, document.RootElement, CopyJsonContext.Default.CopyReport, "sluice copy");
    }
}
