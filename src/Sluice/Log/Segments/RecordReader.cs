using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>A segment from which the log itself reads single records that are written. Not thread-safe.</summary>
internal sealed class RecordReader : IDisposable
{
    private const int BufferBytes = 64 * 1024;

    private readonly SluiceHandle _file;
    private readonly SegmentInfo _info;
    private readonly FrameScanner _scanner;

    /// <summary>The frame whose payload the scanner has; it has no records at first.</summary>
    private FrameHeader _frame;

    /// <summary>The sequence number of the first record of the next frame.</summary>
    private long _next;

    /// <summary>The records before this one were written when the oldest bytes of the buffer were read.</summary>
    private long _end;

    /// <summary>Opens a segment.</summary>
    /// <param name="folder">The log's folder.</param>
    /// <param name="id">The segment's id.</param>
    /// <param name="version">The <see cref="RecordReaders"/>' version before the segment was opened.</param>
    /// <exception cref="IOException">The segment was removed, is damaged or cannot be read.</exception>
    public RecordReader(LogFolder folder, long id, int version)
    {
        _file = folder.OpenToRead(id);
        try
        {
            _info = SegmentInfo.Read(_file, id) is { HasBegun: true } info
                ? info : throw new SluiceLogDamagedException(_file.Path, LogLayout.HeaderBytes, 0, "it has no opening");
            _scanner = new FrameScanner(_file, _info.Header.MaxFrameBytes, _info.FirstOffset, _info.FirstChain, BufferBytes);
        }
        catch
        {
            LogFile.TryClose(_file);
            throw;
        }

        (_next, Version) = (_info.FirstSequence, version);
    }

    public long Id => _info.Id;

    public int Version { get; }

    /// <summary>Returns the last entry of the footer's index that does not follow a record; null if there is none.</summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="lastSequence">The last record of the segment: another footer is the content of a record.</param>
    public IndexEntry? EntryNear(long sequence, long lastSequence)
    {
        if (_info.LastSequence != lastSequence)
        {
            return null;
        }

        int index = Array.FindLastIndex(_info.Index, e => e.Sequence <= sequence);
        return index < 0 ? null : _info.Index[index];
    }

    /// <summary>Reads a record of the segment.</summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="end">The sequence number after the last record that is written.</param>
    /// <param name="entry">An entry of an index that does not follow the record; null to read from the first frame on.</param>
    /// <param name="record">The record.</param>
    /// <returns>False if the append of the record failed.</returns>
    /// <exception cref="SluiceLogDamagedException">The record is not where it should be.</exception>
    public bool TryRead(long sequence, long end, IndexEntry? entry, out SluiceLogRecord record)
    {
        if (sequence >= _end)
        {
            _scanner.DiscardBuffer();
            _end = end;
        }

        if (_frame.Count == 0 || sequence < _frame.FirstSequence || sequence > _frame.LastSequence)
        {
            MoveNear(sequence, entry);
            ReadFrameOf(sequence);
        }

        ReadOnlySpan<byte> rest = _scanner.Payload;
        for (long at = _frame.FirstSequence; ; at++)
        {
            uint header = rest.Length >= LogLayout.RecordHeaderBytes ? BinaryPrimitives.ReadUInt32LittleEndian(rest) : uint.MaxValue;
            int length = (int)(header & LogLayout.LengthMask);
            if (length > rest.Length - LogLayout.RecordHeaderBytes)
            {
                throw new SluiceLogDamagedException(
                    _file.Path, _scanner.Offset - _frame.FrameBytes, at, "a record is longer than its frame");
            }

            if (at == sequence)
            {
                bool isThere = header < LogLayout.Withdrawn;
                record = !isThere ? default : new SluiceLogRecord(
                    sequence, LogLayout.ToTime(_frame.Time), rest.Slice(LogLayout.RecordHeaderBytes, length).ToArray());
                return isThere;
            }

            rest = rest[(LogLayout.RecordHeaderBytes + length)..];
        }
    }

    public void Dispose() => LogFile.TryClose(_file);

    /// <summary>Moves near a record, unless the scanner is nearer to it.</summary>
    private void MoveNear(long sequence, IndexEntry? entry)
    {
        (long first, long offset, uint chain) = entry is { } at
            ? (at.Sequence, at.Offset, at.Chain) : (_info.FirstSequence, _info.FirstOffset, _info.FirstChain);
        if (sequence < _next || first > _next)
        {
            _scanner.MoveTo(offset, chain);
            _next = first;
        }
    }

    private void ReadFrameOf(long sequence)
    {
        _frame = default;
        FrameHeader frame;
        do
        {
            long offset = _scanner.Offset;
            FrameResult result = _scanner.TryNext(out frame, out _);
            if (result != FrameResult.Good || frame.Kind != FrameKind.Records || frame.FirstSequence != _next)
            {
                throw new SluiceLogDamagedException(
                    _file.Path, offset, _next, result == FrameResult.Bad ? _scanner.Reason : "the frame of the record is missing");
            }

            _next = frame.LastSequence + 1;
        }
        while (_next <= sequence);
        _frame = frame;
    }
}
