using System.Diagnostics;
using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>Sleeps for less than a millisecond, which <see cref="Thread.Sleep(TimeSpan)"/> does not support.</summary>
internal static class ShortSleep
{
    /// <summary>Waits until a point in time. On Linux the thread sleeps, up to 0.1 ms too long; elsewhere it yields in a loop.</summary>
    /// <param name="timestamp">A timestamp of <see cref="Stopwatch"/>.</param>
    /// <returns>True if the point in time had not passed yet.</returns>
    public static bool Until(long timestamp)
    {
        bool waited = false;
        for (long left; (left = timestamp - Stopwatch.GetTimestamp()) > 0; waited = true)
        {
            if (!Libc.IsSupported || !ClockCalls.Sleep((long)(left * (1e9 / Stopwatch.Frequency))))
            {
                Thread.Yield();
            }
        }

        return waited;
    }
}
