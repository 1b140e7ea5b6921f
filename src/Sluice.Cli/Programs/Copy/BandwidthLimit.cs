using System.Diagnostics;

namespace Sluice.Cli.Programs.Copy;

/// <summary>
/// Holds a copy to so many bytes a second on average: whoever reports progress earlier than it is due waits. Thread-safe.
/// </summary>
/// <param name="inner">Told everything, before the wait.</param>
internal sealed class BandwidthLimit(
    IProgress<CopyProgress> inner, long bytesPerSecond, CancellationToken cancellationToken, Action<TimeSpan>? wait = null)
    : IProgress<CopyProgress>
{
    // As long as a wait may be: what is due later is waited for again and again.
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(1);

    private readonly long _start = Stopwatch.GetTimestamp();

    public void Report(CopyProgress value)
    {
        inner.Report(value);
        double due = value.Bytes / (double)bytesPerSecond;
        bool isOver = false;
        while (!isOver)
        {
            double early = due - Stopwatch.GetElapsedTime(_start).TotalSeconds;
            if (early <= 0)
                return;
            TimeSpan time = TimeSpan.FromSeconds(Math.Min(early, LongestWait.TotalSeconds));
            wait?.Invoke(time);
            isOver = wait is not null || cancellationToken.WaitHandle.WaitOne(time);
        }
    }
}
