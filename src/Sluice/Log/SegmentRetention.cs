using Sluice.Memory;

namespace Sluice.Log;

/// <summary>A segment that is not written any more.</summary>
internal readonly record struct ClosedSegment(string Path, long FirstSequence, long LastSequence, long LastTime, long Bytes);

/// <summary>The segments that are not written any more, oldest first, and which of them are to go. Thread-safe.</summary>
internal sealed class SegmentRetention(LogSettings settings, IEnumerable<ClosedSegment> closed)
{
    private readonly Lock _lock = new();
    private readonly List<ClosedSegment> _closed = [.. closed];

    /// <summary>Of the oldest; null where there is none.</summary>
    public long? FirstSequence
    {
        get
        {
            using (_lock.EnterUninterrupted())
            {
                return _closed.Count > 0 ? _closed[0].FirstSequence : null;
            }
        }
    }

    public void Add(ClosedSegment segment)
    {
        using (_lock.EnterUninterrupted())
        {
            _closed.Add(segment);
        }
    }

    /// <summary>Removes what the options do not keep; whether something was removed.</summary>
    public bool Apply(DateTime utcNow)
    {
        using (_lock.EnterUninterrupted())
        {
            // The segment that is written counts as one.
            int tooMany = settings.RetainSegments is { } most ? _closed.Count + 1 - most : 0;
            long tooLarge = settings.RetainBytes is { } bytes ? _closed.Sum(static s => s.Bytes) - bytes : 0;
            long oldest = settings.RetainAge is { } age ? LogLayout.ToNanoseconds(utcNow) - (long)age.TotalNanoseconds : long.MinValue;
            return RemoveWhileLocked(s =>
            {
                bool goes = tooMany-- > 0 || tooLarge > 0 || s.LastTime < oldest;
                tooLarge -= s.Bytes;
                return goes;
            }) > 0;
        }
    }

    /// <summary>Removes the oldest as long as they are old; how many.</summary>
    public int RemoveWhile(Func<ClosedSegment, bool> isOld)
    {
        using (_lock.EnterUninterrupted())
        {
            return RemoveWhileLocked(isOld);
        }
    }

    /// <summary>Removes those that begin at a record or later: they were taken back. The newest first, so that a crash leaves no
    /// gap.</summary>
    public void RemoveFrom(long sequence)
    {
        using (_lock.EnterUninterrupted())
        {
            for (int i = _closed.Count - 1; i >= 0 && _closed[i].FirstSequence >= sequence; i--)
            {
                SegmentFile.TryDelete(_closed[i].Path);
                _closed.RemoveAt(i);
            }
        }
    }

    private int RemoveWhileLocked(Func<ClosedSegment, bool> isOld)
    {
        int removed = 0;
        try
        {
            while (removed < _closed.Count && isOld(_closed[removed]))
            {
                File.Delete(_closed[removed].Path);
                removed++;
            }
        }
        finally
        {
            _closed.RemoveRange(0, removed);
        }

        return removed;
    }
}
