using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Figures;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice figures`: figures 2 to 8 of MSR-TR-2004-136 on the user's disk, with .NET and with Sluice.</summary>
internal static class FiguresCommand
{
    private const int First = 2;
    private const int Last = 8;

    public static CommandBinder Define(OptionList command)
    {
        Func<ParseResult, string> directory = command.ScratchParent();
        Option<string> figure = command.Value(
            "--figure", null, "N", $"Only these of the report's figures, as in 2,3 (all, {First} to {Last}).");
        Option<bool> quick = command.Quick();
        return (result, context) =>
        {
            HashSet<int> figures = result.GetValue(figure) is { } list
                ? list.Split(',').Select(n => OptionText.Whole("--figure", n.Trim(), First, Last, First)).ToHashSet()
                : Enumerable.Range(First, Last - First + 1).ToHashSet();
            return () => RunAsync(directory(result), figures, result.GetValue(quick), context);
        };
    }

    private static async Task<int> RunAsync(
        string directory, HashSet<int> figures, bool quick, CommandContext context)
    {
        FigureScale scale = quick ? FigureScale.Quick : FigureScale.Full;
        FigureSet[] sets = [.. FigureSet.All.Where(s => s.Numbers.Any(figures.Contains))];
        var run = new MeasuringRun(context, directory, quick: quick);
        run.Prepare(
            sets.Max(s => s.SpaceBytes(scale)) + scale.Files.SequentialFileBytes,
            $"{(figures.Count == 1 ? "figure" : "figures")} {string.Join(", ", figures.Order())}",
            sets.Sum(s => s.Seconds(scale)));
        double? clockHz = ProcessorFrequency.NominalHz();
        StepResults<PageSection> sections = await run.InScratchAsync((scratch, progress) =>
        {
            var runner = new RowRunner(
                new BenchContext(scratch, scale.Files, context.CancellationToken), fio: null, context.CancellationToken);
            var figureSections = new FigureSections(scale, figures, clockHz);
            return ProgramRun.RunStepsAsync(
                sets, set => set.MeasureAsync(scale, runner, figureSections, line => progress.Show(() => line)),
                context.CancellationToken);
        });
        string[] notes =
        [
            $"{ProgramRun.Rounds(scale.Files.Rounds)} in turns, slices of {scale.Files.StreamSliceTime.TotalMilliseconds:0} ms, after "
                + $"one that does not count; {sections.Time.TotalSeconds:0} s in all",
            clockHz is { } hz
                ? $"clocks are the process's user and system time at {hz / 1e6:0} MHz"
                : "the processor's frequency is not known: CPU is in nanoseconds, not clocks",
        ];
        return run.Finish(sections, "Sequential file programming patterns: figures 2 to 8", notes, sections.Results);
    }
}
