using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>A run of a command that measures in a scratch folder, and reports the results as a page.</summary>
internal sealed class MeasuringRun(CommandContext context, string directory, PageOutput output, bool quiet = false)
{
    private readonly DateTimeOffset _began = DateTimeOffset.UtcNow;

    /// <summary>Checks the folder, its space and the result files, and announces the duration.</summary>
    public void Prepare(long spaceBytes, string what, double seconds)
    {
        ProgramRun.Prepare(directory, spaceBytes, context.Terminal);
        output.Check(context.Terminal);
        if (!quiet)
            ProgramRun.Announce(context.Terminal, what, seconds);
    }

    public async Task<T> InScratchAsync<T>(Func<string, LiveProgress, Task<T>> measureAsync)
    {
        using ScratchFolder scratch = ScratchFolder.Create(directory, context.Terminal.TellAtEnd);
        using var progress = new LiveProgress(context.Terminal, quiet);
        return await measureAsync(scratch.FullPath, progress);
    }

    public ReportPage Page<T>(StepResults<T> measured, string title, IEnumerable<string> notes, IEnumerable<PageSection> sections) => new()
    {
        Title = title,
        CommandLine = ReportPage.CommandLineOf(context.Arguments),
        Began = _began,
        Environment = EnvironmentProbe.ForPath(directory),
        Notes = [.. notes, .. measured.Notes()],
        Sections = [.. sections],
    };

    /// <returns>The exit code.</returns>
    public int Finish<T>(StepResults<T> measured, string title, IEnumerable<string> notes, IEnumerable<PageSection> sections)
    {
        ReportPage page = Page(measured, title, notes, sections);
        PageText.Write(context.Terminal, page);
        output.Write(context.Terminal, page);
        measured.ReportFailure(context.Terminal);
        return measured.ExitCode;
    }
}
