using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log;

/// <summary>Which segments are there, and how they are left.</summary>
internal sealed partial class FramedOutput
{
    private static void TrySeal(SegmentFile segment)
    {
        try
        {
            segment.Seal();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Without a footer a segment is read as well: its records are on the disk, as far as the next one's first.
        }
    }

    /// <summary>Seals what an earlier writer left, once; what cannot be sealed is the next writer's again.</summary>
    private void SealWhatWasLeft(long covered)
    {
        if (_unsealed.TrueForAll(s => s.LastSequence <= covered))
        {
            foreach (SegmentFile segment in _unsealed)
            {
                TrySeal(segment);
                if (segment.HasFooter)
                {
                    long bytes = _folder.LookAt(segment.Path).Bytes;
                    _ = _retention.TryChange(segment.Path, s => s with { IsSealed = true, Bytes = bytes });
                }
            }

            LetGoOfUnsealed();
        }
    }

    private void LetGoOfUnsealed()
    {
        foreach (SegmentFile segment in _unsealed)
        {
            segment.Dispose();
        }

        _unsealed.Clear();
        Volatile.Write(ref _hasUnsealed, false);
    }

    /// <summary>
    /// Goes on in another segment; what it has taken back of the old ones as a whole is removed. That one is on the disk by now, and the
    /// log can go on in no other: needs no memory but where what there is none for may be left undone.
    /// </summary>
    /// <param name="old">Of <see cref="AllToLeave"/>.</param>
    /// <param name="next">The segment.</param>
    private void Leave(List<SegmentFile> old, SegmentFile next)
    {
        // Their ends may be what is taken back.
        LetGoOfUnsealed();
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

        using (_rolling.EnterAlways())
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

    /// <summary>Those that are full, and the one that is written; there is memory now for what will be noted of them.</summary>
    /// <param name="sequence">From which on records will be taken back.</param>
    private List<SegmentFile> AllToLeave(long sequence)
    {
        List<SegmentFile> all = All();
        _retention.Reserve(all.Count, sequence);
        return all;
    }

    private List<SegmentFile> All()
    {
        using (_rolling.EnterAlways())
        {
            return [.. _rolled, .. _current is null ? [] : new[] { _current }];
        }
    }

    /// <summary>Before a sync: nobody may write any more, and try it then. What takes records back and is still there refuses the sync
    /// (<see cref="BeforeSync"/>).</summary>
    private void TryEndWithdrawn()
    {
        try
        {
            EndWithdrawn();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    private SegmentFile[] Rolled()
    {
        using (_rolling.EnterAlways())
        {
            return [.. _rolled];
        }
    }

    private long Now() => LogLayout.ToNanoseconds(_settings.Clock.GetUtcNow().UtcDateTime);
}
