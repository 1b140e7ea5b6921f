using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>A log as a writer finds it: checked as a whole first, and only then cut at its end, where something was being
/// written.</summary>
internal sealed class RecoveredLog
{
    /// <summary>More than any log will have segments.</summary>
    private const long MinNumbersLeft = 1_000_000_000_000;

    private const string NoOpening = "zeros in the place of its opening";

    private const string LostBehind = "what comes before it was never synced, and is not there";

    private readonly LogFolder _folder;
    private readonly LogCatalog _catalog;
    private SegmentInfo? _last;
    private SluiceHandle? _lastFile;
    private FrameScanner? _scanner;
    private List<IndexEntry> _index = [];

    /// <summary>The largest id that a segment has had, by the state.</summary>
    private long _largestId;

    /// <summary>Segments that their writer might write to, if there were one: locked until the log is mended.</summary>
    private readonly List<SluiceHandle> _locked = [];

    private RecoveredLog(LogFolder folder, LogCatalog catalog) => (_folder, _catalog) = (folder, catalog);

    public Guid LogId { get; private set; }

    /// <summary>The segment to go on with; null where a new one is needed.</summary>
    public SegmentFile? Current { get; private set; }

    /// <summary>A segment made for the next records, where the last one cannot be gone on with; else null.</summary>
    public SegmentFile? Next { get; private set; }

    public List<ClosedSegment> Closed { get; } = [];

    /// <summary>No segment has, or had, a larger one, as far as is known.</summary>
    public long LargestId => Math.Max(Math.Max(_catalog.LargestId, _largestId), (Next ?? Current)?.Header.Id ?? 0);

    public long NextSequence { get; private set; } = 1;

    /// <summary>Whether records of it were ever taken back.</summary>
    public bool TookBack { get; private set; }

    /// <summary>What was cut; null where everything was whole.</summary>
    public SluiceLogCut? Cut { get; private set; }

    /// <summary>Whether less is there than the state says was on the disk, and that loss was accepted.</summary>
    public bool HasAcceptedLoss { get; private set; }

    /// <summary>Checks the log, cuts its end if need be, and makes what is there durable.</summary>
    /// <param name="folder">The folder, which exists.</param>
    /// <param name="settings">The options.</param>
    /// <param name="state">What is known of the log from its last writer.</param>
    /// <exception cref="SluiceLogDamagedException">It is not as it was acknowledged; nothing was changed.</exception>
    public static RecoveredLog Open(LogFolder folder, LogSettings settings, LogState? state)
    {
        RecoveredLog log = new(folder, LogCatalog.ReadChecked(folder, settings, state));
        try
        {
            log.Check(settings, state);
            log.CheckNumbers();
            log.OpenUnsealed(settings);
            log.LockOutOthers();

            // From here on there is a segment that nobody else can lock, and the folder is the one in which the state was locked.
            log.Next = log._last is null ? SegmentFile.Create(folder, log.LargestId + 1, settings, log.LogId) : null;
            folder.Confirm();
            log.Mend(settings);
            log.BeginBehindLoss();
            return log;
        }
        catch
        {
            log.Next?.TryRemove();
            LogFile.TryClose(log._lastFile);
            log.Unsealed.ForEach(static s => s.TryDispose());
            throw;
        }
        finally
        {
            log._locked.ForEach(LogFile.TryClose);
        }
    }

    private void Check(LogSettings settings, LogState? state)
    {
        SegmentInfo? newest = _catalog.Newest;
        LogId = newest?.Header.LogId ?? state?.LogId ?? Guid.NewGuid();
        SegmentInfo? last = _catalog.Segments.LastOrDefault();
        NextSequence = (last?.LastSequence ?? 0) + 1;
        if (newest is { HasBegun: false })
        {
            CheckOneThatNeverBegan(newest);
        }

        if (last is not null)
        {
            CheckLast(last, settings, mayBeTorn: last == newest || newest is { HasBegun: false }, state);
        }

        if (_catalog.LostSegments is [var first, ..] && Cut is null)
        {
            Cut = new SluiceLogCut(first, LogLayout.HeaderBytes, LostBytes(), NextSequence, LostBehind);
        }

        _catalog.MadeAhead.ForEach(CheckOneMadeAhead);
        TookBack = last is { TookBack: true };
        foreach (SegmentInfo segment in _catalog.Segments)
        {
            if (segment != _last)
            {
                (long bytes, long writtenAt) = _folder.LookAt(segment.Path);
                Closed.Add(new ClosedSegment(
                    segment.Path,
                    segment.FirstSequence,
                    Math.Min(segment.LastSequence, segment.TakenBackFrom - 1),
                    segment.LastTime,
                    bytes)
                {
                    WrittenAt = writtenAt,
                    Id = segment.Id,
                    IsSealed = segment.IsSealed,
                });
            }
        }

        if (state is { } known && known.LogId == LogId)
        {
            bool hasLost = known.DurableSequence >= NextSequence;
            HasAcceptedLoss = hasLost || known.SegmentId > (last?.Id ?? 0);
            if (HasAcceptedLoss && !settings.AcceptLoss)
            {
                throw new SluiceLogDamagedException(
                    Cut?.Path ?? (hasLost ? last?.Path : null) ?? _folder.Path,
                    Cut?.FileOffset ?? -1,
                    hasLost ? NextSequence : 0,
                    hasLost
                        ? $"records up to {known.DurableSequence} were on the disk, and those from {NextSequence} on are not there "
                            + $"({Cut?.Reason ?? "the files are gone"})"
                        : LogErrors.NewestIsGone(known.SegmentId));
            }

            _largestId = known.LargestId;
            TookBack |= known.TookBack;
            NextSequence = last is null ? known.DurableSequence + 1 : NextSequence;
        }
    }

    /// <summary>Whoever put a file with one of the last numbers there has no say in how long records can be appended.</summary>
    private void CheckNumbers()
    {
        if (LargestId > SegmentNames.MaxId - MinNumbersLeft)
        {
            throw new SluiceLogDamagedException(
                _folder.PathOf(LargestId), -1, 0, "too few segments can have a number behind its own; no log has as many");
        }
    }

    /// <summary>What is behind the headers of the segments that a power cut left behind the log's end.</summary>
    private long LostBytes()
    {
        long bytes = 0;
        foreach (string path in _catalog.LostSegments)
        {
            using SluiceHandle? file = TryOpen(path);
            if (file is not null)
            {
                bytes += FrameScanner.CountUnwrittenBytes(file, LogLayout.HeaderBytes);
            }
        }

        return bytes;
    }

    private void CheckOneThatNeverBegan(SegmentInfo newest)
    {
        // Locked before it is looked at: its writer may be about to begin it.
        SluiceHandle handle = TryOpen(newest.Path) ?? throw WriterLock.Refusal(_folder.Path, "Opening", null);
        _locked.Add(handle);
        WriterLock.TakeSegment(_folder.Path, handle, alone: false);
        if (SegmentInfo.Read(handle, newest.Id) is not { HasBegun: false })
        {
            throw WriterLock.Refusal(_folder.Path, "Opening", null);
        }

        (FrameScanner scanner, FrameResult end, _) = newest.Scan(handle);
        long bytes = scanner.CountUnwrittenBytes();
        if (end == FrameResult.Bad || bytes > 0)
        {
            string reason = end == FrameResult.Bad ? scanner.Reason : NoOpening;
            Cut = new SluiceLogCut(newest.Path, scanner.Offset, bytes + LostBytes(), NextSequence, reason);
        }

        _catalog.Superfluous.Add(newest.Path);
    }

    /// <summary>Behind its opening, which a power cut took, others may have been written.</summary>
    private void CheckOneMadeAhead(SegmentInfo segment)
    {
        using SluiceHandle? file = Cut is null ? TryOpen(segment.Path) : null;
        if (file is null)
        {
            return;
        }

        byte[] first = new byte[Environment.SystemPageSize];
        _ = file.Read(first, 0);
        if (first.AsSpan(LogLayout.HeaderBytes).ContainsAnyExcept((byte)0)
            || !LogFile.IsKnownToBeEmptyFrom(file, first.Length))
        {
            long bytes = FrameScanner.CountUnwrittenBytes(file, LogLayout.HeaderBytes);
            Cut = bytes == 0 ? null : new SluiceLogCut(segment.Path, LogLayout.HeaderBytes, bytes, NextSequence, NoOpening);
        }
    }

    private void CheckLast(SegmentInfo last, LogSettings settings, bool mayBeTorn, LogState? state)
    {
        _lastFile = _folder.Open(last.Path, FileMode.Open, FileAccess.ReadWrite, settings);
        WriterLock.TakeSegment(_folder.Path, _lastFile);
        bool hasFooter = last.IsSealed;
        (long lastSequence, long firstTime, long lastTime) = (last.LastSequence, last.FirstTime, last.LastTime);
        (FrameScanner scanner, FrameResult end, List<IndexEntry> index) = last.ScanFromDisk(_lastFile, settings, state);
        if (hasFooter && !last.IsSealed && (lastSequence < last.LastSequence || last.FooterOffset < scanner.Offset))
        {
            last.ForgetFooter();
        }
        else if (hasFooter && !last.IsSealed && lastSequence <= last.DurableBy(state))
        {
            // Damage before a footer is the readers', as in any other segment: all that it has was on the disk when that was written. Where
            // the state does not know of that, the bytes may be a torn record's.
            (last.IsSealed, last.LastSequence, last.FirstTime, last.LastTime) = (true, lastSequence, firstTime, lastTime);
        }

        NextSequence = last.LastSequence + 1;
        if (last.IsSealed)
        {
            // Also where its footer was written, and the space behind it not given back.
            LogFile.TryClose(_lastFile);
            _lastFile = null;
            return;
        }

        if (scanner.Offset < last.FooterOffset && scanner.CountUnwrittenBytes() > 0 && !settings.AcceptLoss)
        {
            string damage = end == FrameResult.Bad ? scanner.Reason : "it has zeros before its footer";
            throw new SluiceLogDamagedException(last.Path, scanner.Offset, NextSequence, damage);
        }

        (_last, _scanner, _index) = (last, scanner, index);
        long offset = scanner.Offset;
        string reason = end == FrameResult.Bad ? scanner.Reason : "bytes behind the end";
        long bytes = scanner.CountUnwrittenBytes();
        if (_catalog.LostSegments.Count > 0)
        {
            bytes += LostBytes();
            reason = end == FrameResult.Bad ? reason : "its records end before the next segment begins, and were never synced";
        }

        if (bytes > 0 && !settings.AcceptLoss && !LogState.MayBeOfEarlierBoot(state) && scanner.HasFrameBehind(NextSequence))
        {
            throw new SluiceLogDamagedException(last.Path, offset, NextSequence, $"{reason}, and complete frames follow");
        }

        if (bytes > 0 && mayBeTorn)
        {
            Cut = new SluiceLogCut(last.Path, offset, bytes, NextSequence, reason);
        }
    }

    /// <summary>
    /// A writer has its segment locked until it is sealed and the next one is there; so there is none where all that are not sealed can be
    /// locked, and none has come meanwhile.
    /// </summary>
    private void LockOutOthers()
    {
        if (!Libc.IsSupported)
        {
            return;
        }

        IEnumerable<string> isSealed = _catalog.Segments.Where(static s => s.IsSealed).Select(static s => s.Path);
        HashSet<string> others = [.. isSealed, .. Unsealed.Select(static s => s.Path)];
        foreach (string path in _catalog.Ids.Select(id => _folder.PathOf(id)))
        {
            if (path != _last?.Path && !others.Contains(path) && TryOpen(path) is { } file)
            {
                _locked.Add(file);
                WriterLock.TakeSegment(_folder.Path, file, alone: false);
            }
        }

        if (_folder.List().Except(_catalog.Ids).Any())
        {
            throw WriterLock.Refusal(_folder.Path, "Opening", null);
        }
    }

    private SluiceHandle? TryOpen(string path)
    {
        try
        {
            return _folder.Open(path, FileMode.Open, FileAccess.Read);
        }
        catch (FileNotFoundException)
        {
            // Removed by somebody.
            return null;
        }
    }

    private const string CutExtension = ".cut";
    private const int SaveBytes = 1024 * 1024;

    /// <summary>
    /// A log that goes on behind records none of which is there says so by a segment that begins there: else it would have lost them anew
    /// for readers, and for the next writer.
    /// </summary>
    private void BeginBehindLoss()
    {
        if (Next is { } next && _catalog.Segments.Count == 0 && NextSequence > 1)
        {
            next.Begin(NextSequence, idBefore: 0, TookBack, LogLayout.ToNanoseconds(DateTime.UtcNow));
            next.FlushToDisk(next.Mark(writesZeros: false));
            (Current, Next) = (next, null);
        }
    }

    private void Mend(LogSettings settings)
    {
        // The newest first: who is killed here leaves none behind a gap.
        foreach (string path in _catalog.Superfluous.OrderByDescending(_folder.IdOf))
        {
            if (_catalog.LostSegments.Contains(path))
            {
                using SluiceHandle? lost = TryOpen(path);
                _ = lost is null ? null : Save(lost, 0, settings);
            }

            _ = _folder.DeleteOrEmpty(path, settings);
        }

        CutUnsealed();
        foreach (ClosedSegment segment in Closed)
        {
            // Found on the disk, and perhaps never synced by who wrote it.
            using SluiceHandle file = _folder.Open(segment.Path, FileMode.Open, FileAccess.Read);
            LogFile.Flush(file, settings);
        }

        _folder.FlushToDisk();
        if (_last is not null)
        {
            if (Cut is not null)
            {
                Cut = Cut with { SavedAs = Save(_lastFile!, _scanner!.Offset, settings) };
                LogFile.SetLength(_lastFile!, _scanner.Offset);
            }

            // This flush comes last: the last segment may declare that the ones before it have no records.
            LogFile.FlushData(_lastFile!, settings);
            Current = SegmentFile.Resume(_folder, _lastFile!, settings, _last, new SegmentEnd(_scanner!.Offset, _scanner.Chain, _index));
            Current.Reserve();
        }
    }

    /// <summary>Copies what is to be removed from a segment to a file beside the log, which nobody reads.</summary>
    /// <returns>The path, or null if there is nothing but zeros or the copy could not be written.</returns>
    private string? Save(SluiceHandle segment, long offset, LogSettings settings)
    {
        long end = offset + FrameScanner.CountUnwrittenBytes(segment, offset);
        if (end == offset)
        {
            return null;
        }

        string path = Path.ChangeExtension(segment.Path, CutExtension);
        for (int i = 2; File.Exists(path); i++)
        {
            path = Path.ChangeExtension(segment.Path, $".{i}{CutExtension}");
        }

        try
        {
            using SluiceHandle copy = _folder.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, settings);
            byte[] buffer = new byte[Math.Min(end - offset, SaveBytes)];
            for (long at = offset; at < end;)
            {
                int read = segment.Read(buffer.AsSpan(0, (int)Math.Min(buffer.Length, end - at)), at);
                LogFile.Write(copy, buffer.AsSpan(0, read), at - offset);
                at += read > 0 ? read : end;
            }

            LogFile.Flush(copy, settings);
            return path;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A full disk must not keep the log from being opened.
            _ = _folder.TryDelete(path);
            return null;
        }
    }

    /// <summary>The segments of <see cref="Closed"/> that can be sealed: open, locked, on the disk, without reserved space.</summary>
    public List<SegmentFile> Unsealed { get; } = [];

    /// <summary>Opens and locks them. One that cannot be had for writing, or has been sealed since, stays as it is.</summary>
    private void OpenUnsealed(LogSettings settings)
    {
        foreach ((SegmentInfo info, SegmentEnd end) in _catalog.Unsealed)
        {
            int index = _catalog.Segments.IndexOf(info);
            if (index < 0 || index == _catalog.Segments.Count - 1)
            {
                // The segment belongs to another log, or is the one that the log continues in.
                continue;
            }

            try
            {
                SluiceHandle file = _folder.Open(info.Path, FileMode.Open, FileAccess.ReadWrite, settings);
                Unsealed.Add(SegmentFile.Resume(_folder, file, settings, info, end));
                WriterLock.TakeSegment(_folder.Path, file);
                if (SegmentInfo.Read(file, info.Id) is not { EndsWithFooter: false })
                {
                    LeaveLast();
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                if (Unsealed is [.., var last] && last.Path == info.Path)
                {
                    LeaveLast();
                }
            }
        }

        void LeaveLast()
        {
            Unsealed[^1].TryDispose();
            Unsealed.RemoveAt(Unsealed.Count - 1);
        }
    }

    /// <summary>
    /// Gives back what they had reserved. Behind their last frame is nothing of the log, whatever stands there. One whose end was taken
    /// back is of no use with a footer: nobody believes that without reading what comes before it.
    /// </summary>
    private void CutUnsealed()
    {
        foreach (SegmentFile segment in Unsealed)
        {
            segment.TryCutReserved();
            int index = Closed.FindIndex(c => c.Path == segment.Path);
            Closed[index] = Closed[index] with { Bytes = _folder.LookAt(segment.Path).Bytes };
            if (Closed[index].LastSequence < segment.LastSequence)
            {
                segment.TryDispose();
            }
        }

        Unsealed.RemoveAll(s => Closed.Exists(c => c.Path == s.Path && c.LastSequence < s.LastSequence));
    }
}
