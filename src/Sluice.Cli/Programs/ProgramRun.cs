using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Commands;
using Sluice.Cli.Programs.Figures;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs;

/// <summary>What commands that measure in a folder of the user's have in common: checks before, sections one by one, what is left when ended early.</summary>
internal static class ProgramRun
{
    /// <summary>Removes what killed runs left, and makes sure that there is room.</summary>
    /// <exception cref="IOException">No such folder, or too little room in it.</exception>
    public static void Prepare(string directory, long spaceBytes, Terminal terminal)
    {
        if (!Directory.Exists(directory))
            throw new DirectoryNotFoundException($"{directory}: no such directory");
        IReadOnlyList<string> volumes = OperatingSystem.IsLinux() ? VolumeFolder.RemoveLeftovers(directory) : [];
        foreach (string leftover in volumes.Concat(ScratchFolder.RemoveLeftovers(directory)))
            terminal.Error.WriteLine($"removed {leftover}, left behind by a run that was killed");
        if (EnvironmentProbe.FreeBytesAt(directory) is { } free && free < spaceBytes)
            throw new IOException($"{directory}: {ByteSize.Format(spaceBytes)} needed, {ByteSize.Format(free)} free");
    }

    /// <summary>Carries out step after step; interrupted, it keeps what is done.</summary>
    /// <returns>The results, how long it took, and whether it was interrupted.</returns>
    public static async Task<(IReadOnlyList<TResult> Results, TimeSpan Time, bool Interrupted)> CarryAsync<TStep, TResult>(
        IEnumerable<TStep> steps, Func<TStep, Task<TResult>> carryAsync, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        var results = new List<TResult>();
        try
        {
            foreach (TStep step in steps)
            {
                cancellationToken.ThrowIfCancellationRequested();
                results.Add(await carryAsync(step));
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return (results, Stopwatch.GetElapsedTime(start), true);
        }
        return (results, Stopwatch.GetElapsedTime(start), false);
    }
}
