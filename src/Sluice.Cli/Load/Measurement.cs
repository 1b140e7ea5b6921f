namespace Sluice.Cli.Load;

/// <summary>The work of one side in all its slices so far. Loops add to it while the progress display reads it.</summary>
internal sealed class Measurement
{
    private long _operations;
    private long _bytes;
    private long _readBytes;
    private long _begunLate;

    public LatencyHistogram Reads { get; } = new();

    public LatencyHistogram Writes { get; } = new();

    /// <summary>With a rate limit: the time from the actual start; the latency is counted from the intended one.</summary>
    public LatencyHistogram Service { get; } = new();

    /// <summary>Latency of the flushes between writes (--fsync).</summary>
    public LatencyHistogram Flushes { get; } = new();

    /// <summary>Bytes that the reads of the process took from devices; null if this is not known.</summary>
    public long? StorageReadBytes { get; set; }

    public long ReadBytes => Volatile.Read(ref _readBytes);

    public long Operations => Volatile.Read(ref _operations);

    public long Bytes => Volatile.Read(ref _bytes);

    public TimeSpan Elapsed { get; set; }

    public TimeSpan Cpu { get; set; }

    public TimeSpan Flush { get; set; }

    /// <summary>Milliseconds of all requests together in the device's queue; null if the device is not known.</summary>
    public long? QueueMilliseconds { get; set; }

    public long AllocatedBytes { get; set; }

    /// <summary>MiB/s of each slice, for the ratio of interleaved sides.</summary>
    public List<double> SliceMiBPerSecond { get; } = [];

    /// <summary>MiB/s in short windows of the measured time, for steady-state detection.</summary>
    public List<RateWindow> Windows { get; } = [];

    /// <summary>With a rate limit: requests that were due in a slice and had not begun at its end.</summary>
    public long BegunLate => Volatile.Read(ref _begunLate) + NeverBegun;

    /// <summary>With a rate limit: requests that were due and were never started.</summary>
    public long NeverBegun { get; private set; }

    public void CountLate(long count) => Interlocked.Add(ref _begunLate, count);

    /// <summary>One caller at a time, and beside no other count.</summary>
    /// <param name="shortestWaitNanoseconds">Of the one that was due last; a latency, as far as it is known.</param>
    /// <param name="distanceNanoseconds">Between two that were due one after the other.</param>
    public void CountNeverBegun(bool isWrite, long count, long shortestWaitNanoseconds, double distanceNanoseconds)
    {
        NeverBegun += count;
        (isWrite ? Writes : Reads).RecordEvenly(shortestWaitNanoseconds, distanceNanoseconds, count);
    }

    public void Count(bool isWrite, int bytes, long latencyNanoseconds)
    {
        Interlocked.Increment(ref _operations);
        Interlocked.Add(ref _bytes, bytes);
        if (!isWrite)
            Interlocked.Add(ref _readBytes, bytes);
        (isWrite ? Writes : Reads).Record(latencyNanoseconds);
    }
}

/// <summary>Throughput in a part of one side's measured time.</summary>
internal readonly record struct RateWindow(double StartSeconds, double Seconds, double MiBPerSecond);
