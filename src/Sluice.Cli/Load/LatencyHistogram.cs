using System.Numerics;

namespace Sluice.Cli.Load;

/// <summary>
/// Counts latencies in log-linear buckets: 256 to each power of two, so any quantile is within 0.4 % of the recorded value.
/// Recording is thread-safe and allocates nothing. The idea is HdrHistogram's; values are nanoseconds.
/// </summary>
internal sealed class LatencyHistogram
{
    private const int MantissaBits = 8;
    private const int Mantissas = 1 << MantissaBits;

    // Far above what can be recorded, and far below what 128 bits hold.
    private const double MaxSum = 1e30;

    private readonly long[] _counts = new long[BucketOf(long.MaxValue) + 1];
    private long _max;
    private long _min = long.MaxValue;

    // Of 128 bits: the latencies of a minute far above what can be done are more nanoseconds than a long has.
    private long _sum;
    private long _sumHigh;
    private long _count;

    public long Count => Volatile.Read(ref _count);

    public long MaxNanoseconds => Volatile.Read(ref _max);

    public long MinNanoseconds => Count == 0 ? 0 : Volatile.Read(ref _min);

    public double MeanNanoseconds => Count == 0 ? 0 : (double)Sum / Count;

    private UInt128 Sum
    {
        get => new((ulong)Volatile.Read(ref _sumHigh), (ulong)Volatile.Read(ref _sum));
        set => (_sumHigh, _sum) = ((long)(value >> 64), (long)(ulong)value);
    }

    public void Record(long nanoseconds)
    {
        long value = Math.Max(0, nanoseconds);
        Interlocked.Increment(ref _counts[BucketOf(value)]);
        // A sum below what was added to it has wrapped around.
        if ((ulong)Interlocked.Add(ref _sum, value) < (ulong)value)
            Interlocked.Increment(ref _sumHigh);
        Interlocked.Increment(ref _count);
        long seen = Volatile.Read(ref _max);
        while (value > seen)
            seen = Math.Max(Interlocked.CompareExchange(ref _max, value, seen), Volatile.Read(ref _max));
        seen = Volatile.Read(ref _min);
        while (value < seen)
            seen = Math.Min(Interlocked.CompareExchange(ref _min, value, seen), Volatile.Read(ref _min));
    }

    /// <summary>Records values at even distances, bucket by bucket: it takes no longer for billions. It may not be recording.</summary>
    public void RecordEvenly(long lowestNanoseconds, double distanceNanoseconds, long count)
    {
        if (count <= 0)
            return;
        long lowest = Math.Max(0, lowestNanoseconds);
        for (long done = 0, next; done < count; done = next)
        {
            int bucket = BucketOf(lowest + (long)(done * distanceNanoseconds));
            double untilNextBucket = Math.Ceiling((HighestIn(bucket) + 1.0 - lowest) / distanceNanoseconds);
            next = (long)Math.Clamp(untilNextBucket, done + 1, count);
            _counts[bucket] += next - done;
        }
        Sum += ((UInt128)lowest * (UInt128)count) + (UInt128)(distanceNanoseconds / 2 * count * (count - 1));
        _count += count;
        _max = Math.Max(_max, lowest + (long)((count - 1) * distanceNanoseconds));
        _min = Math.Min(_min, lowest);
    }

    /// <summary>The smallest recorded value (to bucket precision) that at least <paramref name="percent"/> % do not exceed.</summary>
    public long Percentile(double percent)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(percent, 0);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, 100);
        long count = Count;
        if (count == 0)
            return 0;
        // Without the small subtraction, 99.999 % of 100,000 rounds up past the 99,999th value.
        long rank = Math.Clamp((long)Math.Ceiling((percent / 100 * count) - 1e-6), 1, count);
        long below = 0;
        for (int bucket = 0; bucket < _counts.Length; bucket++)
        {
            below += Volatile.Read(ref _counts[bucket]);
            if (below >= rank)
                return Math.Clamp(HighestIn(bucket), MinNanoseconds, MaxNanoseconds);
        }
        return MaxNanoseconds;
    }

    /// <summary>Adds what another histogram has counted. Neither may be recording.</summary>
    /// <exception cref="OverflowException">They have counted more than fits.</exception>
    public void Add(LatencyHistogram other)
    {
        for (int bucket = 0; bucket < _counts.Length; bucket++)
            _counts[bucket] = checked(_counts[bucket] + other._counts[bucket]);
        Sum = checked(Sum + other.Sum);
        _count = checked(_count + other._count);
        _max = Math.Max(_max, other._max);
        _min = Math.Min(_min, other._min);
    }

    /// <summary>What was counted; null where that is nothing. It may not be recording.</summary>
    public HistogramRecord? ToRecord()
    {
        int[] used = [.. Enumerable.Range(0, _counts.Length).Where(b => _counts[b] > 0)];
        return used.Length == 0 ? null
            : new HistogramRecord([.. used.Select(HighestIn)], [.. used.Select(b => _counts[b])], (double)Sum, _min, _max);
    }

    /// <summary>What <see cref="ToRecord"/> gave; null where it cannot have given that.</summary>
    public static LatencyHistogram? TryFrom(HistogramRecord record)
    {
        if (record.UpToNs is not { Count: > 0 } upTo || record.Counts is not { } counts || counts.Count != upTo.Count
            || upTo.Any(v => v < 0) || counts.Any(c => c <= 0) || record.SumNs is not (>= 0 and < MaxSum)
            || record.MinNs < 0 || record.MinNs > upTo.Min() || record.MaxNs < record.MinNs || record.MaxNs > upTo.Max())
        {
            return null;
        }
        try
        {
            var histogram = new LatencyHistogram { Sum = (UInt128)record.SumNs, _min = record.MinNs, _max = record.MaxNs };
            foreach ((long value, long count) in upTo.Zip(counts))
            {
                histogram._counts[BucketOf(value)] = checked(histogram._counts[BucketOf(value)] + count);
                histogram._count = checked(histogram._count + count);
            }
            return histogram;
        }
        catch (OverflowException)
        {
            return null;
        }
    }

    // Below 256 each value has its own bucket; above, the leading bit picks the octave and the next eight bits the bucket.
    private static int BucketOf(long value)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)value) - MantissaBits);
        return (shift << MantissaBits) + (int)(value >> shift);
    }

    private static long HighestIn(int bucket)
    {
        if (bucket < 2 * Mantissas)
            return bucket;
        int shift = (bucket >> MantissaBits) - 1;
        long mantissa = (bucket & (Mantissas - 1)) + Mantissas;
        // The last bucket's end is long.MaxValue; (mantissa + 1) << shift would overflow there.
        return (mantissa << shift) + ((1L << shift) - 1);
    }
}

/// <summary>A histogram in a result: of each bucket that is not empty, the largest value that it takes, and how many it has.</summary>
internal sealed record HistogramRecord(IReadOnlyList<long> UpToNs, IReadOnlyList<long> Counts, double SumNs, long MinNs, long MaxNs);
