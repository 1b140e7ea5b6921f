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
    private readonly long _start = Stopwatch.GetTimestamp();

    public void Report(CopyProgress value)
    {
        inner.Report(value);
        TimeSpan early = TimeSpan.FromSeconds(value.Bytes / (double)bytesPerSecond) - Stopwatch.GetElapsedTime(_start);
        if (early <= TimeSpan.Zero)
            return;
        if (wait is not null)
            wait(early);
        else
            cancellationToken.WaitHandle.WaitOne(early);
    }
}
