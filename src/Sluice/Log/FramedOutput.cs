using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Log.Stages;

namespace Sluice.Log;

/// <summary>Framed segments: the one that is written, those that are full and wait for their footer, and the one that will be
/// next.</summary>
internal sealed partial class FramedOutput : LogOutput
{
    private readonly LogFolder _folder;
    private readonly LogSettings _settings;
    private readonly SegmentRetention _retention;
    private readonly NextSegment _next;

    /// <summary>Guards <see cref="_rolled"/>; how many these are can be read without it.</summary>
    private readonly Lock _rolling = new();

    /// <summary>Held while full segments are sealed, and by whoever lets go of all that there are; never while a stage is waited
    /// for.</summary>
    private readonly Lock _sealing = new();

    private readonly List<SegmentFile> _rolled = [];

    /// <summary>What an earlier writer left full and without a footer; it counts as closed. Guarded by <see cref="_sealing"/>, but for
    /// whether there are any.</summary>
    private readonly List<SegmentFile> _unsealed;
    private bool _hasUnsealed;
    private readonly List<SegmentMark> _marks = [];
    private SegmentFile? _current;
    private int _fullCount;
    private bool _wantsNext;

    /// <summary>Whether the next segment could not be made ahead: it may be when retention has given the disk some space.</summary>
    private bool _makesAgain;
    private bool _askedForNext;
    private long _nextSequence;
    private long _durable;
    private long _durableSegment;
    private bool _tookBack;

    public FramedOutput(LogFolder folder, LogSettings settings, RecoveredLog recovered)
    {
        (_folder, _settings, _current) = (folder, settings, recovered.Current);
        (_unsealed, _hasUnsealed) = (recovered.Unsealed, recovered.Unsealed.Count > 0);
        _retention = new SegmentRetention(folder, settings, recovered.Closed, keepsNewest: () => !IsCurrentOnDisk);
        _next = new NextSegment(folder, settings, recovered.LogId, recovered.LargestId + 1, recovered.Next);
        _nextSequence = recovered.NextSequence;
        _durable = _nextSequence - 1;
        _tookBack = recovered.TookBack;
        _durableSegment = _current?.Header.Id ?? _retention.Newest(static _ => true)?.Id ?? 0;
    }

    public override int PageStart => LogLayout.FrameHeaderBytes;

    public override int RecordHeaderBytes => LogLayout.RecordHeaderBytes;

    public override long DurableSequence => Volatile.Read(ref _durable);

    public override long DurableSegment => Volatile.Read(ref _durableSegment);

    public override bool TookBack => Volatile.Read(ref _tookBack);

    public override bool NeedsHousekeeping => WantsNext || HasFull;

    /// <summary>Sequence of the oldest record of the log.</summary>
    public long FirstSequence
    {
        get
        {
            long? open;
            using (_rolling.EnterAlways())
            {
                open = (_rolled.Count > 0 ? _rolled[0] : _current)?.FirstSequence;
            }

            // Last: a segment is noted as closed before it is no longer a rolled one.
            return _retention.FirstSequence ?? open ?? Volatile.Read(ref _nextSequence);
        }
    }

    public override bool HasFull => Volatile.Read(ref _fullCount) > 0 || Volatile.Read(ref _hasUnsealed);

    public override bool IsBehind => Volatile.Read(ref _fullCount) >= Tuning.LogFullSegments;

    /// <summary>Whether the segment that is written would be there after a power cut; until then the one before it stays.</summary>
    private bool IsCurrentOnDisk
    {
        get
        {
            using (_rolling.EnterAlways())
            {
                return _current is { IsOnDisk: true };
            }
        }
    }

    public override void Write(LogPage page)
    {
        _next.RemoveFailed();
        long time = Now();
        int bytes = page.End - LogLayout.FrameHeaderBytes;
        if (_current is null || _current.IsFullFor(LogLayout.FrameHeaderBytes + LogLayout.Padded(bytes), time))
        {
            Roll(page.FirstSequence, time);
        }

        _current!.Append(page.Bytes, page.End, page.Count, page.FirstSequence, time);
        _nextSequence = page.FirstSequence + page.Count;
        if (!_askedForNext && (_settings.SegmentAge is not null || _current.Offset > _settings.SegmentBytes / 2))
        {
            // Where segments end by their age too, any append may be the last.
            _askedForNext = true;
            Volatile.Write(ref _wantsNext, true);
        }
    }

    public override void TakeMark()
    {
        TryEndWithdrawn();
        _marks.Clear();
        using (_rolling.EnterAlways())
        {
            foreach (SegmentFile segment in _rolled)
            {
                _marks.Add(segment.Mark());
            }
        }

        if (_current is not null)
        {
            _marks.Add(_current.MarkWithZerosAhead());
        }
    }

    public override void BeforeSync() => _next.ThrowIfTakenBack();

    public override void Sync()
    {
        foreach (SegmentMark mark in _marks)
        {
            if (mark.Segment.NeedsSync(mark))
            {
                mark.Segment.FlushToDisk(mark);
                mark.Segment.MarkDurable(mark);
            }

            _durable = Math.Max(_durable, mark.LastSequence);
            Volatile.Write(ref _durableSegment, Math.Max(_durableSegment, mark.Segment.Header.Id));
        }
    }

    public override void Recover()
    {
        using Lock.Scope sealing = _sealing.EnterAlways();
        _next.RemoveFailed();
        List<SegmentFile> old = AllToLeave(_durable + 1);
        SegmentFile next = _next.Take();
        try
        {
            next.Announce(_durable + 1, IdBefore(_durable + 1), restarts: true, _tookBack, Now());
            foreach (SegmentFile segment in old)
            {
                next.AppendCopies(segment);
            }

            // Last: whoever is killed before this takes nothing back, and behind it everything is there twice.
            next.Open();
            next.FlushToDisk(next.Mark());
            next.MarkDurable(next.Mark());
        }
        catch
        {
            // Whatever is in it, it is not to take anything back: the next opening must find what the old segments have.
            _next.Withdraw(next, takesBack: true);
            throw;
        }

        Leave(old, next);
        _durable = next.LastSequence;
    }

    /// <summary>Drops all records behind <paramref name="lastKept"/>; everything is written, and nobody writes or syncs
    /// meanwhile.</summary>
    public void Restart(long lastKept)
    {
        using Lock.Scope sealing = _sealing.EnterAlways();
        _folder.Confirm();
        _next.RemoveFailed();
        List<SegmentFile> old = AllToLeave(lastKept + 1);
        SegmentFile next = _next.Take();
        try
        {
            next.Begin(lastKept + 1, IdBefore(lastKept + 1), restarts: true, _tookBack, Now());
            next.FlushToDisk(next.Mark());
        }
        catch
        {
            _next.Withdraw(next, takesBack: true);
            throw;
        }

        // The log begins anew behind the last kept: nothing from here on is to fail.
        Leave(old, next);
        _durable = lastKept;
        _nextSequence = lastKept + 1;
        _retention.RemoveFrom(lastKept + 1);
    }

    /// <summary>Removes segments all of whose records are older, and says how many.</summary>
    public int RemoveBefore(Func<ClosedSegment, bool> isOld) => _retention.RemoveWhile(isOld);

    public override void SealFull(long covered)
    {
        using (_sealing.EnterAlways())
        {
            SealWhatWasLeft(covered);
            foreach (SegmentFile segment in Rolled().Where(static s => !s.IsSealed)
                .TakeWhile(s => s.IsDurable && s.LastSequence <= covered))
            {
                TrySeal(segment);
                segment.IsSealed = true;
            }
        }
    }

    public override IReadOnlyList<IDisposable> LetGoOfSealed()
    {
        SegmentFile[] closed = [.. Rolled().TakeWhile(static s => s.IsSealed)];
        foreach (SegmentFile segment in closed)
        {
            _retention.Add(segment.Closed(segment.LastSequence));
            using (_rolling.EnterAlways())
            {
                _rolled.Remove(segment);
                Volatile.Write(ref _fullCount, _rolled.Count);
            }
        }

        return closed;
    }

    public override bool MakesAhead => true;

    public override bool WantsNext => Volatile.Read(ref _wantsNext);

    public override void MakeAhead()
    {
        if (Volatile.Read(ref _wantsNext))
        {
            // Once: where it fails a second time, whoever needs the segment tries again, and has the error.
            Volatile.Write(ref _wantsNext, false);
            try
            {
                _next.Prepare();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Volatile.Write(ref _makesAgain, true);
            }
        }
    }

    public override void Housekeep()
    {
        try
        {
            // First: the next segment may need the space.
            _retention.Apply(DateTime.UtcNow);
        }
        finally
        {
            if (Volatile.Read(ref _makesAgain))
            {
                Volatile.Write(ref _makesAgain, false);
                _next.Prepare();
            }
        }
    }

    public override void EndWithdrawn() => _next.RemoveFailed();

    public override void Finish()
    {
        _current?.CutReserved();
        _next.Remove();
    }

    public override void Dispose()
    {
        _current?.Dispose();
        _next.Dispose();
        foreach (SegmentFile segment in _rolled.Concat(_unsealed))
        {
            segment.Dispose();
        }
    }

    private void Roll(long firstSequence, long time)
    {
        // First: from the moment that there is a next segment, nobody writes this one any more.
        _current?.CutFailed();
        using (_rolling.EnterAlways())
        {
            // Before it has begun: where there is no memory for it, the log stays in this one.
            _rolled.EnsureCapacity(_rolled.Count + 1);
        }

        SegmentFile next = _next.Take();
        try
        {
            next.Begin(firstSequence, IdBefore(firstSequence), restarts: false, _tookBack, time);
        }
        catch
        {
            // Where the log goes on in the segment that it was to leave, this one would begin too early.
            _askedForNext = false;
            _next.Withdraw(next, takesBack: false);
            throw;
        }

        using (_rolling.EnterAlways())
        {
            if (_current is not null)
            {
                _rolled.Add(_current);
                Volatile.Write(ref _fullCount, _rolled.Count);
            }

            _current = next;
        }

        _askedForNext = false;
    }

    /// <summary>The segment that the record before one is in; 0 where there is none.</summary>
    private long IdBefore(long sequence)
    {
        using (_rolling.EnterAlways())
        {
            if (_current is { } current && current.FirstSequence < sequence)
            {
                return current.Header.Id;
            }

            if (_rolled.FindLast(s => s.FirstSequence < sequence) is { } rolled)
            {
                return rolled.Header.Id;
            }
        }

        return _retention.Newest(s => s.FirstSequence < sequence)?.Id ?? 0;
    }
}
