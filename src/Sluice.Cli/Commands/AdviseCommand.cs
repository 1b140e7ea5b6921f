using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice advise`: measures for a minute, and recommends ways to read and write in a folder.</summary>
internal static class AdviseCommand
{
    public static CommandBinder Define(OptionList command)
    {
        Func<ParseResult, string> directory = command.ScratchParent();
        Option<bool> quick = command.Quick();
        return (result, context) => () => RunAsync(directory(result), result.GetValue(quick), context);
    }

    /// <summary>
    /// Returns the durations and file sizes of a run of about a minute, or of a quick run that only shows that everything works.
    /// </summary>
    private static BenchScale Scale(bool quick) => quick
        ? BenchScale.Quick with
        {
            SliceTime = TimeSpan.FromMilliseconds(5),
            Rounds = 1,
            DirectFileBytes = 8 * ByteSize.MiB,
            SmallFileCount = 50,
            CopyFileBytes = 2 * ByteSize.MiB,
        }
        : BenchScale.Full with
        {
            SliceTime = TimeSpan.FromMilliseconds(250),
            Rounds = 3,
            StreamFileBytes = 128 * ByteSize.MiB,
            DirectFileBytes = 512 * ByteSize.MiB,
            LogFileBytes = 53_687_000,
            CopyFileBytes = 128 * ByteSize.MiB,
            SmallFileCount = 1000,
        };

    private static async Task<int> RunAsync(string directory, bool quick, CommandContext context)
    {
        BenchScale scale = Scale(quick);
        var run = new MeasuringRun(context, directory, quick: quick);
        run.Prepare(
            scale.DirectFileBytes + scale.HotFileBytes + scale.LogFileBytes + (2 * scale.StreamFileBytes) + BenchScale.SpareBytes,
            Counted.Of(AdviceTopics.All.Count, "topic"), quick ? 2 : 50);
        var unsupported = new List<string>();
        StepResults<Comparison?> answers = await run.InScratchAsync((scratch, progress) =>
        {
            var adviser = new Adviser(
                new BenchContext(scratch, scale, context.CancellationToken), ProcessorFrequency.NominalHz(), context.CancellationToken);
            return ProgramRun.RunStepsAsync<AdviceTopic, Comparison?>(AdviceTopics.All, async topic =>
            {
                progress.Show(() => topic.Heading);
                try
                {
                    return await adviser.MeasureAsync(topic);
                }
                catch (NotSupportedException e)
                {
                    unsupported.Add($"{topic.Heading}: not measured: {ErrorText.Of(e).ReplaceLineEndings(" ")}");
                    return null;
                }
            }, context.CancellationToken);
        });
        Comparison[] measured = [.. answers.Results.OfType<Comparison>()];
        string[] notes =
        [
            $"{ProgramRun.Rounds(scale.Rounds)} in turns; of ways that are within a tenth of the fastest, the one with the "
                + $"least CPU is taken; {answers.Time.TotalSeconds:0} s in all",
            "measured on this machine as busy as it was, by one program at a time",
            .. unsupported,
        ];
        return run.Finish(
            answers, $"How to read and write in {Path.GetFullPath(directory)}", notes,
            [.. measured.Select(a => a.Section()), Comparison.Summary(measured)]);
    }
}
