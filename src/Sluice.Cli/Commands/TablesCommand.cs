using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Tables;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice tables`: the tables of the .NET 6 blog post, with the current .NET and Sluice.</summary>
internal static class TablesCommand
{
    // The large files of a row: one that is read, and one that each stream type writes.
    private const int LargestFiles = 3;

    private static readonly Suite AsSuite = new("tables", 0, static scale => scale.StreamSliceTime, []);

    public static BenchScale Scale(bool quick) => quick
        ? BenchScale.Quick with { Rounds = 1, StreamSliceTime = TimeSpan.FromMilliseconds(2), StreamFileBytes = 256 * ByteSize.KiB }
        : BenchScale.Full with { Rounds = 5, StreamSliceTime = TimeSpan.FromMilliseconds(80) };

    public static CommandBinder Define(OptionList command)
    {
        Func<ParseResult, string> directory = command.ScratchParent();
        Option<string> heading = command.Value("--table", null, "text",
            "Only the tables whose heading contains this text, as in readasync (all).");
        Option<bool> quickFlag = command.Quick();
        return (result, context) =>
        {
            (bool quick, string text) = (result.GetValue(quickFlag), result.GetValue(heading) ?? "");
            IReadOnlyList<MethodTable> all = MethodTables.All(Scale(quick));
            MethodTable[] chosen = [.. all.Where(t => t.Heading.Contains(text, StringComparison.OrdinalIgnoreCase))];
            return chosen.Length > 0 ? () => RunAsync(directory(result), chosen, quick, context)
                : throw new UsageException($"no table '{text}'; there are {string.Join(", ", all.Select(t => t.Heading))}");
        };
    }

    private static async Task<int> RunAsync(
        string directory, MethodTable[] tables, bool quick, CommandContext context)
    {
        BenchScale scale = Scale(quick);
        (MethodTable Table, Row Row)[] rows = [.. tables.SelectMany(t => t.Rows, (t, r) => (t, r))];
        var run = new MeasuringRun(context, directory, quick: quick);
        // The factor 1.3 is for passes over 100 MiB, which take longer than a slice.
        TimeSpan budget = scale.StreamSliceTime * rows.Length * 2 * (scale.Rounds + 1.5) * 1.3;
        run.Prepare((LargestFiles * scale.StreamFileBytes) + BenchScale.SpareBytes, Counted.Of(rows.Length, "method"), budget.TotalSeconds);
        StepResults<(MethodTable Table, Row Row, RowReport Report)> measured = await run.InScratchAsync((scratch, progress) =>
        {
            var runner = new RowRunner(new BenchContext(scratch, scale, context.CancellationToken), fio: null, context.CancellationToken);
            return ProgramRun.RunStepsAsync(rows, async step =>
            {
                progress.Show(() => $"{step.Table.Heading}: {step.Row.Name} {string.Join(' ', step.Row.Arguments)}");
                return (step.Table, step.Row, (await runner.RunAsync(AsSuite, step.Row))[0]);
            }, context.CancellationToken);
        });
        string[] notes =
        [
            $"times: {ProgramRun.Rounds(scale.Rounds)} in turns, slices of at least "
                + $"{scale.StreamSliceTime.TotalMilliseconds:0} ms; {measured.Time.TotalSeconds:0} s in all",
            "Ratio: time to .NET's time, as in the text: below 1 is faster; Allocated: managed bytes an operation",
        ];
        return run.Finish(
            measured, "File IO improvements in .NET 6: its tables", notes,
            measured.Results.GroupBy(m => m.Table).Select(t => TableSections.Make(t.Key, [.. t.Select(m => (m.Row, m.Report))])));
    }
}
