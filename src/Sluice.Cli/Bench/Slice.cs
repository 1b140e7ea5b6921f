using System.Diagnostics;
using System.Runtime.CompilerServices;
using Sluice.Cli.Load;

namespace Sluice.Cli.Bench;

/// <summary>One stretch of time for one contender: when it ends, and what its loops have done so far.</summary>
internal sealed class Slice(TimeSpan duration, int loops, CancellationToken cancellationToken)
{
    // Counters a cache line apart: loops on different processors must not slow each other down.
    private const int Stride = 16;

    // A TimeSpan has steps of 100 ns, within which the quickest calls end.
    private static readonly double NsPerTick = 1e9 / Stopwatch.Frequency;
    private readonly long[] _operations = new long[(loops + 1) * Stride];
    private long _deadline = long.MaxValue;

    public int Loops => loops;

    /// <summary>Where loops of single operations record how long each took; null: they look at no clock.</summary>
    public LatencyHistogram? Latencies { get; init; }

    /// <summary>When an operation begins, if that is asked for.</summary>
    public long Begin() => Latencies is null ? 0 : Stopwatch.GetTimestamp();

    /// <summary>The operation that began then has ended.</summary>
    public void End(long began) => Latencies?.Record((long)((Stopwatch.GetTimestamp() - began) * NsPerTick));

    /// <summary>
    /// Allocated while the operations ran, if the loop measured it (see <see cref="Contender.MeasuresAllocations"/>), or a program that it
    /// ran says it of itself.
    /// </summary>
    public long AllocatedBytes { get; set; }

    /// <summary>What a program that it ran says of its own time; null where the clock says it.</summary>
    public TimeSpan? Elapsed { get; set; }

    /// <summary>The same of its processor time; null where the whole program counts.</summary>
    public TimeSpan? Cpu { get; set; }

    public bool IsOver => Stopwatch.GetTimestamp() >= Volatile.Read(ref _deadline) || cancellationToken.IsCancellationRequested;

    public long Operations
    {
        get
        {
            long sum = 0;
            for (int i = Stride; i < _operations.Length; i += Stride)
                sum += Volatile.Read(ref _operations[i]);
            return sum;
        }
    }

    public void Start() => Volatile.Write(ref _deadline, Stopwatch.GetTimestamp() + (long)(duration.TotalSeconds * Stopwatch.Frequency));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Count(int loop, long operations = 1) => _operations[(loop + 1) * Stride] += operations;
}
