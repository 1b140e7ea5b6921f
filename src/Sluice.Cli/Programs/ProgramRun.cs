using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs;

/// <summary>
/// The common parts of commands that measure in a folder of the user: checks, steps, and the results of a run that ends early.
/// </summary>
internal static class ProgramRun
{
    /// <summary>Removes the folders of killed runs, and checks the free space.</summary>
    /// <exception cref="IOException">The folder does not exist, or has too little free space.</exception>
    public static void Prepare(string directory, long spaceBytes, TerminalStreams terminal)
    {
        PathArgument.RequireTarget(directory);
        PathArgument.RequireFolder(directory);
        RemoveLeftovers(directory, terminal);
        if (EnvironmentProbe.FreeBytesAt(directory) is { } free && free < spaceBytes)
            throw new IOException($"{directory}: {ByteSize.Format(spaceBytes)} needed, {ByteSize.Format(free)} free");
    }

    /// <summary>Removes the folders of killed runs.</summary>
    public static void RemoveLeftovers(string directory, TerminalStreams terminal)
    {
        foreach (string leftover in ScratchFolder.RemoveLeftovers(directory))
            terminal.WriteNotice($"removed {leftover}, left behind by a run that was killed");
    }

    /// <summary>Returns a description of how the values are derived from the rounds.</summary>
    public static string Rounds(int rounds) =>
        rounds == 1 ? "one round" : $"medians of {rounds} rounds";

    /// <summary>Runs steps one by one. If it is interrupted or stopped by an I/O error, it returns the completed results.</summary>
    /// <exception cref="IOException">The first step failed, so there are no results to return.</exception>
    public static async Task<StepResults<TResult>> RunStepsAsync<TStep, TResult>(
        IEnumerable<TStep> steps, Func<TStep, Task<TResult>> runAsync, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        var results = new List<TResult>();
        bool interrupted = false;
        Exception? failure = null;
        try
        {
            foreach (TStep step in steps)
            {
                cancellationToken.ThrowIfCancellationRequested();
                results.Add(await runAsync(step));
            }
            // The last step may have ended early and returned a partial result.
            interrupted = cancellationToken.IsCancellationRequested;
        }
        catch (Exception e) when (
            e is OperationCanceledException or IOException or UnauthorizedAccessException && cancellationToken.IsCancellationRequested)
        {
            // Ctrl-C in a terminal also reaches programs that a step runs (cp, fio), which then fail.
            interrupted = true;
        }
        // ArgumentOutOfRangeException: the limit of the file size (EFBIG).
        catch (Exception e) when (
            e is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException && results.Count > 0)
        {
            failure = e;
        }
        return new StepResults<TResult>(results, Stopwatch.GetElapsedTime(start), interrupted, failure);
    }
}
