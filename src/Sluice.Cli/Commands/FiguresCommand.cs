using System.Globalization;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Figures;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>`sluice figures`: figures 2 to 8 of MSR-TR-2004-136 on the user's disk, .NET and Sluice side by side.</summary>
internal sealed class FiguresCommand(
    FiguresOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    private static readonly FigureSet[] AllSets = [new StreamFigures(), new DirectFigures(), new DepthFigures(), new CreationFigure()];

    private readonly FigureSet[] _sets = [.. AllSets.Where(s => s.Numbers.Any(options.Figures.Contains))];

    public async Task<int> RunAsync()
    {
        ProgramRun.Prepare(options.Directory, _sets.Max(s => s.SpaceBytes(options.Scale)) + options.Scale.FileBytes, terminal);
        options.Output.Check(terminal);
        TimeSpan budget = _sets.Aggregate(TimeSpan.Zero, (sum, s) => sum + s.EstimateTime(options.Scale));
        ProgramRun.Announce(terminal, $"figures {string.Join(", ", options.Figures.Order())}", budget.TotalSeconds);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        double? clockHz = ProcessorFrequency.NominalHz();
        StepResults<PageSection> sections;
        using (ScratchFolder scratch = ScratchFolder.Create(options.Directory, terminal.TellAtEnd))
        using (var progress = new LiveProgress(terminal, quiet: false))
        {
            var context = new FigureContext(options.Directory, scratch.FullPath, options.Scale, options.Figures, clockHz,
                line => progress.Show(() => line), terminal.TellAtEnd, cancellationToken);
            sections = await ProgramRun.RunStepsAsync(_sets, set => set.MeasureAsync(context), cancellationToken);
        }
        var page = new ReportPage
        {
            Title = "Sequential file programming patterns: figures 2 to 8",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Directory),
            Notes = [.. Notes(sections.Time, clockHz), .. sections.Notes()],
            Sections = sections.Results,
        };
        return ProgramRun.Finish(terminal, options.Output, page, sections);
    }

    private List<string> Notes(TimeSpan time, double? clockHz)
    {
        List<string> notes =
        [
            string.Create(CultureInfo.InvariantCulture,
                $"{ProgramRun.Rounds(options.Scale.Rounds)} in turns, slices of {options.Scale.SliceTime.TotalMilliseconds:0} ms, after "
                    + $"one that does not count; {time.TotalSeconds:0} s in all"),
            clockHz is { } hz
                ? string.Create(CultureInfo.InvariantCulture, $"clocks are the process's user and system time at {hz / 1e6:0} MHz")
                : "the processor's frequency is not known: CPU is in nanoseconds, not clocks",
        ];
        if (options.Quick)
            notes.Add("quick run: shows that everything works; its figures mean nothing");
        return notes;
    }
}
