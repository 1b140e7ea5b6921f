using System.Runtime.CompilerServices;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Log;

namespace Sluice;

/// <summary>Reads the records of a framed log in ascending order. The log can be open for appending at the same time.</summary>
/// <remarks>
/// <para>
/// This type is not thread-safe. Any number of readers can read the same log at the same time, in any process. A reader does not lock or
/// change the files. It verifies the checksums of the records.
/// </para>
/// <para>
/// The sequence numbers of the records ascend. Some numbers may be missing, because sequence numbers can remain unused (see
/// <see cref="SluiceLog"/>).
/// </para>
/// <para>
/// The writer of the log can remove old segment files while they are read. The reader then reads its current segment to the end. If the
/// next segment was removed, the reader throws a <see cref="SluiceLogDamagedException"/>, and a new reader can continue with the first
/// record that is still in the log. With <see cref="SluiceLogReaderOptions.SkipDamage"/>, the reader adds the exception to
/// <see cref="Damage"/> and continues itself.
/// </para>
/// <para>
/// If <see cref="SluiceLog.TruncateAfter(long)"/> removes records that the reader has already returned or passed, the reader throws a
/// <see cref="SluiceLogDamagedException"/> at the end of what it can read. Records from its
/// <see cref="SluiceLogDamagedException.Sequence"/> on may be different now: discard them, and continue there with a new reader. With
/// <see cref="SluiceLogReaderOptions.SkipDamage"/>, the reader itself continues there. The same applies if a record was in the files for a
/// moment although writing it failed. If the records that have replaced them have been removed as the oldest ones since, the exception says
/// instead that records are missing.
/// </para>
/// <para>
/// If the log was removed and another one was created in its directory, the reader throws a <see cref="SluiceLogDamagedException"/> at the end
/// of what it can read, also with <see cref="SluiceLogReaderOptions.SkipDamage"/>.
/// </para>
/// </remarks>
public sealed class SluiceLogReader : IDisposable
{
    private readonly LogFolder _folder;
    private readonly SluiceLogReaderOptions _options;
    private readonly List<SluiceLogDamagedException> _damage = [];
    private readonly long _fromTime;

    /// <summary>Returns an entry of the writer's index for a segment and a record; null if the reader was not opened by the log.</summary>
    private readonly Func<long, long, IndexEntry?>? _index;

    /// <summary>The segment to which the reader moves back, because later ones were removed; null if it does not.</summary>
    private SegmentInfo? _backTo;

    /// <summary>The sequence number at which the reader began.</summary>
    private long _start = 1;
    private SegmentReader? _segment;

    /// <summary>The value of <see cref="Tail"/>. Its number of bytes is negative until it is counted.</summary>
    private SluiceLogCut? _tail;

    private long _next;

    private long _limit;

    /// <summary>The number of reads of the segment's file when the limit was read; -1 if that was in another segment.</summary>
    private int _fillsAtLimit;

    /// <summary>The number of reads of the segment's file when the current call began; -1 if that was in another segment.</summary>
    private int _fillsAtCall;

    private LogState? _state;

    /// <summary>The last listing of the folder; null if it is known to be out of date.</summary>
    private LogCatalog? _catalog;
    private bool _hasFrame;
    private bool _isDisposed;
    private FrameHeader _frame;
    private int _recordAt;
    private long _recordSequence;

    /// <summary>Initializes a new instance of the <see cref="SluiceLogReader"/> class and opens the log for reading.</summary>
    /// <param name="directory">The path of the log's directory.</param>
    /// <param name="options">The options of the reader, or <see langword="null"/> (the default) for the default options.</param>
    /// <exception cref="ArgumentNullException"><paramref name="directory"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="directory"/> is empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <see cref="SluiceLogReaderOptions.PollInterval"/> is less than one millisecond or longer than <see cref="int.MaxValue"/> milliseconds.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory does not exist.</exception>
    /// <exception cref="SluiceLogDamagedException">
    /// A segment is damaged or missing, and <see cref="SluiceLogReaderOptions.SkipDamage"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="NotSupportedException">A file of the log has a format that this version does not read.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to read the directory or one of the files.
    /// </exception>
    public SluiceLogReader(string directory, SluiceLogReaderOptions? options = null)
        : this(directory, options, null)
    {
    }

    internal SluiceLogReader(string directory, SluiceLogReaderOptions? options, Func<long, long, IndexEntry?>? index)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        (_options, _index) = (options ?? new SluiceLogReaderOptions(), index);
        ArgumentOutOfRangeException.ThrowIfLessThan(
            _options.PollInterval, TimeSpan.FromMilliseconds(1), nameof(options.PollInterval));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            _options.PollInterval, TimeSpan.FromMilliseconds(int.MaxValue), nameof(options.PollInterval));
        _folder = new LogFolder(Path.GetFullPath(directory), SegmentNames.Framed);
        _fromTime = _options.FromTime is { } time ? LogLayout.ToNanoseconds(time.UtcDateTime) : long.MinValue;
        _start = _next = Math.Max(1, _options.FromSequence);
        _folder.ThrowIfOfRemovedFeature();
        try
        {
            if (_options.FromEnd)
            {
                MoveToEnd();
                _start = _next;
            }
            else
            {
                _ = FindSegment();
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Gets the full path of the log's directory.</summary>
    public string Directory => _folder.Path;

    /// <summary>
    /// Gets the lowest sequence number that the next record can have. The next record has a higher number if the log left this number
    /// unused, for example after a failed append.
    /// </summary>
    public long NextSequence => _next;

    /// <summary>
    /// Gets the damage that the reader has skipped. The list is empty if <see cref="SluiceLogReaderOptions.SkipDamage"/> is
    /// <see langword="false"/>.
    /// </summary>
    public IReadOnlyList<SluiceLogDamagedException> Damage => _damage;

    /// <summary>
    /// Gets a description of an incomplete record at the end of the log, or <see langword="null"/> if there is none. The value is valid
    /// after the reader has reached the end of the log.
    /// </summary>
    /// <remarks>
    /// <para>
    /// If the log is open for appending, a write may be in progress, and the record may be complete later. Otherwise, the process ended
    /// while it was writing the record.
    /// </para>
    /// <para>
    /// Bytes that follow zeros after the last record are not described. <see cref="SluiceLog.Open"/> finds and removes such bytes.
    /// </para>
    /// </remarks>
    public SluiceLogCut? Tail
    {
        get
        {
            // Counted when the property is read, because much reserved space may follow.
            if (_tail is { Bytes: < 0 } tail)
            {
                _tail = tail with { Bytes = CountUnwritten(tail) };
            }

            return _tail;
        }
    }

    /// <summary>
    /// Gets the records from the current position to the end of the log. Each record is valid until the next one is read.
    /// </summary>
    public LogEntryEnumerable Entries => new(this);

    /// <summary>Reads the next record.</summary>
    /// <param name="entry">When this method returns <see langword="true"/>, the record. It is valid until the next call.</param>
    /// <returns>
    /// <see langword="true"/> if a record was read; <see langword="false"/> at the end of the log. A later call can return a record that
    /// was written in the meantime.
    /// </returns>
    /// <exception cref="SluiceLogDamagedException">
    /// The next record is damaged or missing, and <see cref="SluiceLogReaderOptions.SkipDamage"/> is <see langword="false"/>. The next call
    /// throws the same exception.
    /// </exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The reader is disposed.</exception>
    public bool TryRead(out LogEntry entry)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _fillsAtCall = _segment?.Fills ?? -1;
        while (true)
        {
            while (_hasFrame)
            {
                if (TryTakeRecord(out entry))
                {
                    return true;
                }
            }

            if (!TryTakeFrame())
            {
                entry = default;
                return false;
            }
        }
    }

    /// <summary>Enumerates copies of the records from the current position to the end of the log.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The default is <see cref="CancellationToken.None"/>.
    /// </param>
    /// <returns>The records, for an <see langword="await"/> <see langword="foreach"/> statement.</returns>
    /// <remarks>
    /// The files are read synchronously, on the thread that requests the next record. Exceptions are thrown by the enumeration.
    /// </remarks>
    /// <exception cref="SluiceLogDamagedException">
    /// The next record is damaged or missing, and <see cref="SluiceLogReaderOptions.SkipDamage"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The reader is disposed.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was canceled.</exception>
    public IAsyncEnumerable<SluiceLogRecord> ReadAllAsync(CancellationToken cancellationToken = default) =>
        EnumerateAsync(follows: false, cancellationToken);

    /// <summary>
    /// Enumerates copies of the records from the current position, and then of new records as they are written, until the enumeration is
    /// canceled.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The default is <see cref="CancellationToken.None"/>.
    /// </param>
    /// <returns>The records, for an <see langword="await"/> <see langword="foreach"/> statement.</returns>
    /// <remarks>
    /// <para>
    /// The files are read synchronously, on the thread that requests the next record. Only the wait for new records is asynchronous. The
    /// files are checked every <see cref="SluiceLogReaderOptions.PollInterval"/>. Exceptions are thrown by the enumeration.
    /// </para>
    /// </remarks>
    /// <exception cref="SluiceLogDamagedException">
    /// The next record is damaged or missing, and <see cref="SluiceLogReaderOptions.SkipDamage"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The reader is disposed.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was canceled.</exception>
    public IAsyncEnumerable<SluiceLogRecord> FollowAsync(CancellationToken cancellationToken = default) =>
        EnumerateAsync(follows: true, cancellationToken);

    /// <summary>Closes the reader and its files.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _segment?.Dispose();
        _segment = null;
    }

    private async IAsyncEnumerable<SluiceLogRecord> EnumerateAsync(
        bool follows, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            // Checked before the read, because a record that was read must be returned.
            cancellationToken.ThrowIfCancellationRequested();
            if (TryReadRecord(out SluiceLogRecord record))
            {
                yield return record;
            }
            else if (follows)
            {
                await Task.Delay(_options.PollInterval, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                yield break;
            }
        }
    }

    /// <summary>Returns 0 if the file cannot be read any more.</summary>
    private static long CountUnwritten(SluiceLogCut tail)
    {
        try
        {
            using SluiceHandle file = LogFile.OpenToRead(tail.Path);
            return FrameScanner.CountTailBytes(file, tail.FileOffset);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private bool TryReadRecord(out SluiceLogRecord record)
    {
        bool isThere = TryRead(out LogEntry entry);
        record = isThere ? entry.ToRecord() : default;
        return isThere;
    }

    private bool TryTakeRecord(out LogEntry entry)
    {
        entry = default;
        if (_recordSequence > _frame.LastSequence)
        {
            _hasFrame = false;
            return false;
        }

        if (!LogLayout.TryReadRecord(_segment!.Payload, ref _recordAt, out ReadOnlySpan<byte> record, out bool isWithdrawn))
        {
            _hasFrame = false;
            SluiceLogDamagedException damage = new(_segment.Path, _segment.FrameOffset, _recordSequence, LogErrors.RecordTooLong);
            if (!_options.SkipDamage)
            {
                // The next call returns the same frame again.
                _segment.Unread();
                throw damage;
            }

            AddDamage(damage);
            _next = _frame.LastSequence + 1;
            return false;
        }

        long sequence = _recordSequence++;
        if (sequence < _next || isWithdrawn || _frame.Time < _fromTime)
        {
            _next = Math.Max(_next, sequence + 1);
            return false;
        }

        _next = sequence + 1;
        entry = new LogEntry(sequence, _frame.Time, record);
        return true;
    }

    /// <summary>Reads the next frame of records. Returns false at the end of the records that may be read.</summary>
    private bool TryTakeFrame()
    {
        while (true)
        {
            if (_segment is null && !FindSegment())
            {
                return false;
            }

            FrameResult result = FrameResult.Zeros;
            bool mayRead = MayRead(_next);
            if (mayRead)
            {
                result = _segment!.TryNext(out _frame);
                if (result == FrameResult.Good && _frame.Kind == FrameKind.Opening)
                {
                    continue;
                }

                if (result == FrameResult.Good && _frame.Kind == FrameKind.Records)
                {
                    if (MayRead(_frame.LastSequence))
                    {
                        _tail = null;
                        (_hasFrame, _recordAt, _recordSequence) = (true, 0, _frame.FirstSequence);
                        return true;
                    }

                    _segment.Unread();
                    mayRead = false;
                }
            }

            ThrowIfOtherLog();
            if (!TryGoBack() && !(mayRead && TryLeaveSegment(result)))
            {
                return false;
            }
        }
    }

    private bool MayRead(long sequence)
    {
        // Bytes that were read after log.state may have replaced durable records that were removed meanwhile.
        bool isOld = _limit is not 0 and not long.MaxValue && _segment?.Fills != _fillsAtLimit;
        if (sequence > _limit || isOld)
        {
            _fillsAtLimit = _segment?.Fills ?? 0;
            // If log.state cannot be read now, the last state stays in use.
            string path = Path.Combine(_folder.Path, LogFolder.StateName);
            _state = LogState.TryRead(path, out string? reason) ?? _state;
            LogDurability upTo = _options.UpTo ?? _state?.Durability ?? LogDurability.Written;
            if (_state is null && reason is not null && _options.UpTo is null or LogDurability.Durable)
            {
                // An unreadable state does not mean that no record is durable.
                ThrowUnlessSkipping(new SluiceLogDamagedException(path, -1, 0, reason));
            }

            _limit = upTo == LogDurability.Durable ? _state?.DurableSequence ?? 0
                : _options.UpTo is null && _state is null ? sequence
                : long.MaxValue;
        }

        return sequence <= _limit;
    }

    private LogState? State() => LogState.TryRead(Path.Combine(_folder.Path, LogFolder.StateName));

    private LogCatalog Look(long fromId = 0)
    {
        _catalog = LogCatalog.Read(_folder, State, fromId);
        foreach (CatalogFile file in _catalog.Files)
        {
            // If damage is not skipped, a damaged file is reported when the reader reaches it.
            if (file.Damage is { } damage && (_options.SkipDamage || file.Role == SegmentRole.Foreign))
            {
                ThrowUnlessSkipping(damage);
            }
        }

        return _catalog;
    }

    private void ThrowUnlessSkipping(SluiceLogDamagedException damage)
    {
        if (!_options.SkipDamage)
        {
            throw damage;
        }

        AddDamage(damage);
    }

    private void AddDamage(SluiceLogDamagedException damage)
    {
        if (!_damage.Exists(d => d.Message == damage.Message))
        {
            _damage.Add(damage);
        }
    }

    /// <summary>
    /// Reports records that were read or skipped and have been removed from the end of the log since, and moves back to the last records
    /// that still exist. Returns false if none were removed.
    /// </summary>
    private bool TryGoBack()
    {
        if (WasRemoved())
        {
            GoBackBefore(_segment!.Id, _segment.LogId);
            return true;
        }

        bool wasTruncated = _segment!.TryForgetFooter() || _segment.TryForgetEntry();
        long from = _segment.FindReplaced();
        if (from > 0)
        {
            ReportRemoved(from);
            _segment.GoBackTo(from);
        }
        else if (!wasTruncated)
        {
            return false;
        }

        _catalog = null;
        return true;
    }

    /// <summary>
    /// Returns true if the segment was removed as a part of the log's end. If retention removed it, no older one exists, because retention
    /// removes the oldest segments first, and the log begins after the records that were read.
    /// </summary>
    private bool WasRemoved() => _segment!.IsGoneFrom(_folder)
        && (_folder.List().Exists(id => id < _segment.Id && SegmentReader.MayBeIn(_folder, id))
            || FindNext().Next?.FirstSequence <= _segment.ReadTo);

    /// <summary>Moves back to the newest segment that still exists before one that was removed.</summary>
    private void GoBackBefore(long id, Guid logId)
    {
        SegmentInfo? found = Look().Segments.FindLast(s => s.Id < id && s.Header.LogId == logId);
        ReportRemoved(found?.FirstSequence ?? 1);
        _segment?.Dispose();
        (_segment, _catalog, _backTo) = (null, null, found);
    }

    /// <param name="from">The first sequence number that other records may have now.</param>
    private void ReportRemoved(long from)
    {
        from = Math.Max(from, _start);
        SluiceLogDamagedException damage = new(_segment?.Path ?? _folder.Path, -1, from, LogErrors.Removed(from));
        if (!_options.SkipDamage)
        {
            throw damage;
        }

        // Each removal counts, also if an earlier one had the same message.
        _damage.Add(damage);
        (_next, _limit) = (from, 0);
    }

    /// <summary>
    /// Throws if the log was removed and another one was created in the same folder. Called at the end of what can be read.
    /// </summary>
    private void ThrowIfOtherLog()
    {
        if (_segment is { HasName: false } && _segment.IsReplacedIn(_folder))
        {
            throw new SluiceLogDamagedException(_folder.Path, -1, _next, LogErrors.IsOtherLog);
        }
    }

    /// <summary>Handles the end of the valid frames of a segment. Returns false at the end of the log; true to continue.</summary>
    private bool TryLeaveSegment(FrameResult result)
    {
        // This is determined before the buffer is discarded, so that reserved space is not read at each poll.
        bool isAllZeros = result == FrameResult.Zeros && _segment!.HasOnlyZerosBuffered();
        bool isStale = _segment!.Fills == _fillsAtCall;
        (SegmentInfo? next, bool isBeforeFooter, SluiceLogCut? torn) = FindNext();
        if ((next is not null || result == FrameResult.Good) && HasFrameByNow(out result))
        {
            return true;
        }

        // Removed records are detected after the search for the next segment, because its records may have replaced some that were read.
        if (TryGoBack())
        {
            return true;
        }

        ThrowIfDamagedBetween(_segment!.Id, next?.Id ?? long.MaxValue);
        _segment.DiscardBuffer();
        LogState? state = State();
        SegmentEnd end = _segment.EndAt(result, next) with
        {
            IsBeforeFooter = isBeforeFooter,
            Durable = _segment.DurableBy(state),
            MayHaveRestarted = LogState.MayBeOfEarlierBoot(state),
        };
        EndVerdict verdict = end.Decide(WasOvertaken, () => !isAllZeros && _segment.HasFrameAfter());
        if (verdict.Kind == EndKind.NextSegment)
        {
            _ = TryEnter(next!);
            return true;
        }

        _tail = result == FrameResult.Bad || verdict.Kind == EndKind.NeverSynced
            ? new SluiceLogCut(_segment.Path, _segment.Offset, -1, _next, end.Reason ?? verdict.Reason) : torn;
        if (verdict.Kind is EndKind.EndOfLog or EndKind.TornTail or EndKind.NeverSynced)
        {
            // Bytes that were read before this call may have been replaced by records since.
            return isStale && HasFrameByNow(out _);
        }

        // Everything is checked again, because the writer may have changed the files between the checks.
        return HasFrameByNow(out _) || FindNext().Next?.Id != next?.Id || TryGoBack() || TryPassDamage(verdict, next);
    }

    /// <summary>Throws if damage is not skipped. Otherwise, moves past the damage; returns false if nothing follows it.</summary>
    private bool TryPassDamage(EndVerdict verdict, SegmentInfo? next)
    {
        if (verdict.Kind == EndKind.Missing)
        {
            verdict = WasOvertaken()
                ? verdict with { Reason = LogErrors.Overtaken(next!.FirstSequence) }
                : verdict with { Path = _catalog!.EmptiedBetween(_segment!.Id, next!.Id) };
        }

        SluiceLogDamagedException damage = verdict.ToException(_folder);
        if (!_options.SkipDamage)
        {
            throw damage;
        }

        if (verdict.Kind == EndKind.Damaged)
        {
            AddDamage(damage);
            bool hasPassed = _segment!.TryPassOver();
            if (hasPassed || next is null)
            {
                return hasPassed;
            }
        }

        // If the next segment has been removed meanwhile, another one must be found, and more records are missing.
        if (TryEnter(next!))
        {
            AddDamage(damage);
        }

        return true;
    }

    /// <summary>Returns true if the writer has removed the segment and all older ones.</summary>
    private bool WasOvertaken() => !_folder.List().Exists(id => id <= _segment!.Id && SegmentReader.MayBeIn(_folder, id));

    /// <summary>Reads at the same position again. Returns true if there is a frame of records by now, which stays the next one.</summary>
    private bool HasFrameByNow(out FrameResult result)
    {
        _segment!.DiscardBuffer();
        result = _segment.TryNext(out FrameHeader frame);
        bool isThere = result == FrameResult.Good && frame.Kind == FrameKind.Records;
        if (isThere)
        {
            _segment.Unread();
        }

        return isThere;
    }

    /// <summary>Throws if there is a damaged file between two segments. The next call throws again.</summary>
    private void ThrowIfDamagedBetween(long before, long next)
    {
        if (!_options.SkipDamage
            && _catalog?.Files.Find(f => f.Role == SegmentRole.Damaged && f.Id > before && f.Id < next) is { Damage: { } damage })
        {
            throw damage;
        }
    }

    /// <summary>Returns an incomplete write in a segment that was about to begin.</summary>
    /// <exception cref="SluiceLogDamagedException">Complete frames follow the incomplete write, and damage is not skipped.</exception>
    private SluiceLogCut? TornOf(LogCatalog catalog)
    {
        if (catalog.Newest is not { HasBegun: false } newest || !File.Exists(newest.Path))
        {
            return null;
        }

        // The frames are searched twice, because the writer may have begun the segment since.
        SegmentEnd end = new(newest, newest.FirstOffset, _next - 1, false, newest.TornOpening, null)
        {
            MayHaveRestarted = LogState.MayBeOfEarlierBoot(State()),
        };
        EndVerdict verdict = end.Decide(static () => false, () => newest.HasFramesWithoutOpening() && newest.HasFramesWithoutOpening());
        if (verdict.Kind == EndKind.Damaged)
        {
            ThrowUnlessSkipping(verdict.ToException(_folder));
        }

        return newest.TornOpening is { } reason ? new SluiceLogCut(newest.Path, newest.FirstOffset, -1, _next, reason) : null;
    }

    /// <summary>
    /// Returns the segment after the current one, if there is one now; true if that or a later segment is known to have a footer; and an
    /// incomplete write in a segment that was about to begin.
    /// </summary>
    private (SegmentInfo? Next, bool IsBeforeFooter, SluiceLogCut? Torn) FindNext()
    {
        long id = _segment!.Id;

        // The last listing is sufficient if the next segment is not the last one in it: no segment is inserted between two others later. The
        // footer of the last one is not trusted, because no segment after it confirms the footer.
        int known = _catalog?.Segments.FindIndex(s => s.Id > id) ?? -1;
        if (known >= 0 && known < _catalog!.Segments.Count - 1 && _catalog.Segments[known].FirstSequence == _segment.ReadTo + 1)
        {
            return (_catalog.Segments[known], false, null);
        }

        if (_folder.List() is not [.., long last] || last <= id)
        {
            return default;
        }

        LogCatalog catalog = Look(fromId: id);
        SluiceLogCut? torn = TornOf(catalog);
        int next = catalog.Segments.FindIndex(s => s.Id > id);
        return next < 0 || catalog.Segments[next].Header.LogId != _segment.LogId
            ? (null, false, torn)
            : (catalog.Segments[next], catalog.HasFooterFrom(next), torn);
    }

    /// <summary>Opens the segment that contains the next record, or would contain it. Returns false if no segment has begun.</summary>
    private bool FindSegment()
    {
        while (true)
        {
            LogCatalog catalog = Look();
            List<SegmentInfo> segments = catalog.Segments;
            if (segments.Count == 0)
            {
                ThrowIfDamagedBetween(0, long.MaxValue);
                _tail = TornOf(catalog);

                // Records that are durable according to the state were complete in the files before: the files are read once more.
                if (State() is { DurableSequence: > 0 } state
                    && (catalog.Newest is null || catalog.Newest.Header.LogId == state.LogId)
                    && Look().Segments.Count == 0)
                {
                    ThrowUnlessSkipping(
                        new SluiceLogDamagedException(_folder.Path, -1, _next, LogErrors.Lost(state.DurableSequence)));
                }

                return false;
            }

            int index = segments.FindLastIndex(s => s.FirstSequence <= _next);
            if (_backTo is { } back
                && (index = segments.FindIndex(s => s.Id == back.Id && s.Header.LogId == back.Header.LogId)) < 0)
            {
                // The segment was removed since, too.
                GoBackBefore(back.Id, back.Header.LogId);
                continue;
            }

            if (index < 0)
            {
                // The record may be in a damaged file before the oldest segment.
                ThrowIfDamagedBetween(0, segments[0].Id);
            }

            if (_options.FromTime is not null && _backTo is null)
            {
                // Segments that contain only earlier records are skipped; the times of the current segment are not known.
                int inTime = segments.FindIndex(s => !s.IsSealed || s.Footer!.LastTime >= _fromTime);
                index = Math.Max(index, inTime < 0 ? segments.Count - 1 : inTime);
            }

            if (TryEnter(segments[Math.Max(index, 0)]))
            {
                return true;
            }
        }
    }

    /// <summary>
    /// Opens a segment near the next record. Returns false if the segment was removed, or if it is damaged and damage is skipped.
    /// </summary>
    private bool TryEnter(SegmentInfo segment)
    {
        SegmentReader entered;
        try
        {
            entered = SegmentReader.Open(_folder, segment.Id, segment.IsSealed ? segment.LastSequence : null, segment.Header.LogId);
        }
        catch (FileNotFoundException)
        {
            // The segment was removed since the folder was listed.
            _catalog = null;
            return false;
        }
        catch (SluiceLogDamagedException e)
        {
            // The next listing of the folder reports this segment as damaged.
            _catalog = null;
            ThrowUnlessSkipping(e);
            return false;
        }

        _segment?.Dispose();
        (_segment, _backTo, _fillsAtLimit, _fillsAtCall) = (entered, null, -1, -1);
        _next = Math.Max(_next, segment.FirstSequence);
        _segment.MoveNear(_next, _index?.Invoke(segment.Id, _next));
        return true;
    }

    private void MoveToEnd()
    {
        int index;
        List<SegmentInfo> segments;
        do
        {
            segments = Look().Segments;
            if (segments.Count == 0)
            {
                return;
            }

            // The last durable record may be in an earlier segment than the last.
            _ = MayRead(long.MaxValue);
            _next = Math.Max(1, _limit);
            index = Math.Max(0, segments.FindLastIndex(s => s.FirstSequence <= _next));
        }
        while (!TryEnter(segments[index]));
        _next = _segment!.ReadTo + 1;
        while (TryTakeFrame())
        {
            _hasFrame = false;
            _next = _frame.LastSequence + 1;
        }
    }
}
