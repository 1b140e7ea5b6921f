using System.Diagnostics;
using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>Waits of less than a millisecond, which <see cref="Thread.Sleep(TimeSpan)"/> does not know, without a busy processor.</summary>
internal static class ShortSleep
{
    /// <summary>
    /// Waits until a moment has come; on Linux asleep, and so up to a tenth of a millisecond longer on a machine with nothing else to do.
    /// Elsewhere the thread offers its processor to others meanwhile.
    /// </summary>
    /// <param name="timestamp">A moment of <see cref="Stopwatch.GetTimestamp"/>.</param>
    /// <returns>Whether it had not come yet.</returns>
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
