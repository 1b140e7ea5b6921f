using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>What steps gave before they ended, and what ended them.</summary>
/// <param name="Interrupted">By a signal.</param>
/// <param name="Failure">The I/O error that ended them, such as a disk that others have filled.</param>
internal sealed record StepResults<TResult>(IReadOnlyList<TResult> Results, TimeSpan Time, bool Interrupted, Exception? Failure)
{
    public int ExitCode => Interrupted ? Terminal.ExitCode.Interrupted : Failure is null ? Terminal.ExitCode.Success
        : Terminal.ExitCode.IoError;

    /// <summary>Why something is missing, for whoever reads the result.</summary>
    public IEnumerable<string> Notes()
    {
        if (Interrupted)
            yield return "interrupted: what is missing was not measured";
        if (Failure is { } failure)
            yield return $"ended by an error: what is missing was not measured ({ErrorText.Of(failure)})";
    }

    public void ReportFailure(TerminalStreams terminal)
    {
        if (Failure is { } failure)
            terminal.WriteError(ErrorText.Of(failure));
    }
}
