using System.Diagnostics;
using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// Whether the next cached write may run on the caller's thread: yes while such writes have lately cost less than a hop to the pool;
/// after a slow one (the kernel throttles whoever makes pages dirty faster than the device takes them) writes go to the pool until
/// one of them is quick again. Races between threads cost a hop, nothing else.
/// </summary>
internal struct WritePace
{
    private static readonly long TicksOfMicrosecond = Math.Max(1, Stopwatch.Frequency / 1_000_000);

    /// <summary>What a write may cost beside its bytes before a hop is cheaper.</summary>
    private static readonly long SlowTicks = TicksOfMicrosecond * Tuning.WritePaceSlowMicroseconds;

    /// <summary>Bytes that memory takes in a microsecond, cautiously.</summary>
    private static readonly long BytesPerMicrosecond = Tuning.WritePaceMegabytesPerSecond;

    /// <summary>The precise clock costs as much as a twentieth of a small write: one write in so many is timed with it.</summary>
    private const int PreciseEvery = Tuning.WritePacePreciseEvery;

    /// <summary>What the coarse clock, of a few milliseconds, shows of the writes between: that one was throttled.</summary>
    private static int StallMs => Tuning.WritePaceStallMs;

    private const byte Slow = 0x80;

    // One byte, for there is one in each open file: whether the last timed write was slow, and a count.
    private byte _state;

    public readonly bool AllowsInline => (Volatile.Read(in _state) & Slow) == 0;

    /// <summary>Begins a write on the caller's thread; the result goes to <see cref="End"/>.</summary>
    public long Begin()
    {
        int count = (_state + 1) % PreciseEvery;
        _state = (byte)((_state & Slow) | count);
        return count == 0 ? Stopwatch.GetTimestamp() : -1 - Environment.TickCount64;
    }

    /// <summary>Ends a write of <paramref name="length"/> bytes that <see cref="Begin"/> began.</summary>
    public void End(long begin, int length)
    {
        if (begin >= 0)
        {
            Record(begin, length);
        }
        else if (Environment.TickCount64 + 1 + begin >= StallMs)
        {
            _state |= Slow;
        }
    }

    /// <summary>Books a write of <paramref name="length"/> bytes that began at <paramref name="beginTimestamp"/> and has just
    /// ended.</summary>
    public void Record(long beginTimestamp, int length)
    {
        bool slow = Stopwatch.GetTimestamp() - beginTimestamp > SlowTicks + (length / BytesPerMicrosecond * TicksOfMicrosecond);
        if (slow == AllowsInline)
        {
            _state = (byte)(slow ? _state | Slow : _state & ~Slow);
        }
    }
}
