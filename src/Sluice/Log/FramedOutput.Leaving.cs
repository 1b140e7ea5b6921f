using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Memory;

namespace Sluice.Log;

/// <summary>Which segments are there, and how they are left.</summary>
internal sealed partial class FramedOutput
{
    /// <summary>Goes on in another segment; what it has taken back of the old ones as a whole is removed.</summary>
    private void Leave(List<SegmentFile> old, SegmentFile next)
    {
        foreach (SegmentFile segment in old)
        {
            if (segment.FirstSequence >= next.FirstSequence)
            {
                if (!segment.Remove())
                {
                    _retention.AddTakenBack(segment.Path, segment.Header.Id);
                }
            }
            else
            {
                segment.TryCutReserved();
                segment.Dispose();
                _retention.Add(segment.Closed(Math.Min(segment.LastSequence, next.FirstSequence - 1)));
            }
        }

        using (_rolling.EnterUninterrupted())
        {
            _rolled.Clear();
            Volatile.Write(ref _fullCount, 0);
            _current = next;
        }

        _askedForNext = false;
        Volatile.Write(ref _tookBack, true);
        Volatile.Write(ref _durableSegment, next.Header.Id);
        _marks.Clear();
    }

    /// <summary>Those that are full, and the one that is written.</summary>
    private List<SegmentFile> All()
    {
        using (_rolling.EnterUninterrupted())
        {
            return [.. _rolled, .. _current is null ? [] : new[] { _current }];
        }
    }

    private SegmentFile[] Rolled()
    {
        using (_rolling.EnterUninterrupted())
        {
            return [.. _rolled];
        }
    }

    /// <summary>A clock that was set back stands still here.</summary>
    private long Now() => _lastTime = Math.Max(_lastTime, LogLayout.ToNanoseconds(DateTime.UtcNow));
}
