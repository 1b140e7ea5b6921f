using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice;

/// <summary>
/// Reads a framed log forward, in the process of its writer or another; it needs no lock and changes nothing. Every frame is checked before
/// a record of it is given out.
/// </summary>
/// <remarks>
/// For one thread at a time. Sequences ascend, and a number that is no record's (<see cref="SluiceLog"/>) is left out: that is no damage.
/// Segments that are removed while it reads (retention, <see cref="SluiceLog.TruncateBefore(long)"/>) are an
/// error only where it has not got to them: it reads the one that it is in to its end, and then throws a
/// <see cref="SluiceLogDamagedException"/> that says from which record on the log is there; a new reader may begin with that one. One that
/// passes over damage goes on there, and has it in <see cref="Damage"/>.
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
    private bool _hasFrame;
    private bool _isDurableBehind;
    private bool _isMissingBehind;
    private bool _hasReturned;
    private bool _isDisposed;
    private FrameHeader _frame;
    private int _recordAt;
    private long _recordSequence;

    /// <summary>Opens a log for reading.</summary>
    /// <param name="directory">The folder.</param>
    /// <param name="options">Where to begin and end; null for all that is there.</param>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="SluiceLogDamagedException">A segment is damaged or missing; unless damage is to be passed over.</exception>
    public SluiceLogReader(string directory, SluiceLogReaderOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _options = options ?? new SluiceLogReaderOptions();
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

    /// <summary>The folder, as a full path.</summary>
    public string Directory => _folder.Path;

    /// <summary>The smallest sequence that the next record can have; it has a larger one where numbers are no record's.</summary>
    public long NextSequence => _next;

    /// <summary>
    /// The first of the sequences that were dropped (<see cref="SluiceLog.TruncateAfter(long)"/>), written again after a sync or a write
    /// had failed, or another log's (where damage is passed over), at the last time that the reader had read some of them; 0 where there
    /// was no such time. Set with the first record that comes then: it and what follows, withdrawn records left out, take their place.
    /// What segments took back that were removed before they were read is not known: that is damage (<see cref="Damage"/>).
    /// </summary>
    public long DroppedFrom { get; private set; }

    /// <summary>How often <see cref="DroppedFrom"/> was set: it may be the same twice.</summary>
    public long Drops { get; private set; }

    /// <summary>What was damaged and passed over.</summary>
    public IReadOnlyList<SluiceLogDamagedException> Damage => _damage;

    /// <summary>
    /// After the end was reached: bytes right behind it that are no record, where and why; null where zeros follow, or nothing. In a log
    /// that nobody writes they were being written when it ended; in one that is written they may be a record by now. How many there are
    /// is counted when this is asked for first. What stands behind zeros is looked at, and cut, by <see cref="SluiceLog.Open"/> alone.
    /// </summary>
    public SluiceLogCut? Tail => _tail?.Cut;

    /// <summary>The records from where the reader stands to the end, each of which is good until the next is read.</summary>
    public LogEntryEnumerable Entries => new(this);

    /// <summary>Reads the next record; false at the end. More may come, and be read by a later call.</summary>
    /// <param name="entry">The record, good until the next call.</param>
    /// <exception cref="SluiceLogDamagedException">What comes is damaged; the same again at the next call.</exception>
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

    /// <summary>
    /// The records from where the reader stands to the end, each with memory of its own. Files are read synchronously, on the thread that
    /// asks for a record.
    /// </summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    public IAsyncEnumerable<SluiceLogRecord> ReadAllAsync(CancellationToken cancellationToken = default) =>
        EnumerateAsync(follows: false, cancellationToken);

    /// <summary>
    /// The records from where the reader stands, and those that come, until it is cancelled. After a tail was dropped that it had read,
    /// sequences begin again where it began, or later where the first records behind that are withdrawn (<see cref="DroppedFrom"/>). Files
    /// are read synchronously; only the wait for more is asynchronous.
    /// </summary>
    /// <param name="cancellationToken">Ends the enumeration, with an exception.</param>
    public IAsyncEnumerable<SluiceLogRecord> FollowAsync(CancellationToken cancellationToken = default) =>
        EnumerateAsync(follows: true, cancellationToken);

    /// <summary>Closes the segment that is open.</summary>
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
            // One that cannot be read for once says nothing new; where there was none yet, there may be one next time.
            _state = State() ?? _state;
            LogDurability upTo = _options.UpTo ?? _state?.Durability ?? LogDurability.Written;
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

    private LogCatalog Look(long fromId = 0) => LogCatalog.Read(_folder, Report, _known, fromId, State);

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
