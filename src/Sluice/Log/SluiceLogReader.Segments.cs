using Sluice.Log;

namespace Sluice;

/// <summary>From one segment to the next, while a writer makes, drops and removes them.</summary>
public sealed partial class SluiceLogReader
{
    /// <summary>Where less is durable than was read: to where the log begins again, if its tail was dropped.</summary>
    private bool TryFollowDrop() =>
        _limit < _segment!.ReadTo
        && FindNext(out _) is { Restarts: true } next
        && next.FirstSequence <= _segment.ReadTo
        && TryEnter(next);

    /// <summary>At the end of what is good in a segment: to the next one, if there is one; false at the end of the log.</summary>
    private bool TryLeaveSegment(FrameResult result)
    {
        SegmentInfo? next = FindNext(out SluiceLogCut? torn);
        if (next is null)
        {
            _segment!.Forget();
            Tail = result == FrameResult.Bad
                ? new SluiceLogCut(_segment.Path, _segment.Offset, _segment.CountUnwrittenBytes(), _next, _segment.Reason)
                : torn;
            return WhyLonger() is { } damage && (HasMoreByNow() || ReportLostEnd(damage));
        }

        // Frames may have been written between the look at them and the look for the next segment.
        _segment!.Forget();
        FrameResult again = result == FrameResult.Good ? result : _segment.TryNext(out _frame);
        if (again == FrameResult.Good && result != FrameResult.Good)
        {
            _segment.Unread();
            return true;
        }

        if (_segment.ReadTo + 1 < next.FirstSequence)
        {
            return TryPassGap(next, again);
        }

        _ = TryEnter(next);
        return true;
    }

    /// <summary>Between the last record of a segment and the first of the next some are not there.</summary>
    private bool TryPassGap(SegmentInfo next, FrameResult end)
    {
        // What ended the segment is found again at the next call.
        _segment!.Unread();
        long first = _segment.ReadTo + 1;
        bool wasRemoved = end != FrameResult.Bad && _folder.List() is [long oldest, ..] && oldest > _segment.Id;
        SluiceLogDamagedException damage;
        if (wasRemoved || end == FrameResult.Good)
        {
            damage = new SluiceLogDamagedException(_folder.Path, -1, first, wasRemoved
                ? $"it was removed before it was read, and the log begins later now (record {next.FirstSequence} is there)"
                : $"a segment is missing between '{_segment.Path}' and '{next.Path}'");
        }
        else
        {
            string reason = end == FrameResult.Bad ? _segment.Reason : "its records end before the next segment begins";
            if (!_isDurableBehind && !_segment.IsKnownToBeLonger && KnownDurable() <= _segment.ReadTo)
            {
                Tail = new SluiceLogCut(_segment.Path, _segment.Offset, _segment.CountUnwrittenBytes(), _next, reason);
                return false;
            }

            damage = new SluiceLogDamagedException(_segment.Path, _segment.Offset, first, reason);
            Report(damage);
            if (_segment.TryPassOver())
            {
                return true;
            }
        }

        if (!_options.SkipDamage)
        {
            throw damage;
        }

        // Where the next one has been removed too, another one is to be looked for, and the gap is larger.
        if (TryEnter(next))
        {
            Report(damage);
        }

        return true;
    }

    /// <summary>The last sequence that the log's state knows to be on the disk; 0 where it knows of none.</summary>
    private long KnownDurable() => State() is { } state && state.LogId == _segment!.LogId ? state.DurableSequence : 0;

    /// <summary>A log that ends before what was durable is damaged, and has no torn tail; null where it may end here.</summary>
    private SluiceLogDamagedException? WhyLonger()
    {
        long first = _segment!.ReadTo + 1;
        long durable = _segment.IsKnownToBeLonger ? 0 : KnownDurable();
        return durable < first && !_segment.IsKnownToBeLonger ? null
            : Tail is not null ? new SluiceLogDamagedException(Tail.Path, Tail.FileOffset, first, Tail.Reason)
            : durable < first ? new SluiceLogDamagedException(_segment.Path, _segment.Offset, first, "it has zeros before its footer")
            : LostFiles(durable, first);
    }

    private SluiceLogDamagedException LostFiles(long durable, long first) =>
        new(_folder.Path, -1, first, $"records up to {durable} were on the disk, and files that had them are gone or cut");

    /// <summary>
    /// Whether what was being written when it was looked at has become a frame, or another segment has begun. Asked after the state: what
    /// that one says was whole in the files before.
    /// </summary>
    private bool HasMoreByNow()
    {
        _segment!.Forget();
        if (_segment.TryNext(out _) == FrameResult.Good)
        {
            _segment.Unread();
            return true;
        }

        _segment.Forget();
        return FindNext(out _) is not null;
    }

    /// <summary>Always false: nothing more is to be read now.</summary>
    private bool ReportLostEnd(SluiceLogDamagedException damage)
    {
        Report(damage);
        _ = _segment!.TryPassOver();
        return false;
    }

    /// <summary>What stands in a segment that was about to begin.</summary>
    private SluiceLogCut? TornOf(LogCatalog catalog) =>
        catalog.Newest is { TornOpening: { } reason } torn && new FileInfo(torn.Path) is { Exists: true } file
            ? new SluiceLogCut(torn.Path, LogLayout.HeaderBytes, file.Length - LogLayout.HeaderBytes, _next, reason)
            : null;

    /// <summary>The segment behind the present one, by now; null where there is none.</summary>
    private SegmentInfo? FindNext(out SluiceLogCut? torn)
    {
        long id = _segment!.Id;
        torn = null;
        if (_folder.List() is not [.., long last] || last <= id)
        {
            return null;
        }

        LogCatalog catalog = LogCatalog.Read(_folder, Report, checksOrder: false, fromId: id);
        torn = TornOf(catalog);
        if (catalog.Segments.Find(s => s.Id == id) is { } present)
        {
            _segment.Update(present);
        }

        // What is written only when everything earlier is on the disk.
        _isDurableBehind = catalog.Segments.Exists(s => s.Id > id && (s.EndsWithFooter || s.Restarts));
        return catalog.Segments.Find(s => s.Id > id);
    }

    /// <summary>The segment in which the next record is, or would be.</summary>
    private bool FindSegment()
    {
        while (true)
        {
            LogCatalog catalog = LogCatalog.Read(_folder, Report, checksOrder: false);
            List<SegmentInfo> segments = catalog.Segments;
            if (segments.Count == 0)
            {
                Tail = TornOf(catalog);
                if (catalog.Ids.Count == 0 && State() is { DurableSequence: > 0 } state && _folder.List().Count == 0)
                {
                    Report(LostFiles(state.DurableSequence, _next));
                }

                return false;
            }

            int index = _fromTime == long.MinValue
                ? segments.FindLastIndex(s => s.FirstSequence <= _next)
                : segments.FindLastIndex(s => s.FirstSequence <= _next && s.FirstTime <= _fromTime);
            if (TryEnter(segments[Math.Max(index, 0)]))
            {
                return true;
            }
        }
    }

    /// <summary>False where it was removed since it was found: another one is to be looked for.</summary>
    private bool TryEnter(SegmentInfo segment)
    {
        SegmentReader entered;
        try
        {
            entered = SegmentReader.Open(segment);
        }
        catch (FileNotFoundException)
        {
            return false;
        }

        bool dropsWhatWasRead = segment.Restarts && _segment is not null && _segment.ReadTo >= segment.FirstSequence;
        _segment?.Dispose();
        _segment = entered;
        if (dropsWhatWasRead)
        {
            _next = segment.FirstSequence;
        }

        if (segment.Restarts)
        {
            // What was durable before it may have been dropped, and its numbers given again.
            _limit = 0;
        }

        _next = Math.Max(_next, segment.FirstSequence);
        _segment.MoveNear(_next, _fromTime);
        return true;
    }

    private void MoveToEnd()
    {
        List<SegmentInfo> segments;
        do
        {
            segments = LogCatalog.Read(_folder, Report, checksOrder: false).Segments;
            if (segments.Count == 0)
            {
                return;
            }
        }
        while (!TryEnter(segments[^1]));
        while (TryTakeFrame())
        {
            _hasFrame = false;
            _next = _frame.LastSequence + 1;
        }
    }
}
