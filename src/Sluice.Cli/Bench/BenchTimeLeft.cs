using System.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Estimates the rest of a run from the elapsed time and the usual durations of its rows.</summary>
internal sealed class BenchTimeLeft(IReadOnlyList<double> weights, Func<TimeSpan>? clock = null)
{
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <param name="done">The number of completed rows.</param>
    /// <returns>The estimated rest of the run; empty before the first row is complete.</returns>
    public string Text(int done)
    {
        double doneWeight = weights.Take(done).Sum();
        if (doneWeight <= 0)
            return "";
        TimeSpan elapsed = clock?.Invoke() ?? Stopwatch.GetElapsedTime(_start);
        double seconds = elapsed.TotalSeconds * weights.Skip(done).Sum() / doneWeight;
        return seconds < 90 ? $", about {Math.Max(1, seconds):0} s left" : $", about {seconds / 60:0} min left";
    }
}
