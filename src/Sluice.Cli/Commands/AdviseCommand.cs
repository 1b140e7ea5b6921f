using System.Globalization;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice advise`: measures for a minute, and says which way to read and write in a folder.</summary>
internal sealed class AdviseCommand(
    AdviseOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    public async Task<int> RunAsync()
    {
        ProgramRun.Prepare(options.Directory, options.Scale.SpaceBytes, terminal);
        options.Output.Check(terminal);
        terminal.WriteNotice(options.Quick ? "a few seconds" : "about a minute");
        DateTimeOffset began = DateTimeOffset.UtcNow;
        double? clockHz = ProcessorFrequency.NominalHz();
        var unsupported = new List<string>();
        StepResults<(Comparison Comparison, RequestGrid? Grid)?> answers;
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory, terminal.TellAtEnd))
        using (var progress = new LiveProgress(terminal, quiet: false))
        {
            var adviser = new Adviser(
                new BenchContext(scratch.FullPath, options.Scale.Files, cancellationToken), options.Scale, clockHz, cancellationToken);
            answers = await ProgramRun.RunStepsAsync(Adviser.Topics(options.Scale, cancellationToken),
                async topic =>
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
                }, cancellationToken);
        }
        (Comparison Comparison, RequestGrid? Grid)[] measured = [.. answers.Results.OfType<(Comparison, RequestGrid?)>()];
        var page = new ReportPage
        {
            Title = $"How to read and write in {Path.GetFullPath(options.Directory)}",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes = [.. Notes(answers.Time), .. unsupported, .. answers.Notes()],
            Sections = [.. measured.Select(a => Adviser.Section(a.Comparison, a.Grid)),
                Adviser.Summary([.. measured.Select(a => a.Comparison)])],
        };
        PageText.Write(terminal, page);
        options.Output.Write(terminal, page);
        answers.ReportFailure(terminal);
        return answers.ExitCode;
    }

    private List<string> Notes(TimeSpan time)
    {
        List<string> notes =
        [
            string.Create(CultureInfo.InvariantCulture,
                $"{ProgramRun.Rounds(options.Scale.Rounds)} in turns; of ways that are within a tenth of the fastest, the one with the "
                    + $"least CPU is taken; {time.TotalSeconds:0} s in all"),
            "measured on this machine as busy as it was, by one program at a time",
        ];
        if (options.Quick)
            notes.Add("quick run: shows that everything works; its advice means nothing");
        return notes;
    }
}
