using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>Reads a segment frame by frame.</summary>
internal sealed class SegmentReader : IDisposable
{
    /// <summary>The number of polls between two searches for a frame after a bad one, for a reader that follows the log.</summary>
    private const int PollsPerSearch = 16;

    /// <summary>The size of the buffer for single records.</summary>
    private const int RecordBufferBytes = 64 * 1024;

    private readonly SluiceHandle _file;
    private SegmentInfo _info;

    private readonly FrameScanner _scanner;
    private (long Offset, uint Chain, long ReadTo) _before;

    /// <summary>The last good frames of records: offset, end, checksum and last record of each.</summary>
    private readonly (long Offset, long End, uint Crc, long ReadTo)[] _passed =
        new (long Offset, long End, uint Crc, long ReadTo)[Tuning.LogFramesToGoBack];
    private int _passedAt;

    /// <summary>The position after which no complete frame was found, and the number of polls since.</summary>
    private (long Offset, int Polls) _noFrameAfter = (-1, 0);
    private int _passedCount;

    /// <summary>The index entry at which the reader entered the segment; null if it reads from the first frame on.</summary>
    private IndexEntry? _entry;

    /// <summary>The frame whose payload the scanner has, for <see cref="TryRead"/>; initially a frame without records.</summary>
    private FrameHeader _frame;

    /// <summary>
    /// The end of the records that were written when the oldest bytes of the buffer were read, for <see cref="TryRead"/>.
    /// </summary>
    private long _end;

    private SegmentReader(SluiceHandle file, SegmentInfo info, bool isForRecords)
    {
        (_file, _info) = (file, info);
        _scanner = new FrameScanner(
            file, info.Header.MaxFrameBytes, info.FirstOffset, info.FirstChain,
            isForRecords ? RecordBufferBytes : FrameScanner.ManyBytes, isLive: !isForRecords && !info.IsSealed);
        ReadTo = info.FirstSequence - 1;
    }

    public long Id => _info.Id;

    public string Path => _info.Path;

    /// <summary>The sequence number of the first record that the segment has or will have.</summary>
    public long FirstSequence => _info.FirstSequence;

    /// <inheritdoc cref="SegmentInfo.DurableBy"/>
    public long DurableBy(LogState? state) => _info.DurableBy(state);

    /// <summary>The id of the segment's log.</summary>
    public Guid LogId => _info.Header.LogId;

    /// <summary>The offset of the next frame.</summary>
    public long Offset => _scanner.Offset;

    /// <summary>The offset of the last frame.</summary>
    public long FrameOffset => _before.Offset;

    /// <summary>The checksum that the last frame continues.</summary>
    public uint FrameChain => _before.Chain;

    /// <summary>The last sequence number that was read or skipped.</summary>
    public long ReadTo { get; private set; }

    /// <summary>Describes the position, at which there is no frame of records.</summary>
    /// <param name="result">The result of the last read.</param>
    /// <param name="next">The next segment; null if there is none.</param>
    public SegmentEnd EndAt(FrameResult result, SegmentInfo? next) => new(
        _info, _scanner.Offset, ReadTo, result == FrameResult.Good, result == FrameResult.Bad ? _scanner.Reason : null, next);

    /// <inheritdoc cref="FrameScanner.Fills"/>
    public int Fills => _scanner.Fills;

    /// <summary>The payload of the last good frame.</summary>
    public ReadOnlySpan<byte> Payload => _scanner.Payload;

    /// <summary>Opens a segment.</summary>
    /// <param name="folder">The log's folder.</param>
    /// <param name="id">The segment's id.</param>
    /// <param name="lastSequence">The last record according to the next segment or the writer; a footer is trusted only if it agrees.</param>
    /// <param name="logId">The log's id; null if the log itself reads single records (<see cref="TryRead"/>).</param>
    /// <exception cref="FileNotFoundException">The segment was removed, has not begun, or belongs to another log.</exception>
    /// <exception cref="SluiceLogDamagedException">The segment is damaged.</exception>
    public static SegmentReader Open(LogFolder folder, long id, long? lastSequence, Guid? logId = null)
    {
        SluiceHandle file = folder.OpenToRead(id);
        try
        {
            SegmentInfo info = SegmentInfo.Read(file, id) is { HasBegun: true } found && (logId ?? found.Header.LogId) == found.Header.LogId
                ? found : throw new FileNotFoundException("The segment was removed.", file.Path);
            return new SegmentReader(file, info.LastSequence == lastSequence ? info : info with { TrustsFooter = false }, logId is null);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>True if the segment's name still refers to the open file; false if that cannot be determined.</summary>
    public bool HasName => Libc.IsSupported && LogFile.LookForName(_file, NodePath.Of(Path), out bool has) == 0 && has;

    /// <summary>Returns true if the folder contains another log, according to the newest segment with a header.</summary>
    public bool IsReplacedIn(LogFolder folder)
    {
        List<long> ids = folder.List();
        for (int i = ids.Count - 1; i >= 0; i--)
        {
            if (LogIdOf(folder, ids[i]) is { } found)
            {
                return found != LogId;
            }
        }

        return false;
    }

    /// <summary>
    /// Returns true if a segment with an id has begun, or if that cannot be determined. A file that was emptied because it could not be
    /// deleted has not begun.
    /// </summary>
    public static bool MayBeIn(LogFolder folder, long id)
    {
        try
        {
            using SluiceHandle there = folder.OpenToRead(id);
            return SegmentInfo.Read(there, id) is { HasBegun: true };
        }
        catch (FileNotFoundException)
        {
            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or SluiceLogDamagedException)
        {
            return true;
        }
    }

    /// <summary>Returns the id in the header of a segment; null if there is no header.</summary>
    private static Guid? LogIdOf(LogFolder folder, long id)
    {
        try
        {
            using SluiceHandle there = folder.OpenToRead(id);
            Span<byte> bytes = stackalloc byte[LogLayout.HeaderBytes];
            return there.Read(bytes, 0) == bytes.Length && SegmentHeader.Read(bytes, out SegmentHeader header, out _) is null
                ? header.LogId : null;
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    /// <summary>Reads the next frame. A footer is not consumed.</summary>
    public FrameResult TryNext(out FrameHeader frame)
    {
        _before = (_scanner.Offset, _scanner.Chain, ReadTo);
        FrameResult result = _scanner.TryNext(out frame, out _);
        if (result != FrameResult.Good || frame.Kind == FrameKind.Opening)
        {
            return result;
        }

        if (frame.Kind == FrameKind.Footer)
        {
            _scanner.MoveTo(_before.Offset, _before.Chain);
            return result;
        }

        ReadTo = frame.LastSequence;
        _passed[_passedAt] = (_before.Offset, _scanner.Offset, _scanner.Chain, ReadTo);
        _passedAt = (_passedAt + 1) % _passed.Length;
        _passedCount = Math.Min(_passedCount + 1, _passed.Length);
        return result;
    }

    /// <summary>Returns true if the last frame has been removed or replaced since it was read.</summary>
    private bool WasReplaced() => _passedCount > 0 && !_scanner.Has(LastPassed.Offset, LastPassed.Crc);

    private ref (long Offset, long End, uint Crc, long ReadTo) LastPassed =>
        ref _passed[(_passedAt + _passed.Length - 1) % _passed.Length];

    private void ForgetLastPassed()
    {
        _passedAt = (_passedAt + _passed.Length - 1) % _passed.Length;
        _passedCount--;
    }

    /// <summary>
    /// Returns the first sequence number from which on records may have been replaced, because records at the segment's end were removed
    /// after they were read; 0 if none were removed.
    /// </summary>
    public long FindReplaced()
    {
        if (!WasReplaced())
        {
            return 0;
        }

        for (int back = 2; back <= _passedCount; back++)
        {
            (long offset, _, uint crc, long readTo) = _passed[(_passedAt + _passed.Length - back) % _passed.Length];
            if (_scanner.Has(offset, crc))
            {
                return readTo + 1;
            }
        }

        return FirstSequence;
    }

    /// <summary>Moves back to the position that <see cref="FindReplaced"/> returned.</summary>
    public void GoBackTo(long from)
    {
        while (_passedCount > 0 && LastPassed.ReadTo >= from)
        {
            ForgetLastPassed();
        }

        if (_passedCount == 0)
        {
            GoToFirst();
        }
        else
        {
            _scanner.MoveTo(LastPassed.End, LastPassed.Crc);
            ReadTo = LastPassed.ReadTo;
        }

        _scanner.DiscardBuffer();
    }

    /// <summary>
    /// Returns true if the segment had a footer and has been truncated since. It is then read as a segment without a footer.
    /// </summary>
    public bool TryForgetFooter()
    {
        if (_info.FooterOffset == 0 || _info.HasSameFooter(_file))
        {
            return false;
        }

        _info = _info with { Footer = null, FooterOffset = 0 };
        _scanner.IsLive = true;
        if (_passedCount == 0)
        {
            GoToFirst();
        }

        return true;
    }

    /// <summary>
    /// Returns true if the frame at which the reader entered the segment was removed before it was read. Then the segment is read from its
    /// first frame on.
    /// </summary>
    public bool TryForgetEntry()
    {
        if (_passedCount > 0 || _entry is not { } entry || TryMoveTo(entry))
        {
            return false;
        }

        GoToFirst();
        return true;
    }

    /// <summary>Returns true if the segment was deleted or emptied.</summary>
    public bool IsGoneFrom(LogFolder folder) => (!HasName || _file.Length == 0) && !MayBeIn(folder, Id);

    /// <summary>
    /// Returns true if a complete frame follows the position, at which there is no good frame. The frame at the position is read again
    /// between two searches, because a writer writes a frame only after the frame before it. At an unchanged position, only every
    /// <see cref="PollsPerSearch"/>th call searches.
    /// </summary>
    public bool HasFrameAfter()
    {
        long offset = _scanner.Offset;
        if (_noFrameAfter.Offset == offset && ++_noFrameAfter.Polls % PollsPerSearch != 0)
        {
            return false;
        }

        try
        {
            // Searches no further than the maximum length of a frame, because much reserved space may follow.
            _scanner.DiscardBuffer();
            if (!_scanner.HasFrameAfter(ReadTo + 1, readsOn: false))
            {
                _noFrameAfter.Offset = offset;
                return false;
            }

            _scanner.DiscardBuffer();
            uint chain = _scanner.Chain;
            bool isGood = _scanner.TryNext(out _, out _) == FrameResult.Good;
            _scanner.MoveTo(offset, chain);
            return !isGood && !WasReplaced() && _scanner.HasFrameAfter(ReadTo + 1, readsOn: false);
        }
        finally
        {
            // The buffer is discarded, because the file may have changed before the next call.
            _scanner.DiscardBuffer();
        }
    }

    /// <inheritdoc cref="FrameScanner.HasOnlyZerosBuffered"/>
    public bool HasOnlyZerosBuffered() => _scanner.HasOnlyZerosBuffered();

    /// <summary>Moves back before the last frame.</summary>
    public void Unread()
    {
        _scanner.MoveTo(_before.Offset, _before.Chain);
        ReadTo = _before.ReadTo;
        if (_passedCount > 0 && LastPassed.Offset == _before.Offset)
        {
            ForgetLastPassed();
        }
    }

    /// <inheritdoc cref="FrameScanner.DiscardBuffer"/>
    public void DiscardBuffer() => _scanner.DiscardBuffer();

    /// <summary>Skips a damaged frame, or everything up to the next entry of the footer's index. Returns false if nothing follows.</summary>
    public bool TryPassOver()
    {
        if (_scanner.TryPassOver(ReadTo + 1))
        {
            return true;
        }

        (long offset, uint chain) = (_scanner.Offset, _scanner.Chain);
        foreach (IndexEntry entry in _info.Index)
        {
            if (entry.Offset > offset && TryMoveTo(entry))
            {
                return true;
            }
        }

        _scanner.MoveTo(offset, chain);
        return false;
    }

    /// <summary>
    /// Moves to the last frame in the index that is not after a record, or to the first frame if there is no valid entry for it.
    /// </summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="known">The entry of the writer's index, for a segment without a footer; null if it is not known.</param>
    public void MoveNear(long sequence, IndexEntry? known = null)
    {
        if (EntryFor(sequence, known) is { } entry && TryMoveTo(entry))
        {
            (_entry, ReadTo) = (entry, entry.Sequence - 1);
        }
        else
        {
            GoToFirst();
        }
    }

    /// <summary>Reads a record that is in the file.</summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="end">The sequence number after the last record that is written.</param>
    /// <param name="known">An entry of the writer's index for the record; null if it has none.</param>
    /// <param name="record">The record.</param>
    /// <returns>False if the append of the record failed.</returns>
    /// <exception cref="SluiceLogDamagedException">The record is not where it should be.</exception>
    public bool TryRead(long sequence, long end, IndexEntry? known, out SluiceLogRecord record)
    {
        if (sequence >= _end)
        {
            DiscardBuffer();
            _end = end;
        }

        if (sequence < _frame.FirstSequence || sequence > _frame.LastSequence)
        {
            _ = ReadFrameOf(sequence, known);
        }

        int offset = 0;
        for (long at = _frame.FirstSequence; ; at++)
        {
            if (!LogLayout.TryReadRecord(Payload, ref offset, out ReadOnlySpan<byte> bytes, out bool isWithdrawn))
            {
                throw new SluiceLogDamagedException(Path, FrameOffset, at, LogErrors.RecordTooLong);
            }

            if (at == sequence)
            {
                record = isWithdrawn ? default : new SluiceLogRecord(sequence, LogLayout.ToTime(_frame.Time), bytes.ToArray());
                return !isWithdrawn;
            }
        }
    }

    public void Dispose() => _file.Dispose();

    /// <summary>Reads the frame of a record that is in the file.</summary>
    /// <exception cref="SluiceLogDamagedException">The record is not where it should be.</exception>
    public FrameHeader ReadFrameOf(long sequence, IndexEntry? known)
    {
        _frame = default;
        if (sequence <= ReadTo || EntryFor(sequence, known)?.Sequence > ReadTo + 1)
        {
            MoveNear(sequence, known);
        }

        FrameHeader frame;
        do
        {
            long next = ReadTo + 1;
            FrameResult result = TryNext(out frame);
            if (result != FrameResult.Good || frame.Kind != FrameKind.Records || frame.FirstSequence != next)
            {
                throw new SluiceLogDamagedException(
                    Path, FrameOffset, next, result == FrameResult.Bad ? _scanner.Reason : "the frame of the record is missing");
            }
        }
        while (ReadTo < sequence);
        _frame = frame;
        return frame;
    }

    private IndexEntry? EntryFor(long sequence, IndexEntry? known)
    {
        int index = Array.FindLastIndex(_info.Index, e => e.Sequence <= sequence);
        return index >= 0 ? _info.Index[index] : known;
    }

    private void GoToFirst()
    {
        _scanner.MoveTo(_info.FirstOffset, _info.FirstChain);
        (_entry, ReadTo) = (null, FirstSequence - 1);
    }

    /// <summary>
    /// Moves to the frame of an index entry. Returns false if the frame is not the one of the entry, which no preceding frame confirms.
    /// </summary>
    private bool TryMoveTo(in IndexEntry entry)
    {
        if (entry.Offset < _info.FirstOffset || entry.Offset >= _file.Length)
        {
            return false;
        }

        _scanner.MoveTo(entry.Offset, entry.Chain);
        bool isThere = _scanner.TryNext(out FrameHeader frame, out _) == FrameResult.Good
            && frame.Kind == FrameKind.Records
            && (frame.FirstSequence, frame.Time) == (entry.Sequence, entry.Time);
        _scanner.MoveTo(entry.Offset, entry.Chain);
        return isThere;
    }
}
