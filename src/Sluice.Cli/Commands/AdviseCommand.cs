using System.CommandLine;
using System.Globalization;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice advise`: measures for a minute, and says which way to read and write in a folder.</summary>
internal static class AdviseCommand
{
    public static Func<ParseResult, CommandContext, Task<int>> Define(OptionList command)
    {
        Func<ParseResult, string> directory = command.ScratchParent();
        Option<bool> quick = command.Quick();
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        return (result, context) => RunAsync(directory(result), result.GetValue(quick), output(result), context);
    }

    private static async Task<int> RunAsync(string directory, bool quick, PageOutput output, CommandContext context)
    {
        AdviseScale scale = quick ? AdviseScale.Quick : AdviseScale.Full;
        var run = new MeasuringRun(context, directory, output);
        IReadOnlyList<AdviceTopic> topics = AdviceTopics.All(scale, context.CancellationToken);
        run.Prepare(scale.SpaceBytes, Counted.Of(topics.Count, "topic"), quick ? 2 : 60);
        var unsupported = new List<string>();
        StepResults<(Comparison Comparison, RequestGrid? Grid)?> answers = await run.InScratchAsync((scratch, progress) =>
        {
            var files = new BenchContext(scratch, scale.Files, context.CancellationToken);
            var adviser = new Adviser(files, scale, ProcessorFrequency.NominalHz(), context.CancellationToken);
            return ProgramRun.RunStepsAsync(topics, async topic =>
            {
                progress.Show(() => topic.Heading);
                try
                {
                    return ((Comparison, RequestGrid?)?)await adviser.MeasureAsync(topic);
                }
                catch (NotSupportedException e)
                {
                    // A file system without preallocation, say: the other topics do not need it.
                    unsupported.Add($"{topic.Heading}: not measured: {ErrorText.Of(e).ReplaceLineEndings(" ")}");
                    return null;
                }
            }, context.CancellationToken);
        });
        (Comparison Comparison, RequestGrid? Grid)[] measured = [.. answers.Results.OfType<(Comparison, RequestGrid?)>()];
        string[] notes =
        [
            string.Create(CultureInfo.InvariantCulture,
                $"{ProgramRun.Rounds(scale.Rounds)} in turns; of ways that are within a tenth of the fastest, the one with the "
                    + $"least CPU is taken; {answers.Time.TotalSeconds:0} s in all"),
            "measured on this machine as busy as it was, by one program at a time",
            .. quick ? ["quick run: shows that everything works; its advice means nothing"] : Array.Empty<string>(),
            .. unsupported,
        ];
        return run.Finish(
            answers, $"How to read and write in {Path.GetFullPath(directory)}", notes,
            [.. measured.Select(a => Adviser.Section(a.Comparison, a.Grid)), Adviser.Summary([.. measured.Select(a => a.Comparison)])]);
    }
}
