using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>A run of a command that measures in a scratch folder, and reports the results as a page.</summary>
/// <param name="quick">True for a run that only shows that everything works, which the page states.</param>
internal sealed class MeasuringRun(CommandContext context, string directory, bool quiet = false, bool quick = false)
{
    private readonly DateTimeOffset _began = DateTimeOffset.UtcNow;

    /// <summary>
    /// Checks the folder, its space and the result files, and prints on stderr what is measured and the expected duration, because the
    /// output shows nothing yet if it is piped.
    /// </summary>
    /// <param name="subject">The file of the user that is measured; null if there is none.</param>
    public void Prepare(long spaceBytes, string what, double seconds, string? subject = null)
    {
        ProgramRun.Prepare(directory, spaceBytes, context.Terminal);
        context.Output.Check(context.Terminal, subject);
        if (quiet)
            return;
        context.Terminal.WriteNotice(seconds < 90
            ? $"{what}, about {Math.Max(1, Math.Ceiling(seconds)):0} s"
            : $"{what}, about {Math.Round(seconds / 60):0} minutes");
    }

    public async Task<T> InScratchAsync<T>(Func<string, LiveProgress, Task<T>> measureAsync)
    {
        using ScratchFolder scratch = ScratchFolder.Create(directory, context.Terminal.TellAtEnd);
        using var progress = new LiveProgress(context.Terminal, quiet);
        return await measureAsync(scratch.FullPath, progress);
    }

    /// <summary>Prints the results and the errors, and writes the result files.</summary>
    /// <param name="notes">The notes; null for one that does not apply.</param>
    /// <param name="errors">Errors in the results, such as wrong ones.</param>
    /// <param name="print">Prints the results in another form; null to print the page.</param>
    /// <returns>The exit code.</returns>
    public int Finish<T>(
        StepResults<T> measured, string title, IEnumerable<string?> notes, IEnumerable<PageSection> sections,
        IReadOnlyList<string>? errors = null, Action? print = null)
    {
        var page = new ReportPage
        {
            Title = title,
            CommandLine = ReportPage.CommandLineOf(context.Arguments),
            Began = _began,
            Environment = EnvironmentProbe.ForPath(directory),
            Notes =
            [
                .. notes.Append(quick ? "quick run: shows that everything works; its figures mean nothing" : null).OfType<string>(),
                .. measured.Notes(),
            ],
            Sections = [.. sections],
        };
        if (print is null)
            PageText.Write(context.Terminal, page);
        else
            print();
        context.Output.Write(context.Terminal, page);
        measured.ReportFailure(context.Terminal);
        foreach (string error in errors ?? [])
            context.Terminal.WriteError(error);
        return measured.ExitCode == ExitCode.Success && errors is { Count: > 0 } ? ExitCode.IoError : measured.ExitCode;
    }
}
