using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>The results of the steps before the end, and the cause of an early end.</summary>
/// <param name="Interrupted">By a signal.</param>
/// <param name="Failure">The I/O error that ended them, such as a disk that others have filled.</param>
internal sealed record StepResults<TResult>(IReadOnlyList<TResult> Results, TimeSpan Time, bool Interrupted, Exception? Failure)
{
    public int ExitCode => Interrupted ? Terminal.ExitCode.Interrupted : Failure is null ? Terminal.ExitCode.Success
        : Terminal.ExitCode.IoError;

    /// <summary>The reason why results are missing, for the reader of the result.</summary>
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
