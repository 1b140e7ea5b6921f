using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

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
/// </remarks>
public sealed partial class SluiceLogReader : IDisposable
{
    private readonly LogFolder _folder;
    private readonly SluiceLogReaderOptions _options;
    private readonly List<SluiceLogDamagedException> _damage = [];
    private readonly Dictionary<long, SegmentInfo> _known = [];
    private readonly long _fromTime;
    private SegmentReader? _segment;
    private TornTail? _tail;

    /// <summary>The log that is read; empty while nothing of it was found.</summary>
    private Guid _logId;
    private long _next;

    /// <summary>What was next when the segment was entered, or before those that were withdrawn.</summary>
    private long _nextBefore;

    /// <summary>Whether a record of the segment was given out.</summary>
    private bool _hasGiven;

    /// <summary>From where on what was given out has been dropped, and whoever reads is to be told with the next record; 0 for
    /// nothing.</summary>
    private long _droppedFrom;

    /// <summary>The same before the segment was entered.</summary>
    private long _droppedBefore;

    /// <summary>The id of the segment from which it was entered: whatever restarts the log behind that one is new.</summary>
    private long _idBefore;
    private long _limit;

    /// <summary>Whether more is durable than when it was last looked what was taken back: the same numbers may be others' by now.</summary>
    private bool _isLimitNew;
    private LogState? _state;

    /// <summary>What the last look at the folder found, and when the folder had changed by then.</summary>
    private LogCatalog? _catalog;
    private FolderStamp _stamp;
    private bool _hasFrame;
    private bool _isDurableBehind;
    private bool _isMissingBehind;
    private bool _hasReturned;
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
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to read the directory or one of the files.
    /// </exception>
    public SluiceLogReader(string directory, SluiceLogReaderOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _options = options ?? new SluiceLogReaderOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(
            _options.PollInterval, TimeSpan.FromMilliseconds(1), nameof(options.PollInterval));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            _options.PollInterval, TimeSpan.FromMilliseconds(int.MaxValue), nameof(options.PollInterval));
        _folder = new LogFolder(Path.GetFullPath(directory), SegmentNames.Framed);
        _fromTime = _options.FromTime is { } time ? LogLayout.ToNanoseconds(time.UtcDateTime) : long.MinValue;
        _next = Math.Max(1, _options.FromSequence);
        try
        {
            if (_options.FromEnd)
            {
                MoveToEnd();
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
    /// Gets the lowest sequence number of the already returned records that were replaced most recently, or 0 if no returned record has
    /// been replaced.
    /// </summary>
    /// <remarks>
    /// <para>
    /// Records are replaced if they are removed with <see cref="SluiceLog.TruncateAfter(long)"/>, or if the log writes them again after a
    /// failed write or flush. With <see cref="SluiceLogReaderOptions.SkipDamage"/>, a new log in the same directory replaces all records.
    /// </para>
    /// <para>
    /// The property is set when the reader returns the first record after a replacement. Discard all records with this sequence number or a
    /// higher one that the reader returned before.
    /// </para>
    /// <para>If the new records are themselves removed before the reader reads them, the reader reports damage instead.</para>
    /// </remarks>
    public long DroppedFrom { get; private set; }

    /// <summary>Gets the number of times that records which the reader had already returned were found to be replaced.</summary>
    /// <remarks>
    /// Each time, <see cref="DroppedFrom"/> is set. Compare this value before and after a read to detect a replacement, because
    /// <see cref="DroppedFrom"/> can be set to the same number again.
    /// </remarks>
    public long Drops { get; private set; }

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
    public SluiceLogCut? Tail => _tail?.Cut;

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
    /// If records that were already returned are replaced, the enumeration returns the new records; see <see cref="DroppedFrom"/>.
    /// </para>
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

    /// <summary>Gets the number of times that the reader has listed the folder and looked at its segments, for tests.</summary>
    internal int Looks { get; private set; }

    private async IAsyncEnumerable<SluiceLogRecord> EnumerateAsync(
        bool follows, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (true)
        {
            // First: what was read is given out.
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

    private bool TryReadRecord(out SluiceLogRecord record)
    {
        bool isThere = TryRead(out LogEntry entry);
        record = isThere ? entry.ToRecord() : default;
        return isThere;
    }

    private bool TryTakeRecord(out LogEntry entry)
    {
        entry = default;
        ReadOnlySpan<byte> payload = _segment!.Payload;
        if (_recordSequence > _frame.LastSequence)
        {
            _hasFrame = false;
            return false;
        }

        uint header = payload.Length - _recordAt >= LogLayout.RecordHeaderBytes
            ? BinaryPrimitives.ReadUInt32LittleEndian(payload[_recordAt..])
            : uint.MaxValue;
        int length = (int)(header & LogLayout.LengthMask);
        if (length > payload.Length - _recordAt - LogLayout.RecordHeaderBytes)
        {
            // Its sum was right: whoever wrote it did not keep to the format.
            _hasFrame = false;
            SluiceLogDamagedException damage = new(
                _segment.Path, _segment.FrameOffset, _recordSequence, "a record is longer than its frame");
            if (!_options.SkipDamage)
            {
                // The same frame again at the next call.
                _segment.Unread();
            }

            Report(damage);
            _next = _frame.LastSequence + 1;
            return false;
        }

        long sequence = _recordSequence++;
        int at = _recordAt + LogLayout.RecordHeaderBytes;
        _recordAt = at + length;
        if (sequence < _next || header >= LogLayout.Withdrawn || _frame.Time < _fromTime)
        {
            _next = Math.Max(_next, sequence + 1);
            return false;
        }

        _next = sequence + 1;
        NoteGiven();
        entry = new LogEntry(sequence, _frame.Time, payload.Slice(at, length));
        return true;
    }

    /// <summary>The next frame of records; false at the end of what may be read.</summary>
    private bool TryTakeFrame()
    {
        while (true)
        {
            if (_segment is null && !FindSegment())
            {
                return false;
            }

            if (!MayRead(_next))
            {
                // Back first: what is read again, and what is not, is known from where the reader was before it came here.
                if (TryReturnFromLost() || TryReturn() || TryFollowDrop() || TryBeginOtherLog())
                {
                    continue;
                }

                return false;
            }

            if (_isLimitNew)
            {
                LookForDrops();
            }

            FrameResult result = _segment!.TryNext(out _frame);
            if (result == FrameResult.Good)
            {
                GoBackToLost(_segment);
            }

            if (result == FrameResult.Good && _frame.Kind == FrameKind.Records)
            {
                bool mayRead = MayRead(_frame.LastSequence);
                if (!mayRead || _isLimitNew)
                {
                    // What was taken back of the frame is never durable, and what stays of it may be.
                    _segment.Unread();
                    LookForDrops();
                    if (mayRead || _segment.TakenBackFrom <= _frame.LastSequence || TryBeginOtherLog())
                    {
                        continue;
                    }

                    return false;
                }

                _tail = null;
                (_hasFrame, _recordAt, _recordSequence) = (true, 0, _frame.FirstSequence);
                return true;
            }

            if (result == FrameResult.Good && _frame.Kind != FrameKind.Footer)
            {
                continue;
            }

            if (result != FrameResult.Good && TryReturnFromLost())
            {
                continue;
            }

            if (!TryLeaveSegment(result) && !TryBeginOtherLog())
            {
                return false;
            }
        }
    }

    private bool MayRead(long sequence)
    {
        if (sequence > _limit)
        {
            // A state that cannot be read once says nothing new; if there was none yet, there may be one next time.
            _state = State() ?? _state;
            LogDurability upTo = _options.UpTo ?? _state?.Durability ?? LogDurability.Written;
            if (_state is null && upTo == LogDurability.Durable)
            {
                ThrowIfStateIsUnreadable();
            }

            _limit = upTo == LogDurability.Durable ? _state?.DurableSequence ?? 0
                : _options.UpTo is null && _state is null ? sequence
                : long.MaxValue;
            _isLimitNew = upTo == LogDurability.Durable;
        }

        return sequence <= _limit;
    }

    private void NoteDrop(long from) => _droppedFrom = _droppedFrom == 0 ? from : Math.Min(_droppedFrom, from);

    private void NoteGiven()
    {
        _hasGiven = true;
        if (_droppedFrom > 0)
        {
            (DroppedFrom, _droppedFrom) = (_droppedFrom, 0);
            Drops++;
        }
    }

    private LogState? State() => LogState.TryRead(Path.Combine(_folder.Path, LogFolder.StateName), Report);

    /// <summary>A state that exists and cannot be read is not one that says that no record is durable.</summary>
    private void ThrowIfStateIsUnreadable()
    {
        string path = Path.Combine(_folder.Path, LogFolder.StateName);
        if (LogState.WhyUnreadable(path) is { } error)
        {
            Report(new SluiceLogDamagedException(path, -1, 0, error));
        }
    }

    private LogCatalog Look(long fromId = 0)
    {
        Looks++;
        _stamp = FolderStamp.Of(_folder.Path);
        _catalog = LogCatalog.Read(_folder, Report, _known, fromId, State);
        if (_options.SkipDamage)
        {
            _catalog.DamagedFiles.ForEach(d => Report(d.Damage));
        }

        return _catalog;
    }

    private void Report(SluiceLogDamagedException damage)
    {
        if (!_options.SkipDamage)
        {
            throw damage;
        }

        if (!_damage.Exists(d => d.Message == damage.Message))
        {
            _damage.Add(damage);
        }
    }
}
