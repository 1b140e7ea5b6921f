using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>
/// Recovers a log when a writer opens it. Before anything is changed, all files are checked, and the last segment and those that have not
/// begun are locked. Then an incomplete write at the end is saved and cut off, and the rest is made durable.
/// </summary>
internal sealed class RecoveredLog
{
    /// <summary>The minimum number of ids that must be left for new segments. No log needs as many.</summary>
    private const long MinNumbersLeft = 1_000_000_000_000;

    private const string CutExtension = ".cut";
    private const int SaveBytes = 1024 * 1024;

    private readonly LogFolder _folder;
    private readonly SluiceLogOptions _settings;
    private readonly LogState? _state;
    private readonly LogCatalog _catalog;

    /// <summary>The closed segments of which all frames were read.</summary>
    private readonly List<SegmentScan> _scans = [];

    /// <summary>Full segments without a footer.</summary>
    private readonly List<SegmentScan> _unsealed = [];

    /// <summary>The paths of files without records of the log. Their content is saved before they are removed.</summary>
    private readonly HashSet<string> _saves = [];

    /// <summary>The segment in which the log continues; null if it needs a new one.</summary>
    private SegmentScan? _last;
    private SluiceHandle? _lastFile;

    /// <summary>The largest id that a segment has had, according to log.state.</summary>
    private long _largestId;

    /// <summary>True if records are missing that were durable according to log.state, and that loss was accepted.</summary>
    private bool _hasAcceptedLoss;

    private RecoveredLog(LogFolder folder, SluiceLogOptions settings, LogState? state)
    {
        (_folder, _settings, _state) = (folder, settings, state);
        _catalog = LogCatalog.Read(folder, () => state);
        LogId = _catalog.Newest?.Header.LogId ?? state?.LogId ?? Guid.NewGuid();
    }

    public Guid LogId { get; }

    /// <summary>The segment to continue in; null if a new one is needed.</summary>
    public SegmentFile? Current { get; private set; }

    public List<ClosedSegment> Closed { get; } = [];

    /// <summary>The largest id that a segment has or had, as far as is known.</summary>
    public long LargestId => Math.Max(Math.Max(_catalog.LargestId, _largestId), Current?.Header.Id ?? 0);

    public long NextSequence { get; private set; } = 1;

    /// <summary>The bytes that were cut off; null if there were none.</summary>
    public SluiceLogCut? Cut { get; private set; }

    private bool MayHaveRestarted => LogState.MayBeOfEarlierBoot(_state);

    /// <summary>Checks the log, cuts off an incomplete write at its end, and makes what is there durable.</summary>
    /// <param name="folder">The folder, which exists.</param>
    /// <param name="settings">The options.</param>
    /// <param name="writer">The writer's lock and log.state.</param>
    /// <exception cref="SluiceLogDamagedException">The log is damaged; nothing was changed.</exception>
    public static RecoveredLog Open(LogFolder folder, SluiceLogOptions settings, WriterLock writer)
    {
        RecoveredLog log = new(folder, settings, writer.State);
        try
        {
            log.Check();
            log.Mend();
            log.BeginAfterLoss();
            log.Seal(writer);
            return log;
        }
        catch
        {
            LogFile.TryClose(log._lastFile);
            log.Current?.TryDispose();
            throw;
        }
    }

    private void Check()
    {
        if (_catalog.Files.Find(static f => f.Damage is not null) is { Damage: { } damage })
        {
            throw damage;
        }

        CheckOrder();
        List<CatalogFile> lost = _catalog.Files.FindAll(static f => f.Role == SegmentRole.NeverSynced);
        lost.ForEach(f => _saves.Add(f.Path));
        long lostBytes = lost.Sum(f => CountTailBytes(f.Path));
        SegmentInfo? last = _catalog.Segments.LastOrDefault();
        if (last is not null)
        {
            CheckLast(last, lostBytes);
        }

        foreach (CatalogFile file in _catalog.Files.Where(static f => f.Role == SegmentRole.NotBegun).OrderBy(f => f.Info != _catalog.Newest))
        {
            CheckNotBegun(file, lostBytes);
        }

        if (lost is [var first, ..])
        {
            Cut ??= new SluiceLogCut(
                first.Path, LogLayout.HeaderBytes, lostBytes, NextSequence, "what comes before it was never synced, and is not there");
        }

        if (_state is { } known && known.LogId == LogId)
        {
            CheckAgainst(known, last);
        }

        if (LargestId > SegmentNames.MaxId - MinNumbersLeft)
        {
            // A file with a very large number, placed by another user, must not exhaust the numbers.
            throw new SluiceLogDamagedException(_folder.PathOf(LargestId), -1, 0, "its number is too large for a segment");
        }
    }

    private void CheckAgainst(in LogState known, SegmentInfo? last)
    {
        _hasAcceptedLoss = known.DurableSequence >= NextSequence;
        if (_hasAcceptedLoss && !_settings.AcceptLoss)
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

    /// <summary>Checks each segment against the next one, and reads the segments without a trusted footer.</summary>
    private void CheckOrder()
    {
        for (int i = 1; i < _catalog.Segments.Count; i++)
        {
            (SegmentInfo segment, SegmentInfo next) = (_catalog.Segments[i - 1], _catalog.Segments[i]);
            if (segment.IsSealed)
            {
                continue;
            }

            using SluiceHandle file = _folder.Open(segment.Path, FileMode.Open, FileAccess.Read, _settings);
            SegmentScan scan = segment.ScanFromDisk(file, _settings, _state);
            _scans.Add(scan);

            // The durable sequence number in log.state is compared with the end of the log later.
            SegmentEnd end = new(scan, next) { IsBeforeFooter = _catalog.HasFooterFrom(i), MayHaveRestarted = MayHaveRestarted };
            EndVerdict verdict = end.Decide(static () => false, static () => false);
            switch (verdict.Kind)
            {
                case EndKind.NextSegment:
                    if (!scan.ReachesFooter && segment.FooterOffset == 0)
                    {
                        _unsealed.Add(scan);
                    }

                    break;
                case EndKind.NeverSynced:
                    _catalog.LeaveOutFrom(i);
                    return;
                case EndKind.Missing:
                    throw (verdict with { Path = _catalog.EmptiedBetween(segment.Id, next.Id) }).ToException(_folder);
                default:
                    throw verdict.ToException(_folder);
            }
        }
    }

    private void CheckLast(SegmentInfo last, long lostBytes)
    {
        _lastFile = _folder.Open(last.Path, FileMode.Open, FileAccess.ReadWrite, _settings);
        WriterLock.TakeSegment(_folder.Path, _lastFile);
        SegmentScan scan = last.ScanFromDisk(_lastFile, _settings, _state);
        bool isFooterTrue = last.Footer is { } footer
            && scan.Offset <= last.FooterOffset
            && scan.LastSequence <= footer.LastSequence
            && footer.LastSequence <= last.DurableBy(_state);
        if (!scan.ReachesFooter && isFooterTrue)
        {
            // Everything before a footer was on the disk when it was written. Readers report the damage, as in any other segment.
            scan = scan with { LastSequence = last.Footer!.LastSequence, LastTime = last.Footer.LastTime, ReachesFooter = true };
        }

        NextSequence = scan.LastSequence + 1;
        if (scan.ReachesFooter)
        {
            _scans.Add(scan);
            LogFile.TryClose(_lastFile);
            _lastFile = null;
            return;
        }

        _last = scan;
        long bytes = FrameScanner.CountTailBytes(_lastFile, scan.Offset);
        if (bytes > 0)
        {
            ThrowIfDamaged(scan, _lastFile, NextSequence);
        }

        if (bytes + lostBytes > 0)
        {
            Cut = new SluiceLogCut(last.Path, scan.Offset, bytes + lostBytes, NextSequence, scan.Reason
                ?? (lostBytes > 0 ? "its records end before the next segment begins, and were never synced" : "bytes after the end"));
        }
    }

    /// <summary>Checks a segment that has not begun. A power failure may have lost its opening and kept the bytes after it.</summary>
    private void CheckNotBegun(CatalogFile segment, long lostBytes)
    {
        // The file is locked first: if log.lock was deleted, another writer may be about to begin the segment.
        using SluiceHandle file = TryOpen(segment.Path) ?? throw WriterLock.Refusal(_folder.Path, null);
        WriterLock.TakeSegment(_folder.Path, file, alone: false);
        if (SegmentInfo.Read(file, segment.Id) is not { HasBegun: false } info)
        {
            throw WriterLock.Refusal(_folder.Path, null);
        }

        long bytes = FrameScanner.CountTailBytes(file, LogLayout.HeaderBytes);
        if (bytes > 0)
        {
            SegmentScan scan = info.Scan(file);
            ThrowIfDamaged(scan, file, 0);
            Cut ??= new SluiceLogCut(
                segment.Path, scan.Offset, bytes + lostBytes, NextSequence, scan.Reason ?? "zeros in the place of its opening");
            _saves.Add(segment.Path);
        }
    }

    /// <summary>
    /// Throws if the bytes after the frames of a segment without a successor are damage (see <see cref="SegmentEnd.Decide"/>), unless the
    /// options accept the loss.
    /// </summary>
    private void ThrowIfDamaged(SegmentScan scan, SluiceHandle file, long firstSequence)
    {
        SegmentEnd end = new(scan, null) { LastSequence = NextSequence - 1, MayHaveRestarted = MayHaveRestarted };
        if (!_settings.AcceptLoss && end.Decide(static () => false, FramesFollow) is { Kind: EndKind.Damaged } damage)
        {
            throw damage.ToException(_folder);
        }

        bool FramesFollow() => scan.Segment.ScannerAt(file, scan.Offset, scan.Chain).HasFrameAfter(firstSequence);
    }

    private long CountTailBytes(string path)
    {
        using SluiceHandle? file = TryOpen(path);
        return file is null ? 0 : FrameScanner.CountTailBytes(file, LogLayout.HeaderBytes);
    }

    /// <summary>Returns null if the file was removed.</summary>
    private SluiceHandle? TryOpen(string path)
    {
        try
        {
            return _folder.Open(path, FileMode.Open, FileAccess.Read);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    private void Mend()
    {
        // The newest file is removed first, so that an interruption leaves no segment after a gap.
        foreach (CatalogFile file in Enumerable.Reverse(_catalog.Files).Where(static f => f.Role != SegmentRole.Log))
        {
            if (_saves.Contains(file.Path))
            {
                using SluiceHandle? lost = TryOpen(file.Path);
                string? saved = lost is null ? null : Save(lost, 0);
                Cut = Cut?.Path == file.Path ? Cut with { SavedAs = saved } : Cut;
            }

            _ = _folder.DeleteOrEmpty(file.Path, _settings);
        }

        foreach (SegmentInfo segment in ClosedSegments())
        {
            // The segment is flushed, because the earlier writer may not have synced it.
            using SluiceHandle file = _folder.Open(segment.Path, FileMode.Open, FileAccess.Read);
            LogFile.Flush(file, _settings);
        }

        if (_catalog.Files.Count > 0)
        {
            // The folder of a new log is flushed with its first segment.
            _folder.FlushToDisk();
        }

        if (_last is not null)
        {
            if (Cut is not null)
            {
                Cut = Cut with { SavedAs = Save(_lastFile!, _last.Offset) ?? Cut.SavedAs };
                LogFile.SetLength(_lastFile!, _last.Offset);
                LogFile.FlushData(_lastFile!, _settings);
            }

            // The frames were made durable before they were read.
            Current = SegmentFile.Resume(_folder, _lastFile!, _settings, _last);
        }
    }

    /// <summary>Copies the bytes that are to be removed from a segment to a file that is not part of the log.</summary>
    /// <returns>The path of the copy; null if there are only zeros or the copy could not be written.</returns>
    private string? Save(SluiceHandle segment, long offset)
    {
        long end = offset + FrameScanner.CountTailBytes(segment, offset);
        if (end == offset)
        {
            return null;
        }

        string path = Path.ChangeExtension(segment.Path, CutExtension);
        for (int i = 2; _folder.LookAt(path) is not null; i++)
        {
            path = Path.ChangeExtension(segment.Path, $".{i}{CutExtension}");
        }

        try
        {
            using SluiceHandle copy = _folder.Open(
                path, FileMode.CreateNew, FileAccess.ReadWrite, _settings, LogFile.PermissionsOf(segment));
            byte[] buffer = new byte[Math.Min(end - offset, SaveBytes)];
            for (long at = offset; at < end;)
            {
                int read = segment.Read(buffer.AsSpan(0, (int)Math.Min(buffer.Length, end - at)), at);
                LogFile.Write(copy, buffer.AsSpan(0, read), at - offset);
                at += read > 0 ? read : end;
            }

            LogFile.Flush(copy, _settings);
            return path;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The log is opened without the copy: a full disk must not prevent that.
            _ = _folder.TryDelete(path);
            return null;
        }
    }

    /// <summary>
    /// If all records were lost and the loss is accepted, begins a segment with the next sequence number, so that readers and later writers
    /// do not report the loss again.
    /// </summary>
    private void BeginAfterLoss()
    {
        if (_catalog.Segments.Count == 0 && NextSequence > 1)
        {
            using NextSegment next = new(_folder, _settings, LogId, LargestId + 1);
            Current = next.Get();
            next.Take();
            Current.Begin(NextSequence, LogLayout.ToNanoseconds(DateTime.UtcNow));
            Current.FlushToDisk(Current.BeginSync(writesZeros: false));
        }
    }

    /// <summary>
    /// Writes log.state, and then the footers of full segments without one. A segment that cannot be written stays as it is: readers do not
    /// need a footer.
    /// </summary>
    private void Seal(WriterLock writer)
    {
        writer.Write(_settings, LogId, NextSequence - 1, LargestId);
        if (_hasAcceptedLoss || _unsealed.Count > 0)
        {
            // A power failure must not bring the old state back, and with it the loss. A footer is trusted only if log.state covers it.
            writer.Flush(_settings);
        }

        foreach (SegmentScan scan in _unsealed)
        {
            try
            {
                SluiceHandle file = _folder.Open(scan.Segment.Path, FileMode.Open, FileAccess.ReadWrite, _settings);
                using SegmentFile segment = SegmentFile.Resume(_folder, file, _settings, scan);
                WriterLock.TakeSegment(_folder.Path, file);
                segment.TryCutReserved();
                segment.Seal();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
            }
        }

        foreach (SegmentInfo segment in ClosedSegments())
        {
            (long bytes, long writtenAt) = _folder.LookAt(segment.Path) ?? default;
            SegmentScan? scan = _scans.Find(s => s.Segment.Id == segment.Id);
            Closed.Add(new ClosedSegment(
                segment.Path, segment.FirstSequence, scan?.LastSequence ?? segment.LastSequence,
                scan?.LastTime ?? segment.Footer!.LastTime, bytes)
            {
                WrittenAt = writtenAt,
                Id = segment.Id,
            });
        }
    }

    private IEnumerable<SegmentInfo> ClosedSegments() => _catalog.Segments.Where(s => s.Id != _last?.Segment.Id);
}
