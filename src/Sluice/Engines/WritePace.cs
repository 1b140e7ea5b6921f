using System.Diagnostics;

namespace Sluice;

/// <summary>
/// Whether the next cached write may run on the caller's thread: yes while such writes have lately cost less than a hop to the pool;
/// after a slow one (the kernel throttles whoever makes pages dirty faster than the device takes them) writes go to the pool until
/// one of them is quick again. Races between threads cost a hop, nothing else.
/// </summary>
internal struct WritePace
{
    /// <summary>What a write may cost beside its bytes before a hop is cheaper.</summary>
    private static readonly long SlowTicks = Stopwatch.Frequency / 10_000;

    /// <summary>Bytes that memory takes in one tick, cautiously (about 0.5 GB/s).</summary>
    private static readonly long BytesPerTick = Math.Max(1, 500_000_000 / Stopwatch.Frequency);

    private volatile bool _slow;

    public readonly bool AllowsInline => !_slow;

    /// <summary>Books a write of <paramref name="length"/> bytes that began at <paramref name="beginTimestamp"/> and has just ended.</summary>
    public void Record(long beginTimestamp, int length)
    {
        bool slow = Stopwatch.GetTimestamp() - beginTimestamp > SlowTicks + length / BytesPerTick;
        if (slow != _slow)
        {
            _slow = slow;
        }
    }
}
