using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Log.Appending;
using Sluice.Uring;

namespace Sluice.Log;

/// <summary>The framed segments: the current one, full ones that wait for their footer, and the next one.</summary>
internal sealed class FramedOutput : LogOutput
{
    private readonly LogFolder _folder;
    private readonly SluiceLogOptions _settings;
    private readonly SegmentRetention _retention;
    private readonly NextSegment _next;
    private readonly RecordReaders _readers;

    /// <summary>Guards <see cref="_rolled"/> and <see cref="_current"/>; the number of full segments can be read without it.</summary>
    private readonly Lock _rolling = new();

    private readonly List<SegmentFile> _rolled = [];

    private readonly List<SyncPoint> _syncPoints = [];
    private SegmentFile? _current;
    private int _fullCount;

    /// <summary>True if the next segment is to be created ahead.</summary>
    private bool _wantsNext;
    private bool _askedForNext;

    /// <summary>True if the next segment may have begun although the write of its opening failed: the log does not continue in the
    /// segment before.</summary>
    private bool _mustRoll;
    private long _nextSequence;
    private long _durable;

    public FramedOutput(LogFolder folder, SluiceLogOptions settings, RecoveredLog recovered)
    {
        (_folder, _settings, _current) = (folder, settings, recovered.Current);
        _retention = new SegmentRetention(folder, settings, recovered.Closed, keepsNewest: () => !IsCurrentDurable);
        _readers = new RecordReaders(folder);
        _next = new NextSegment(folder, settings, recovered.LogId, recovered.LargestId + 1);
        _nextSequence = recovered.NextSequence;
        _durable = _nextSequence - 1;
        if (_current is null)
        {
            _next.Make();
        }
    }

    public override int PageStart => LogLayout.FrameHeaderBytes;

    public override int RecordHeaderBytes => LogLayout.RecordHeaderBytes;

    public override long DurableSequence => Volatile.Read(ref _durable);

    public override long LargestId => _next.LargestId;

    public override bool NeedsHousekeeping => Volatile.Read(ref _wantsNext) || HasFull;

    /// <summary>The sequence number of the oldest record of the log.</summary>
    public long FirstSequence
    {
        get
        {
            long? open;
            lock (_rolling)
            {
                open = (_rolled.Count > 0 ? _rolled[0] : _current)?.FirstSequence;
            }

            // The closed segments are read last: a segment is added to the closed ones before it is removed from the full ones.
            return _retention.FirstSequence ?? open ?? Volatile.Read(ref _nextSequence);
        }
    }

    public override bool HasFull => Volatile.Read(ref _fullCount) > 0;

    public override bool HasTooManyFull => Volatile.Read(ref _fullCount) >= Tuning.LogFullSegments;

    /// <summary>True if the opening of the current segment is on the disk; until then the segment before it is kept.</summary>
    private bool IsCurrentDurable
    {
        get
        {
            lock (_rolling)
            {
                return _current is { HasDurableOpening: true };
            }
        }
    }

    public override void Write(LogPage page)
    {
        long time = LogLayout.ToNanoseconds(_settings.Clock.GetUtcNow().UtcDateTime);
        int bytes = page.End - LogLayout.FrameHeaderBytes;
        if (_current is null || _mustRoll || _current.IsFullFor(LogLayout.FrameHeaderBytes + LogLayout.Padded(bytes), time))
        {
            Roll(page.FirstSequence, time);
        }

        try
        {
            _current!.Append(page.Bytes, page.End, page.Count, page.FirstSequence, time);
        }
        catch (IOException e) when (e.HResult == Errno.EFBIG && !_current!.IsEmpty)
        {
            // The file system allows no longer file.
            Roll(page.FirstSequence, time);
            _current.Append(page.Bytes, page.End, page.Count, page.FirstSequence, time);
        }

        Volatile.Write(ref _nextSequence, page.FirstSequence + page.Count);
        if (!_askedForNext && (_settings.SegmentAge is not null || _current.Offset > _settings.SegmentBytes / 2))
        {
            // If segments also end by age, any append may be the last one of its segment.
            _askedForNext = true;
            Volatile.Write(ref _wantsNext, true);
        }
    }

    public override void BeginSync()
    {
        _syncPoints.Clear();
        lock (_rolling)
        {
            foreach (SegmentFile segment in _rolled)
            {
                _syncPoints.Add(segment.BeginSync(writesZeros: false));
            }
        }

        if (_current is not null)
        {
            _syncPoints.Add(_current.BeginSync(writesZeros: true));
        }
    }

    public override void Sync()
    {
        foreach (SyncPoint point in _syncPoints)
        {
            point.Segment.FlushToDisk(point);
            _durable = Math.Max(_durable, point.LastSequence);
        }
    }

    /// <summary>
    /// Removes all records after the specified one, durably. All records are durable, and no thread writes or syncs meanwhile.
    /// </summary>
    /// <param name="lastKept">The sequence number of the last record to keep.</param>
    /// <param name="lowerState">Lowers the durable sequence number in log.state, durably.</param>
    /// <param name="fail">Called with an error after which the log must be opened again; the next opening completes the removal.</param>
    /// <exception cref="ArgumentOutOfRangeException">The log has no such record.</exception>
    /// <exception cref="IOException">The records are still there, unless <paramref name="fail"/> was called.</exception>
    public void Truncate(long lastKept, Action<long> lowerState, Action<Exception> fail)
    {
        lock (_retention.Removing)
        {
            long last = _nextSequence - 1;
            if (lastKept < FirstSequence - 1 || lastKept > last)
            {
                throw LogErrors.NotThere("sequence", lastKept, FirstSequence, last);
            }

            if (lastKept == last)
            {
                return;
            }

            TailRemoval removal = Plan(lastKept);
            Save(removal, fail);
            try
            {
                Remove(removal, lowerState);
            }
            catch (Exception e)
            {
                fail(e);
                throw;
            }
            finally
            {
                _readers.Clear();
            }
        }
    }

    /// <summary>Removes closed segments, the oldest first, until one is not old. Returns the number of removed segments.</summary>
    public int RemoveBefore(Func<ClosedSegment, bool> isOld)
    {
        try
        {
            return _retention.RemoveWhile(isOld);
        }
        finally
        {
            _readers.Clear();
        }
    }

    /// <summary>Returns an entry of the index of an open segment near a record; null if the segment is not open. Thread-safe.</summary>
    public IndexEntry? EntryNear(long id, long sequence)
    {
        lock (_rolling)
        {
            SegmentFile? open = _current?.Header.Id == id ? _current : _rolled.Find(s => s.Header.Id == id);
            return open?.EntryNear(sequence);
        }
    }

    /// <summary>Reads a record that is in the files. Thread-safe.</summary>
    /// <returns>False if the log has no such record in its files.</returns>
    /// <exception cref="IOException">The record cannot be read, or is damaged.</exception>
    public bool TryRead(long sequence, out SluiceLogRecord record)
    {
        try
        {
            return TryReadOnce(sequence, out record);
        }
        catch (IOException)
        {
            // Records may have been removed meanwhile. This lock prevents removals, so a record that still cannot be read is damaged.
            lock (_retention.Removing)
            {
                _readers.Clear();
                return TryReadOnce(sequence, out record);
            }
        }
    }

    public override Exception? CloseFull(bool seals)
    {
        Exception? error = null;
        foreach (SegmentFile segment in Rolled().TakeWhile(static s => s.IsDurable))
        {
            try
            {
                // The segment counts as closed in any case, because readers do not need a footer.
                using (segment)
                {
                    if (seals)
                    {
                        segment.Seal();
                    }
                    else
                    {
                        segment.TryCutReserved();
                    }
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                error = e;
            }

            _retention.Add(segment.Closed());
            lock (_rolling)
            {
                _rolled.Remove(segment);
                Volatile.Write(ref _fullCount, _rolled.Count);
            }
        }

        _readers.Clear();
        return error;
    }

    public override void MakeAhead()
    {
        if (Interlocked.Exchange(ref _wantsNext, false))
        {
            // If that fails, the thread that needs the segment tries again, and gets the error.
            _ = _next.Get();
        }
    }

    public override void Housekeep()
    {
        try
        {
            _retention.Apply(DateTime.UtcNow);
        }
        finally
        {
            _readers.Clear();
        }
    }

    public override void Finish()
    {
        _current?.CutReserved();
        _next.Remove();
    }

    public override void Dispose()
    {
        _readers.Dispose();
        LogFile.CloseAll<IDisposable?>([_current, _next, .. _rolled], static f => f?.Dispose());
    }

    private bool TryReadOnce(long sequence, out SluiceLogRecord record)
    {
        record = default;
        (long id, IndexEntry? entry, long? lastSequence) = Locate(sequence);
        if (id == 0)
        {
            return false;
        }

        SegmentReader reader = _readers.Rent(id, lastSequence, out int version);
        bool isUsable = false;
        try
        {
            // The end is read after the reader was rented: if records are removed from now on, the reader is not used again.
            long end = Volatile.Read(ref _nextSequence);
            bool isThere = sequence < end && reader.TryRead(sequence, end, entry, out record);
            isUsable = true;
            return isThere;
        }
        finally
        {
            _readers.Return(reader, isUsable, version);
        }
    }

    private TailRemoval Plan(long lastKept)
    {
        (long id, _, long? lastSequence) = Locate(lastKept + 1);
        using SegmentReader segment = SegmentReader.Open(_folder, id, lastSequence);
        return TailRemoval.Plan(segment, EntryNear(id, lastKept), lastKept);
    }

    private void Save(TailRemoval removal, Action<Exception> fail)
    {
        try
        {
            removal.Save(_folder, _settings);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            try
            {
                TailRemoval.Delete(_folder);
            }
            catch (Exception again) when (again is IOException or UnauthorizedAccessException)
            {
                fail(again);
            }

            throw;
        }
    }

    private void Remove(TailRemoval removal, Action<long> lowerState)
    {
        SegmentFile[] open = [.. _rolled, .. _current is null ? [] : new[] { _current }];
        foreach (SegmentFile segment in open)
        {
            segment.TryCutReserved();
            _retention.Add(segment.Closed());
        }

        _retention.ForgetFrom(removal.SegmentId);
        lock (_rolling)
        {
            _rolled.Clear();
            _current = null;
            Volatile.Write(ref _fullCount, 0);
        }

        _syncPoints.Clear();
        LogFile.CloseAll(open, static f => f.Dispose());
        _durable = removal.FirstMissing - 1;
        SegmentFile? current = null;
        _next.Remove(then: () => current = removal.Apply(_folder, _settings, lowerState));
        lock (_rolling)
        {
            _current = current;
        }

        (_askedForNext, _mustRoll, _durable) = (false, false, removal.LastKept);
        Volatile.Write(ref _nextSequence, removal.LastKept + 1);
    }

    private SegmentFile[] Rolled()
    {
        lock (_rolling)
        {
            return [.. _rolled];
        }
    }

    private void Roll(long firstSequence, long time)
    {
        // The bytes of a failed write are cut off first: once there is a next segment, no thread writes to this one.
        _current?.CutFailed();
        SegmentFile next = _next.Get();
        _mustRoll = true;
        next.Begin(firstSequence, time);
        lock (_rolling)
        {
            if (_current is not null)
            {
                _rolled.Add(_current);
                Volatile.Write(ref _fullCount, _rolled.Count);
            }

            _current = next;
        }

        _next.Take();
        (_askedForNext, _mustRoll) = (false, false);
    }

    /// <summary>Finds the newest segment whose first record is not after the specified one.</summary>
    /// <returns>
    /// The id, which is 0 if there is no such segment; for an open segment, an entry of its index near the record; for a closed one, its
    /// last sequence number.
    /// </returns>
    private (long Id, IndexEntry? Entry, long? LastSequence) Locate(long sequence)
    {
        lock (_rolling)
        {
            SegmentFile? open = _current is { } current && current.FirstSequence <= sequence
                ? current : _rolled.FindLast(s => s.FirstSequence <= sequence);
            if (open is not null)
            {
                return (open.Header.Id, open.EntryNear(sequence), null);
            }
        }

        return _retention.Newest(s => s.FirstSequence <= sequence) is { } closed ? (closed.Id, null, closed.LastSequence) : default;
    }
}
