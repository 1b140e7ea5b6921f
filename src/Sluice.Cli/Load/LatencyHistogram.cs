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
}
