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

    /// <summary>Files without records of the log, whose content is saved before they are removed.</summary>
    private readonly List<string> _saves = [];

    /// <summary>The largest id that a segment has had, by the state.</summary>
    private long _largestId;

    private RecoveredLog(LogFolder folder, LogCatalog catalog) => (_folder, _catalog) = (folder, catalog);

    public Guid LogId { get; private set; }

    /// <summary>The segment to go on with; null where a new one is needed.</summary>
    public SegmentFile? Current { get; private set; }

    public List<ClosedSegment> Closed { get; } = [];

    /// <summary>No segment has, or had, a larger one, as far as is known.</summary>
    public long LargestId => Math.Max(Math.Max(_catalog.LargestId, _largestId), Current?.Header.Id ?? 0);

    public long NextSequence { get; private set; } = 1;

    /// <summary>What was cut; null where everything was whole.</summary>
    public SluiceLogCut? Cut { get; private set; }

    /// <summary>Whether less is there than the state says was on the disk, and that loss was accepted.</summary>
    private bool _hasAcceptedLoss;

    /// <summary>Checks the log, cuts its end if need be, and makes what is there durable.</summary>
    /// <param name="folder">The folder, which exists.</param>
    /// <param name="settings">The options.</param>
    /// <param name="writer">The writer's lock and log.state.</param>
    /// <exception cref="SluiceLogDamagedException">It is not as it was acknowledged; nothing was changed.</exception>
    public static RecoveredLog Open(LogFolder folder, LogSettings settings, WriterLock writer)
    {
        LogState? state = writer.State;
        RecoveredLog log = new(folder, LogCatalog.ReadChecked(folder, settings, state));
        try
        {
            log.Check(settings, state);
            log.CheckNumbers();
            log.Mend(settings);
            log.BeginBehindLoss(settings);
            log.Seal(settings, writer);
            return log;
        }
        catch
        {
            LogFile.TryClose(log._lastFile);
            log.Current?.TryDispose();
            throw;
        }
    }

    private void Check(LogSettings settings, LogState? state)
    {
        _saves.AddRange(_catalog.LostSegments);
        SegmentInfo? newest = _catalog.Newest;
        LogId = newest?.Header.LogId ?? state?.LogId ?? Guid.NewGuid();
        SegmentInfo? last = _catalog.Segments.LastOrDefault();
        NextSequence = (last?.LastSequence ?? 0) + 1;
        if (newest is { HasBegun: false })
        {
            CheckOneThatNeverBegan(newest, settings, state);
        }

        if (last is not null)
        {
            CheckLast(last, settings, mayBeTorn: last == newest || newest is { HasBegun: false }, state);
        }

        if (_catalog.LostSegments is [var first, ..] && Cut is null)
        {
            Cut = new SluiceLogCut(first, LogLayout.HeaderBytes, LostBytes(), NextSequence, LostBehind);
        }

        _catalog.MadeAhead.ForEach(s => CheckOneMadeAhead(s, settings, state));
        if (state is { } known && known.LogId == LogId)
        {
            _hasAcceptedLoss = known.DurableSequence >= NextSequence;
            if (_hasAcceptedLoss && !settings.AcceptLoss)
            {
                throw new SluiceLogDamagedException(
                    Cut?.Path ?? last?.Path ?? _folder.Path,
                    Cut?.FileOffset ?? -1,
                    NextSequence,
                    $"records up to {known.DurableSequence} were on the disk, and those from {NextSequence} on are not there "
                        + $"({Cut?.Reason ?? "the files are gone"})");
            }

            _largestId = known.LargestId;
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
                bytes += FrameScanner.CountTailBytes(file, LogLayout.HeaderBytes);
            }
        }

        return bytes;
    }

    private void CheckOneThatNeverBegan(SegmentInfo newest, LogSettings settings, LogState? state)
    {
        // Locked before it is looked at: if log.lock was deleted, another writer may be about to begin it.
        using SluiceHandle handle = TryOpen(newest.Path) ?? throw WriterLock.Refusal(_folder.Path, null);
        WriterLock.TakeSegment(_folder.Path, handle, alone: false);
        if (SegmentInfo.Read(handle, newest.Id) is not { HasBegun: false })
        {
            throw WriterLock.Refusal(_folder.Path, null);
        }

        (FrameScanner scanner, FrameResult end, _) = newest.Scan(handle);
        long bytes = FrameScanner.CountTailBytes(handle, scanner.Offset);
        if (end == FrameResult.Bad || bytes > 0)
        {
            string reason = end == FrameResult.Bad ? scanner.Reason : NoOpening;
            ThrowIfFramesFollow(newest, scanner, reason, 0, settings, state);
            Cut = new SluiceLogCut(newest.Path, scanner.Offset, bytes + LostBytes(), NextSequence, reason);
            _saves.Add(newest.Path);
        }

        _catalog.Superfluous.Add(newest.Path);
    }

    /// <summary>Behind its opening, which a power cut took, others may have been written.</summary>
    private void CheckOneMadeAhead(SegmentInfo segment, LogSettings settings, LogState? state)
    {
        using SluiceHandle? file = TryOpen(segment.Path);
        if (file is null)
        {
            return;
        }

        WriterLock.TakeSegment(_folder.Path, file, alone: false);
        byte[] first = new byte[Environment.SystemPageSize];
        _ = file.Read(first, 0);
        if (first.AsSpan(LogLayout.HeaderBytes).ContainsAnyExcept((byte)0)
            || !LogFile.IsKnownToBeEmptyFrom(file, first.Length))
        {
            long bytes = FrameScanner.CountTailBytes(file, LogLayout.HeaderBytes);
            if (bytes > 0)
            {
                ThrowIfFramesFollow(segment, segment.Scan(file).Scanner, NoOpening, 0, settings, state);
                Cut ??= new SluiceLogCut(segment.Path, LogLayout.HeaderBytes, bytes, NextSequence, NoOpening);
                _saves.Add(segment.Path);
            }
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

        if (scanner.Offset < last.FooterOffset && FrameScanner.CountTailBytes(_lastFile, scanner.Offset) > 0 && !settings.AcceptLoss)
        {
            string damage = end == FrameResult.Bad ? scanner.Reason : "it has zeros before its footer";
            throw new SluiceLogDamagedException(last.Path, scanner.Offset, NextSequence, damage);
        }

        (_last, _scanner, _index) = (last, scanner, index);
        long offset = scanner.Offset;
        string reason = end == FrameResult.Bad ? scanner.Reason : "bytes behind the end";
        long bytes = FrameScanner.CountTailBytes(_lastFile, scanner.Offset);
        if (_catalog.LostSegments.Count > 0)
        {
            bytes += LostBytes();
            reason = end == FrameResult.Bad ? reason : "its records end before the next segment begins, and were never synced";
        }

        if (bytes > 0)
        {
            ThrowIfFramesFollow(last, scanner, reason, NextSequence, settings, state);
        }

        if (bytes > 0 && mayBeTorn)
        {
            Cut = new SluiceLogCut(last.Path, offset, bytes, NextSequence, reason);
        }
    }

    /// <summary>
    /// Bytes that complete frames follow are damage and no incomplete write, unless a restart of the machine explains it: a writer writes one
    /// frame after another.
    /// </summary>
    private void ThrowIfFramesFollow(
        SegmentInfo segment, FrameScanner scanner, string reason, long firstSequence, LogSettings settings, LogState? state)
    {
        if (!settings.AcceptLoss && !LogState.MayBeOfEarlierBoot(state) && scanner.HasFrameBehind(firstSequence))
        {
            throw new SluiceLogDamagedException(segment.Path, scanner.Offset, NextSequence, $"{reason}, and complete frames follow");
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
    private void BeginBehindLoss(LogSettings settings)
    {
        if (_catalog.Segments.Count == 0 && NextSequence > 1)
        {
            Current = SegmentFile.Create(_folder, LargestId + 1, settings, LogId);
            Current.Begin(NextSequence, LogLayout.ToNanoseconds(DateTime.UtcNow));
            Current.FlushToDisk(Current.Mark(writesZeros: false));
        }
    }

    private void Mend(LogSettings settings)
    {
        // The newest first: who is killed here leaves none behind a gap.
        foreach (string path in _catalog.Superfluous.OrderByDescending(_folder.IdOf))
        {
            if (_saves.Contains(path))
            {
                using SluiceHandle? lost = TryOpen(path);
                string? saved = lost is null ? null : Save(lost, 0, settings);
                Cut = Cut?.Path == path ? Cut with { SavedAs = saved } : Cut;
            }

            _ = _folder.DeleteOrEmpty(path, settings);
        }

        foreach (SegmentInfo segment in _catalog.Segments.Where(s => s != _last))
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
                Cut = Cut with { SavedAs = Save(_lastFile!, _scanner!.Offset, settings) ?? Cut.SavedAs };
                LogFile.SetLength(_lastFile!, _scanner.Offset);
            }

            LogFile.FlushData(_lastFile!, settings);
            Current = SegmentFile.Resume(_folder, _lastFile!, settings, _last, new SegmentEnd(_scanner!.Offset, _scanner.Chain, _index));
            Current.Reserve();
        }
    }

    /// <summary>Copies what is to be removed from a segment to a file beside the log, which nobody reads.</summary>
    /// <returns>The path, or null if there is nothing but zeros or the copy could not be written.</returns>
    private string? Save(SluiceHandle segment, long offset, LogSettings settings)
    {
        long end = offset + FrameScanner.CountTailBytes(segment, offset);
        if (end == offset)
        {
            return null;
        }

        string path = Path.ChangeExtension(segment.Path, CutExtension);
        for (int i = 2; Path.Exists(path); i++)
        {
            path = Path.ChangeExtension(segment.Path, $".{i}{CutExtension}");
        }

        try
        {
            using SluiceHandle copy = _folder.Open(
                path, FileMode.CreateNew, FileAccess.ReadWrite, settings, LogFile.PermissionsOf(segment));
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

    /// <summary>
    /// Writes log.state, and then the footers of segments that their writer left full and without one. A segment that cannot be written
    /// stays as it is: readers do not need a footer.
    /// </summary>
    private void Seal(LogSettings settings, WriterLock writer)
    {
        List<(SegmentInfo Info, SegmentEnd End)> unsealed = _catalog.Unsealed.FindAll(u => u.Info != _last && _catalog.Segments.Contains(u.Info));
        writer.Write(new LogState(
            settings.Durability, LogId, NextSequence - 1, Environment.ProcessId, LogState.CurrentBoot, LargestId));
        if (_hasAcceptedLoss || unsealed.Count > 0)
        {
            // Without it, a power cut would bring the old state back, and with it the loss. A footer is believed only if log.state covers it.
            writer.Flush(settings);
        }

        foreach ((SegmentInfo info, SegmentEnd end) in unsealed)
        {
            try
            {
                SluiceHandle file = _folder.Open(info.Path, FileMode.Open, FileAccess.ReadWrite, settings);
                using SegmentFile segment = SegmentFile.Resume(_folder, file, settings, info, end);
                WriterLock.TakeSegment(_folder.Path, file);
                segment.TryCutReserved();
                segment.Seal();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
            }
        }

        foreach (SegmentInfo segment in _catalog.Segments.Where(s => s != _last))
        {
            (long bytes, long writtenAt) = _folder.LookAt(segment.Path);
            Closed.Add(new ClosedSegment(segment.Path, segment.FirstSequence, segment.LastSequence, segment.LastTime, bytes)
            {
                WrittenAt = writtenAt,
                Id = segment.Id,
            });
        }
    }
}
