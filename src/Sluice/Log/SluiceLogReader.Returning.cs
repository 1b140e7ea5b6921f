using Sluice.Log;
using Sluice.Log.Segments;

namespace Sluice;

// Where the segment that is read is not the log's any more, or the log is not the folder's.
public sealed partial class SluiceLogReader
{
    /// <summary>Where no more is durable than was read: to where the log begins again, if its tail was dropped.</summary>
    private bool TryFollowDrop() =>
        _limit <= Reached
        && FindNext(out _) is { Restarts: true } next
        && next.FirstSequence <= Reached
        && TryEnter(next);

    /// <summary>
    /// Where the segment was to take records back, and its writer has withdrawn it since it did not become durable, or where it has not
    /// begun: back to what the log has instead, also where the file could not be removed. What was read before is not read again, unless
    /// others have taken it back since.
    /// </summary>
    /// <param name="isLost">Whether it has not begun.</param>
    private bool TryReturn(bool isLost = false)
    {
        bool isIn = _segment!.Restarts && _segment.IsIn(_folder);
        if (!isLost && (!_segment.Restarts || (isIn && !_segment.IsWithdrawnBy(State()))))
        {
            return false;
        }

        // Where records of it were given out, whoever reads has dropped what came behind them, and gets that again.
        long before = _hasGiven ? _next : Math.Max(_next, _nextBefore);

        // What is known of the files is looked at anew: else it might lead here again, and what was taken back may be empty by now.
        _known.Clear();
        LogCatalog catalog = Look();
        List<SegmentInfo> segments = catalog.Segments;
        if (isIn && segments.Exists(s => s.Id == _segment.Id))
        {
            return false;
        }

        long next = segments.Where(s => s.Id > _idBefore && s.Restarts).Select(static s => s.FirstSequence).Append(before).Min();
        if (segments.Count == 0 || catalog.LogId != _logId || segments[0].Id > _segment.Id || segments[0].FirstSequence > next)
        {
            return false;
        }

        _droppedFrom = _droppedBefore = _hasGiven ? 0 : _droppedBefore;
        if (next < before)
        {
            NoteDrop(next);
        }

        _segment.Dispose();
        (_segment, _next, _nextBefore, _limit, _hasReturned) = (null, next, before, 0, true);
        return true;
    }

    /// <summary>What stands in the place of a frame that was read, here or in the next segment, has the numbers of its records.</summary>
    private void GoBackToLost(SegmentReader segment)
    {
        if (segment.LostFrom is > 0 and long from)
        {
            segment.LostFrom = 0;
            if (from < _next)
            {
                NoteDrop(from);
                _next = from;
            }
        }
    }

    /// <summary>Where the opening that the segment was entered by is not there any more: it has not begun.</summary>
    private bool TryReturnFromLost()
    {
        if (!_segment!.HasLostOpening(_folder))
        {
            return false;
        }

        return TryReturn(isLost: true);
    }

    /// <summary>
    /// At the end: whether somebody has removed the log and made another one in the same folder. Whoever passes over damage reads that one
    /// from its beginning.
    /// </summary>
    private bool TryBeginOtherLog()
    {
        bool isOther = _segment is { HasName: false } && _segment.IsReplacedIn(_folder);
        if (isOther)
        {
            BeginOtherLog();
        }

        return isOther;
    }

    private void BeginOtherLog()
    {
        Report(new SluiceLogDamagedException(_folder.Path, -1, _next, LogErrors.IsOtherLog));
        _known.Clear();
        _segment?.Dispose();
        (_segment, _logId, _next, _nextBefore, _idBefore, _limit, _state) = (null, Guid.Empty, 1, 0, 0, 0, null);
        (_hasReturned, _hasGiven, _droppedBefore) = (false, false, 0);
        NoteDrop(1);
    }
}
