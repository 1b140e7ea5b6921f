using System.Diagnostics;
using Sluice.Kernel;

namespace Sluice.Streams;

/// <summary>
/// Whether a buffer should be written while the caller fills the next one: only if filling takes a good part of the time that writing
/// takes. A caller that only copies gains nothing, and each hop to another thread costs it tens of microseconds of CPU time.
/// </summary>
internal struct OverlapGauge
{
    /// <summary>One write in so many runs on the caller's thread all the same, to be timed.</summary>
    private const int ProbeEvery = 64;

    /// <summary>A caller that fills a buffer in less than 250 us only copies: the hop costs it as much.</summary>
#if DEBUG
    private const long MinFillTicks = 0;
#else
    private static readonly long MinFillTicks = Tuning.OverlapGaugeMinFillMicroseconds * Stopwatch.Frequency / 1_000_000;
#endif

    private long _began;
    private long _fillBegan;
    private long _writeTicks;
    private int _count;

    /// <summary>Called when a buffer is full. A direct write waits for the device: it always pays.</summary>
    public bool PaysOff(FileCaching caching)
    {
        if (caching == FileCaching.Direct)
        {
            return true;
        }

        bool isTimed = _writeTicks == 0 || ++_count % ProbeEvery == 0;
        long fillTicks = Stopwatch.GetTimestamp() - _fillBegan;
        return !isTimed && fillTicks >= MinFillTicks && fillTicks * 2 >= _writeTicks;
    }

    public void BeginWrite() => _began = Stopwatch.GetTimestamp();

    public void EndWrite() => _writeTicks = Stopwatch.GetTimestamp() - _began;

    /// <summary>The caller may go on.</summary>
    public void BeginFill() => _fillBegan = Stopwatch.GetTimestamp();
}
