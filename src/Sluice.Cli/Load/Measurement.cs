namespace Sluice.Cli.Load;

/// <summary>The counts and times of all slices of Sluice or of .NET so far. Loops add to it while the progress display reads it.</summary>
internal sealed class Measurement
{
    private long _readBytes;
    private long _writtenBytes;
    private long _begunLate;
    private long _zeros;

    public LatencyHistogram Reads { get; } = new();

    public LatencyHistogram Writes { get; } = new();

    /// <summary>The times from the actual starts of requests with a rate limit. Their latencies begin at the intended starts.</summary>
    public LatencyHistogram Service { get; } = new();

    /// <summary>The latencies of the flushes between writes (--fsync).</summary>
    public LatencyHistogram Flushes { get; } = new();

    /// <summary>The number of bytes that the reads of the process took from devices; null if it is unknown.</summary>
    public long? StorageReadBytes { get; set; }

    public long ReadBytes => Volatile.Read(ref _readBytes);

    public long Bytes => ReadBytes + Volatile.Read(ref _writtenBytes);

    public long Operations => Reads.Count + Writes.Count - NeverBegun;

    /// <summary>The time from the start of the next slice until its first request is due, with a rate limit.</summary>
    public long NextDueTicks { get; set; }

    public TimeSpan Elapsed { get; set; }

    public TimeSpan Cpu { get; set; }

    public TimeSpan Flush { get; set; }

    /// <summary>The sum of the times of all requests in the device's queue, in milliseconds; null if the device is unknown.</summary>
    public long? QueueMilliseconds { get; set; }

    public long AllocatedBytes { get; set; }

    /// <summary>The throughput of each slice in MiB/s, for the ratio of alternating slices.</summary>
    public List<double> SliceMiBPerSecond { get; } = [];

    /// <summary>The throughput in short windows of the measured time.</summary>
    public List<RateWindow> Windows { get; } = [];

    /// <summary>The throughput in the latest window, which the progress display reads.</summary>
    public double LatestMiBPerSecond { get; set; }

    /// <summary>The number of requests that were due in a slice and had not begun at its end, with a rate limit.</summary>
    public long BegunLate => Volatile.Read(ref _begunLate) + NeverBegun;

    /// <summary>The number of requests that were due and never started, with a rate limit.</summary>
    public long NeverBegun { get; private set; }

    public void CountLate(long count) => Interlocked.Add(ref _begunLate, count);

    /// <summary>Counts requests that were never started. Must not run concurrently with itself or another method that counts.</summary>
    /// <param name="shortestWaitNanoseconds">The wait so far of the request that was due last, which is recorded as its latency.</param>
    /// <param name="distanceNanoseconds">The time between the due times of two successive requests.</param>
    public void CountNeverBegun(bool isWrite, long count, long shortestWaitNanoseconds, double distanceNanoseconds)
    {
        NeverBegun += count;
        (isWrite ? Writes : Reads).RecordEvenly(shortestWaitNanoseconds, distanceNanoseconds, count);
    }

    /// <summary>The number of zeros in what was touched.</summary>
    public long Zeros => Volatile.Read(ref _zeros);

    /// <summary>Accesses every byte, as a program does that uses the data. The compiler could remove a loop without a result.</summary>
    public void Touch(ReadOnlySpan<byte> bytes) => Interlocked.Add(ref _zeros, bytes.Count((byte)0));

    public void Count(bool isWrite, int bytes, long latencyNanoseconds)
    {
        Interlocked.Add(ref isWrite ? ref _writtenBytes : ref _readBytes, bytes);
        (isWrite ? Writes : Reads).Record(latencyNanoseconds);
    }
}

/// <summary>The library that is measured, and how its file is opened.</summary>
/// <param name="Name">The name in results: sluice or bcl.</param>
internal sealed record MeasuredSide(string Name, string Engine, FileCaching Caching, string? CachingReason)
{
    public Measurement Measured { get; init; } = new();
}

/// <summary>The throughput in a part of the measured time.</summary>
internal readonly record struct RateWindow(double StartSeconds, double MiBPerSecond);
