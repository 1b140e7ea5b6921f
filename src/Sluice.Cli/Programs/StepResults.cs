using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>The results of the completed steps, and the cause of an early end.</summary>
/// <param name="Interrupted">True if a signal ended the steps.</param>
/// <param name="Failure">The I/O error that ended the steps, such as a full disk; null if there was none.</param>
internal sealed record StepResults<TResult>(IReadOnlyList<TResult> Results, TimeSpan Time, bool Interrupted, Exception? Failure)
{
    public int ExitCode => Interrupted ? Terminal.ExitCode.Interrupted : Failure is null ? Terminal.ExitCode.Success
        : Terminal.ExitCode.IoError;

    /// <summary>Returns notes that explain to the reader of the result why values are missing.</summary>
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
