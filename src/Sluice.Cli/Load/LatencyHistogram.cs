using HdrHistogram;

namespace Sluice.Cli.Load;

/// <summary>
/// A histogram of latencies in nanoseconds, with a precision of 0.1 %. Values above thirteen days are recorded as thirteen days. Recording
/// is thread-safe and allocates nothing.
/// </summary>
internal sealed class LatencyHistogram
{
    private const int Digits = 3;
    private const long LongestNanoseconds = 1L << 50;

    private readonly LongConcurrentHistogram _counts = new(1, LongestNanoseconds, Digits);

    public long Count => _counts.TotalCount;

    public long MaxNanoseconds => Percentile(100);

    public long MinNanoseconds => _counts.LowestEquivalentValue(Percentile(0));

    /// <summary>The mean, computed here because that of HdrHistogram overflows. No thread may record meanwhile.</summary>
    public double MeanNanoseconds => _counts.RecordedValues()
        .Sum(v => (double)v.CountAtValueIteratedTo * _counts.MedianEquivalentValue(v.ValueIteratedTo)) / Math.Max(1, Count);

    public void Record(long nanoseconds) => _counts.RecordValue(Math.Clamp(nanoseconds, 0, LongestNanoseconds));

    /// <summary>Records values at equal distances. The duration depends on the number of buckets, not on the number of values.</summary>
    public void RecordEvenly(long lowestNanoseconds, double distanceNanoseconds, long count)
    {
        long lowest = Math.Max(0, lowestNanoseconds);
        for (long done = 0, next; done < count; done = next)
        {
            long value = (long)Math.Min(lowest + (done * distanceNanoseconds), LongestNanoseconds);
            double untilNextBucket = Math.Ceiling((_counts.NextNonEquivalentValue(value) - lowest) / distanceNanoseconds);
            next = value == LongestNanoseconds ? count : (long)Math.Clamp(untilNextBucket, done + 1, count);
            _counts.RecordValueWithCount(value, next - done);
        }
    }

    /// <summary>
    /// Returns the smallest recorded value (to bucket precision) that at least <paramref name="percent"/> % do not exceed.
    /// </summary>
    public long Percentile(double percent)
    {
        // HdrHistogram rounds to the nearest rank. The subtraction avoids the last rank for 99.999 % of 100,000 values.
        long count = Count;
        long rank = Math.Clamp((long)Math.Ceiling((percent / 100 * count) - 1e-6), 1, Math.Max(1, count));
        return count == 0 ? 0 : _counts.GetValueAtPercentile(100.0 * rank / count);
    }

    /// <summary>Adds the counts of another histogram. No thread may record in either histogram meanwhile.</summary>
    /// <exception cref="OverflowException">The sum of the counts is too large.</exception>
    public void Add(LatencyHistogram other)
    {
        _ = checked(Count + other.Count);
        _counts.Add(other._counts);
    }

    /// <summary>Returns the counts, or null if the histogram is empty. No thread may record meanwhile.</summary>
    public HistogramRecord? ToRecord()
    {
        (long UpTo, long Count)[] used = [.. _counts.RecordedValues().Select(v => (v.ValueIteratedTo, v.CountAtValueIteratedTo))];
        return used.Length == 0 ? null : new HistogramRecord([.. used.Select(u => u.UpTo)], [.. used.Select(u => u.Count)]);
    }

    /// <summary>Converts a value that <see cref="ToRecord"/> returned; returns null if the value is not valid.</summary>
    public static LatencyHistogram? TryFrom(HistogramRecord record)
    {
        if (record.UpToNs is not { Count: > 0 } upTo || record.Counts is not { } counts || counts.Count != upTo.Count
            || upTo.Any(v => v < 0) || counts.Any(c => c <= 0) || counts.Sum(c => (double)c) >= long.MaxValue)
        {
            return null;
        }
        var histogram = new LatencyHistogram();
        foreach ((long value, long count) in upTo.Zip(counts))
            histogram._counts.RecordValueWithCount(Math.Min(value, LongestNanoseconds), count);
        return histogram;
    }
}

/// <summary>A histogram in a result: the largest value of each bucket that is not empty, and its count.</summary>
internal sealed record HistogramRecord(IReadOnlyList<long> UpToNs, IReadOnlyList<long> Counts);
