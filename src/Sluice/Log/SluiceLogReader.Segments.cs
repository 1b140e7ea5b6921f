using Sluice.Log;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice;

// From one segment to the next, while a writer makes, drops and removes them.
public sealed partial class SluiceLogReader
{
    /// <summary>The last sequence that was read. In a segment to which it has returned the reader may stand before that.</summary>
    private long Reached => _hasReturned ? Math.Max(_segment!.ReadTo, _next - 1) : _segment!.ReadTo;

    /// <summary>At the end of what is good in a segment: to the next one, if there is one; false at the end of the log.</summary>
    private bool TryLeaveSegment(FrameResult result)
    {
        // Before the buffer is discarded: reserved space is not read for each look at the end of the log.
        bool isUnwritten = result == FrameResult.Unwritten && _segment!.HasOnlyZerosBuffered();
        SegmentInfo? next = FindNext(out TornTail? torn);
        _segment!.Forget();
        FrameResult again = result;
        if (next is not null || result == FrameResult.Good)
        {
            // Between the look at the frames and the look for the next segment some may have been written, or be taken back no more.
            again = _segment.TryNext(out _frame);
            if (again == FrameResult.Good && _frame.Kind == FrameKind.Records)
            {
                _segment.Unread();
                return true;
            }
        }

        ThrowIfDamagedBehind(_segment.Id, next?.Id ?? long.MaxValue);
        if (next is null)
        {
            _segment.Forget();
            _tail = again == FrameResult.Bad ? new TornTail(_segment.Path, _segment.Offset, _next, _segment.Reason) : torn;
            SluiceLogDamagedException? damage = WhyLonger();
            if (TryReturn())
            {
                return true;
            }

            if (damage is null && !isUnwritten && WhyNotTorn(again) is { } middle)
            {
                Report(middle);
                return _segment.TryPassOver();
            }

            return damage is not null && (HasMoreByNow() || ReportLostEnd(damage));
        }

        bool isGap = _isMissingBehind || _segment.ReadTo + 1 < next.FirstSequence;
        if ((isGap || next.Restarts) && TryReturn())
        {
            return true;
        }

        if (isGap)
        {
            return TryPassGap(next, again);
        }

        // Where one between them is gone, that may have taken back what the other was read for.
        if (!next.Restarts && next.FirstSequence <= _segment.ReadTo && next.IdBefore <= _segment.Id)
        {
            _segment.Unread();
            Report(new SluiceLogDamagedException(
                next.Path, LogLayout.HeaderBytes, next.FirstSequence, LogErrors.BeginsBeforeEnd(_segment.Path)));
        }

        _ = TryEnter(next);
        return true;
    }

    /// <summary>Reports a damaged file between two segments. The reader stays where it is, to report it again at the next call.</summary>
    private void ThrowIfDamagedBehind(long before, long next)
    {
        if (!_options.SkipDamage && _catalog?.DamagedFiles.Find(d => d.Id > before && d.Id < next) is { Damage: { } damage })
        {
            _segment?.Unread();
            throw damage;
        }
    }

    /// <summary>Between the last record of a segment and the first of the next some are not there.</summary>
    private bool TryPassGap(SegmentInfo next, FrameResult end)
    {
        // What ended the segment is found again at the next call.
        _segment!.Unread();
        if (FindNext(out _)?.Id != next.Id)
        {
            // What was found is gone, and another one has its place: then it is that one that counts.
            return true;
        }

        long first = _segment.ReadTo + 1;

        // Else records with numbers that were read are others' by now, and nobody knows from which on.
        bool isLater = first < next.FirstSequence;
        bool isGone = !_folder.List().Exists(id => id <= _segment.Id && SegmentReader.MayBeIn(_folder, id));
        SluiceLogDamagedException damage;
        if ((isGone && end != FrameResult.Bad) || end == FrameResult.Good || IsMissingBehind())
        {
            damage = new SluiceLogDamagedException(_folder.Path, -1, isLater ? first : 0, isGone
                ? LogErrors.Overtaken(next.FirstSequence, isLater)
                : LogErrors.Missing(_segment.Path, next.Path));
        }
        else
        {
            string reason = end == FrameResult.Bad ? _segment.Reason
                : isLater ? "its records end before the next segment begins"
                : LogErrors.Missing(_segment.Path, next.Path);
            if (!_isDurableBehind && !_segment.IsKnownToBeLonger && KnownDurable() <= _segment.ReadTo
                && LogState.MayBeOfEarlierBoot(State()))
            {
                _tail = new TornTail(_segment.Path, _segment.Offset, _next, reason);
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

    /// <summary>Whether a segment is missing that was on the disk: else a power cut has left what comes behind the log's end.</summary>
    private bool IsMissingBehind() =>
        _isMissingBehind && (_isDurableBehind || _segment!.DurableSegmentBy(State()) > _segment.Id);

    /// <summary>The last sequence that the log's state knows to be on the disk; 0 where it knows of none.</summary>
    private long KnownDurable() => _segment!.DurableBy(State());

    /// <summary>A bad frame that complete frames follow is damage, unless a restart of the machine explains it; else null.</summary>
    private SluiceLogDamagedException? WhyNotTorn(FrameResult end) =>
        end != FrameResult.Good && !LogState.MayBeOfEarlierBoot(State()) && _segment!.HasFrameBehind()
            ? new SluiceLogDamagedException(
                _segment.Path, _segment.Offset, _segment.ReadTo + 1,
                $"{(end == FrameResult.Bad ? _segment.Reason : "there are zeros in place of a frame")}, and complete frames follow")
            : null;

    /// <summary>A log that ends before what was durable is damaged, and has no torn tail; null where it may end here.</summary>
    private SluiceLogDamagedException? WhyLonger()
    {
        long first = _segment!.ReadTo + 1;
        long durable = _segment.IsKnownToBeLonger ? 0 : KnownDurable();
        return durable < first && !_segment.IsKnownToBeLonger ? WhyNewer()
            : _tail is { } tail ? new SluiceLogDamagedException(tail.Path, tail.Offset, first, tail.Reason)
            : durable < first ? new SluiceLogDamagedException(_segment.Path, _segment.Offset, first, "it has zeros before its footer")
            : LogErrors.LostFiles(_folder.Path, durable, first);
    }

    /// <summary>The newest segment may be the one that took back what is read otherwise: it is not only its records that count.</summary>
    private SluiceLogDamagedException? WhyNewer()
    {
        long newest = _segment!.DurableSegmentBy(State());
        return newest > _segment.Id ? new SluiceLogDamagedException(_folder.Path, -1, 0, LogErrors.NewestIsGone(newest)) : null;
    }

    /// <summary>
    /// Whether what was being written when it was looked at has become a frame, or another segment has begun. Asked after the state: what
    /// that one says was whole in the files before.
    /// </summary>
    private bool HasMoreByNow()
    {
        _segment!.Forget();
        if (_segment.TryNext(out FrameHeader frame) == FrameResult.Good && frame.Kind == FrameKind.Records)
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
    private TornTail? TornOf(LogCatalog catalog) =>
        catalog.Newest is { TornOpening: { } reason } torn && File.Exists(torn.Path)
            ? new TornTail(torn.Path, LogLayout.HeaderBytes, _next, reason)
            : null;

    /// <summary>Notes what later segments have taken back of the present one by now.</summary>
    private void LookForDrops()
    {
        _ = FindNext(out _);
        _isLimitNew = false;
    }

    /// <summary>The segment behind the present one, by now; null where there is none.</summary>
    private SegmentInfo? FindNext(out TornTail? torn)
    {
        long id = _segment!.Id;
        torn = null;
        LogCatalog? catalog = _catalog?.HasSealedNext(id) == true && _stamp.IsCurrent(_folder.Path) ? _catalog : null;
        if (catalog is null && (_folder.List() is not [.., long last] || last <= id))
        {
            _segment.KeepAll();
            return null;
        }

        catalog ??= Look(fromId: id);
        torn = TornOf(catalog);
        if (catalog.Segments.Find(s => s.Id == id) is { } present)
        {
            _segment.Update(present);
        }
        else if (catalog.Segments.FindAll(s => s.Id > id && s.Restarts && s.Header.LogId == _logId) is [_, ..] restarts)
        {
            // It was taken back as a whole, or has been removed since.
            _segment.TakeBackFrom(restarts.Min(static s => s.FirstSequence));
        }

        if (catalog.Segments.Exists(s => s.Id > id && s.Header.LogId != _logId))
        {
            return null;
        }

        // What is written only when everything earlier is on the disk.
        _isDurableBehind = catalog.Segments.Exists(s => s.Id > id && (s.EndsWithFooter || s.Restarts));
        SegmentInfo? next = catalog.Segments.Find(s => s.Id > id);
        _isMissingBehind = next is not null && catalog.IsMissing(next, id);
        return next;
    }

    /// <summary>
    /// All segments that there are. One that is missing and may have taken back what others have is told of before anything is read, unless
    /// damage is passed over: then it is told of where it would be.
    /// </summary>
    private LogCatalog ReadAll()
    {
        LogState? state = State();
        string? missing = null;
        while (true)
        {
            LogCatalog catalog = Look();
            if (_options.SkipDamage || catalog.FindMissing(state) is not { } damage)
            {
                return catalog;
            }

            // The listing is not of one moment, and others remove what is old: what is missing is missing in two that follow one another.
            if (damage.Message == missing)
            {
                throw damage;
            }

            missing = damage.Message;
        }
    }

    /// <summary>The segment in which the next record is, or would be.</summary>
    private bool FindSegment()
    {
        while (true)
        {
            LogCatalog catalog = ReadAll();
            List<SegmentInfo> segments = catalog.Segments;
            if (segments.Count == 0)
            {
                ThrowIfDamagedBehind(0, long.MaxValue);
                _tail = TornOf(catalog);

                // What the state says was whole in the files before it was written: they are looked at once more.
                if (State() is { DurableSequence: > 0 } state
                    && (catalog.Newest is null || catalog.Newest.Header.LogId == state.LogId)
                    && Look().Segments.Count == 0)
                {
                    Report(LogErrors.LostFiles(_folder.Path, state.DurableSequence, _next));
                }

                return false;
            }

            if (_logId != Guid.Empty && catalog.LogId != _logId)
            {
                BeginOtherLog();
                continue;
            }

            if (_hasReturned)
            {
                // Since the look that led back here, more may have been taken back.
                long again = segments.Where(s => s.Id > _idBefore && s.Restarts).Select(static s => s.FirstSequence).Append(_next).Min();
                if (again < _next)
                {
                    NoteDrop(again);
                    _next = again;
                }
            }

            // Who went back goes on where it was, and passes none by that took back what it had read.
            int index = segments.FindLastIndex(s => s.FirstSequence <= _next);
            if (index < 0)
            {
                // The record may be in a damaged file before the oldest segment.
                ThrowIfDamagedBehind(0, segments[0].Id);
            }

            if (!_hasReturned && _options.FromTime is not null)
            {
                // Segments whose records are all earlier are left out; the time of a segment that is written is not known.
                int inTime = segments.FindIndex(s => !s.IsSealed || s.LastTime >= _fromTime);
                index = Math.Max(index, inTime < 0 ? segments.Count - 1 : inTime);
            }

            if (TryEnter(segments[Math.Max(index, 0)], index > 0 ? segments[index - 1].Id : 0))
            {
                return true;
            }
        }
    }

    /// <summary>False where it was removed since it was found: another one is to be looked for.</summary>
    /// <param name="segment">Where to go on.</param>
    /// <param name="idBefore">The id of the segment before it, where none is open.</param>
    private bool TryEnter(SegmentInfo segment, long idBefore = 0)
    {
        SegmentReader entered;
        try
        {
            entered = SegmentReader.Open(segment);
        }
        catch (FileNotFoundException)
        {
            // Removed since the folder was listed.
            _known.Remove(segment.Id);
            _catalog = null;
            return false;
        }
        catch (SluiceLogDamagedException e)
        {
            // What was found before is true no more: the next look at the folder leaves it out.
            _known.Remove(segment.Id);
            _catalog = null;
            Report(e);
            return false;
        }

        // Also where the one that took it back is gone itself.
        bool dropsWhatWasRead = (segment.Restarts || (_isMissingBehind && segment.TookBack))
            && _segment is not null && Reached >= segment.FirstSequence;
        if (_segment is not null)
        {
            // Before what is noted for a way back, which would forget it.
            GoBackToLost(_segment);
        }

        (_idBefore, _nextBefore) = _segment is null ? (idBefore, Math.Max(_next, _nextBefore)) : (_segment.Id, _next);
        _hasReturned &= _segment is null;
        (_hasGiven, _droppedBefore) = (false, _segment is null ? _droppedBefore : _droppedFrom);
        _segment?.Dispose();
        (_segment, _logId) = (entered, entered.LogId);
        if (dropsWhatWasRead)
        {
            _next = segment.FirstSequence;
            NoteDrop(_next);
        }

        if (segment.Restarts)
        {
            // What was durable before it may have been dropped, and its numbers given again.
            _limit = 0;
        }

        _next = Math.Max(_next, segment.FirstSequence);
        _segment.MoveNear(_next);
        return true;
    }

    private void MoveToEnd()
    {
        List<SegmentInfo> segments;
        do
        {
            segments = ReadAll().Segments;
            if (segments.Count == 0)
            {
                return;
            }
        }
        while (!TryEnter(segments[^1], segments.Count > 1 ? segments[^2].Id : 0));
        while (TryTakeFrame())
        {
            _hasFrame = false;
            _next = _frame.LastSequence + 1;
        }
    }
}
