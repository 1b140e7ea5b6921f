using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Sluice.Cli.Bench;

/// <summary>A period in which one contender runs: its end, and the number of operations that the loops have completed.</summary>
internal sealed class Slice(TimeSpan duration, int loops, CancellationToken cancellationToken)
{
    // The counters are a cache line apart, so that loops on different processors do not slow each other down.
    private const int Stride = 16;

    private readonly long[] _operations = new long[(loops + 1) * Stride];
    private long _deadline = long.MaxValue;

    public int Loops => loops;

    /// <summary>
    /// The number of bytes allocated while the operations ran, if the loop measured it (see <see cref="Contender.MeasuresAllocations"/>) or
    /// a started program reported it.
    /// </summary>
    public long AllocatedBytes { get; set; }

    /// <summary>The duration that a started program reported; null to use the clock.</summary>
    public TimeSpan? Elapsed { get; set; }

    /// <summary>The processor time that a started program reported; null to use that of the whole program.</summary>
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
