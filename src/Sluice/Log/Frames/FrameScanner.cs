using Sluice.Log.Folders;

namespace Sluice.Log.Frames;

/// <summary>The result of <see cref="FrameScanner.TryNext"/>.</summary>
internal enum FrameResult
{
    /// <summary>A frame with a valid checksum.</summary>
    Good,

    /// <summary>Zeros, or the end of the file at the end of a frame.</summary>
    Zeros,

    /// <summary>Bytes that are not the next frame of this segment.</summary>
    Bad,
}

/// <summary>
/// Reads the frames of one segment and checks that the checksum of each continues that of the one before. A length is accepted only if the
/// segment's header allows it and the file has that many bytes. Not thread-safe.
/// </summary>
internal sealed class FrameScanner
{
    /// <summary>The size of the buffer of a scanner for many frames.</summary>
    public const int ManyBytes = 1024 * 1024;

    private const int FewBytes = 4096;
    private const int FrameAlignment = 8;
    private const int EnoughZeros = 64 * 1024;

    /// <summary>
    /// The maximum number of bytes of which a search for a frame computes checksums: the content of a damaged frame may look like many
    /// frames.
    /// </summary>
    private const long MaxSearchedBytes = 16L << 30;

    private readonly SluiceHandle _file;
    private readonly int _maxFrameBytes;
    private byte[] _buffer;
    private long _bufferAt;
    private int _buffered;
    private int _payloadAt;
    private int _payloadLength;
    private long _searchedBytes;

    /// <param name="file">The segment.</param>
    /// <param name="maxFrameBytes">The maximum size of a frame according to the segment's header.</param>
    /// <param name="offset">The offset of the first frame.</param>
    /// <param name="chain">The checksum that the first frame continues.</param>
    /// <param name="bufferBytes">The size of the buffer, unless the file is smaller. A larger frame makes the buffer grow.</param>
    /// <param name="isLive">True if the file may be written meanwhile.</param>
    public FrameScanner(
        SluiceHandle file, int maxFrameBytes, long offset, uint chain, int bufferBytes = FewBytes, bool isLive = false)
    {
        _file = file;
        _maxFrameBytes = maxFrameBytes;
        IsLive = isLive;
        _buffer = GC.AllocateUninitializedArray<byte>(
            bufferBytes > FewBytes ? (int)Math.Clamp(file.Length, FewBytes, bufferBytes) : FewBytes);
        (Offset, Chain) = (offset, chain);
    }

    /// <summary>Gets or sets a value that indicates whether the file may be written meanwhile.</summary>
    public bool IsLive { get; set; }

    /// <summary>The offset of the next frame.</summary>
    public long Offset { get; private set; }

    /// <summary>The checksum that the next frame continues.</summary>
    public uint Chain { get; private set; }

    /// <summary>The reason why the last result was <see cref="FrameResult.Bad"/>.</summary>
    public string Reason { get; private set; } = "";

    /// <summary>The payload of the last good frame. It is valid until the next call of any member.</summary>
    public ReadOnlySpan<byte> Payload => _buffer.AsSpan(_payloadAt, _payloadLength);

    /// <summary>The number of times that bytes were read from the file.</summary>
    public int Fills { get; private set; }

    /// <summary>Discards buffered bytes, because another process may have written there since.</summary>
    public void DiscardBuffer() => _buffered = 0;

    /// <summary>Moves to another frame of the same segment.</summary>
    public void MoveTo(long offset, uint chain) => (Offset, Chain) = (offset, chain);

    /// <summary>Reads the next frame. The payload is valid until the next call. <see cref="Offset"/> moves to the end of a good frame.</summary>
    public FrameResult TryNext(out FrameHeader header, out ReadOnlySpan<byte> payload)
    {
        FrameResult result = Peek(out header, out ReadOnlySpan<byte> frame);
        while (IsLive && result == FrameResult.Good && !Has(Offset, header.Crc))
        {
            // A failed write is overwritten from its start. A buffer that was read partly before and partly after that can look like a
            // valid frame.
            DiscardBuffer();
            result = Peek(out header, out frame);
        }

        payload = default;
        if (result == FrameResult.Good)
        {
            payload = frame.Slice(LogLayout.FrameHeaderBytes, header.Length);
            (_payloadAt, _payloadLength) = ((int)(Offset - _bufferAt) + LogLayout.FrameHeaderBytes, header.Length);
            Offset += header.FrameBytes;
            Chain = header.Crc;
        }

        return result;
    }

    /// <summary>Reads the frame header at an offset again. Returns true if it has the specified checksum.</summary>
    public bool Has(long offset, uint crc)
    {
        Span<byte> header = stackalloc byte[LogLayout.FrameHeaderBytes];
        return _file.Read(header, offset) == header.Length && LogLayout.ReadFrameHeader(header).Crc == crc;
    }

    /// <summary>Counts the bytes of a file from an offset up to the last one that is not zero. Reserved space is not read.</summary>
    public static long CountTailBytes(SluiceHandle file, long offset)
    {
        byte[] buffer = GC.AllocateUninitializedArray<byte>((int)Math.Clamp(file.Length - offset, FewBytes, ManyBytes));
        long last = offset;
        foreach ((long from, long to) in LogFile.ListData(file, offset))
        {
            int read;
            for (long at = from; at < to && (read = file.Read(buffer.AsSpan(0, (int)Math.Min(buffer.Length, to - at)), at)) > 0; at += read)
            {
                int index = buffer.AsSpan(0, read).LastIndexOfAnyExcept((byte)0);
                last = index < 0 ? last : at + index + 1;
            }
        }

        return last - offset;
    }

    /// <summary>Returns true if only zeros follow the position in the buffer, and enough of them are buffered or the file ends there.</summary>
    public bool HasOnlyZerosBuffered()
    {
        long from = Offset - _bufferAt;
        if (from < 0 || from > _buffered)
        {
            return false;
        }

        ReadOnlySpan<byte> rest = _buffer.AsSpan((int)from, _buffered - (int)from);
        return !rest.ContainsAnyExcept((byte)0) && (rest.Length >= EnoughZeros || Offset + rest.Length >= _file.Length);
    }

    /// <summary>
    /// Returns true if the file contains a complete frame after <see cref="Offset"/>, where no good frame is, or if the search ended at
    /// <see cref="MaxSearchedBytes"/>.
    /// </summary>
    /// <param name="firstSequence">The sequence number after the last good record; 0 if unknown.</param>
    /// <param name="readsOn">True to search the rest of the file; false to search no further than the maximum size of a frame.</param>
    public bool HasFrameAfter(long firstSequence, bool readsOn = true)
    {
        (long offset, uint chain) = (Offset, Chain);
        bool found = TryPassOver(firstSequence, readsOn) || _searchedBytes >= MaxSearchedBytes;
        (Offset, Chain) = (offset, chain);
        return found;
    }

    /// <summary>Moves from a bad frame, or from zeros, to the next complete frame.</summary>
    /// <remarks>
    /// The checksum of a frame continues the checksum of the frame before it. A frame is found by the bad frame's length, by the checksum
    /// in its header or that of its content, or because it is followed by a frame that continues its own checksum.
    /// </remarks>
    /// <param name="firstSequence">The sequence number after the last good record; 0 if unknown.</param>
    /// <param name="readsOn">True to search the rest of the file; false to search no further than the maximum size of a frame.</param>
    /// <returns>False if there is no such frame; the position then does not change.</returns>
    public bool TryPassOver(long firstSequence, bool readsOn = true)
    {
        (long bad, uint chain) = (Offset, Chain);
        _searchedBytes = 0;
        ReadOnlySpan<byte> start = Fill(bad, LogLayout.FrameHeaderBytes);
        if (start.Length < LogLayout.FrameHeaderBytes)
        {
            return false;
        }

        FrameHeader header = LogLayout.ReadFrameHeader(start);
        bool isPossible = WhyImpossible(header) is null;
        if (isPossible)
        {
            ReadOnlySpan<byte> frame = Fill(bad, header.FrameBytes);
            uint computed = frame.Length == header.FrameBytes ? LogLayout.SumOf(frame, chain) : header.Crc;
            if (IsFrameAt(bad + header.FrameBytes, header.Crc, firstSequence)
                || IsFrameAt(bad + header.FrameBytes, computed, firstSequence))
            {
                return true;
            }
        }

        // A caller's record can imitate frames that continue one another, but not the checksum of the bad frame that contains it.
        long bytesOfFrame = isPossible ? header.FrameBytes : FrameAlignment;
        long at = bad + FrameAlignment;
        long end = readsOn ? long.MaxValue : bad + _maxFrameBytes;
        for (ReadOnlySpan<byte> next; at <= end && (next = Fill(at, LogLayout.FrameHeaderBytes)).Length == LogLayout.FrameHeaderBytes;)
        {
            if (!next.ContainsAnyExcept((byte)0))
            {
                at = SkipZeros(at);
                continue;
            }

            // The number of records cannot exceed the number of bytes.
            FrameHeader candidate = LogLayout.ReadFrameHeader(next);
            Offset = at;
            if (candidate.Kind is FrameKind.Records or FrameKind.Footer
                && candidate.FirstSequence >= firstSequence
                && (firstSequence == 0 || candidate.FirstSequence <= firstSequence + ((at - bad) / LogLayout.RecordHeaderBytes))
                && WhyImpossible(candidate) is null
                && _searchedBytes < MaxSearchedBytes
                && (IsFrameAt(at, header.Crc, firstSequence)
                    || (at >= bad + bytesOfFrame && candidate.Kind == FrameKind.Records && IsFrameAt(at, candidate, firstSequence))))
            {
                return true;
            }

            at += FrameAlignment;
        }

        (Offset, Chain) = (bad, chain);
        return false;
    }

    /// <summary>Moves to the end of a frame of records. Returns true if the next frame continues it.</summary>
    private bool IsFrameAt(long offset, in FrameHeader frame, long firstSequence) =>
        frame.LastSequence >= firstSequence && IsFrameAt(offset + frame.FrameBytes, frame.Crc, frame.LastSequence + 1);

    /// <summary>Moves to an offset. Returns true if a complete frame of records or a footer is there.</summary>
    private bool IsFrameAt(long offset, uint chain, long firstSequence)
    {
        (Offset, Chain) = (offset, chain);
        return Peek(out FrameHeader header, out _) == FrameResult.Good
            && header.Kind != FrameKind.Opening
            && header.FirstSequence >= firstSequence;
    }

    /// <summary>Returns the offset of the first aligned position with a byte that is not zero, or the end of what is buffered.</summary>
    private long SkipZeros(long offset)
    {
        ReadOnlySpan<byte> buffered = _buffer.AsSpan((int)(offset - _bufferAt), _buffered - (int)(offset - _bufferAt));
        int zeros = buffered.IndexOfAnyExcept((byte)0);
        return offset + ((zeros < 0 ? buffered.Length : zeros) & ~(FrameAlignment - 1));
    }

    private FrameResult Peek(out FrameHeader header, out ReadOnlySpan<byte> frame)
    {
        header = default;
        frame = default;
        ReadOnlySpan<byte> start = Fill(Offset, LogLayout.FrameHeaderBytes);
        if (!start.ContainsAnyExcept((byte)0))
        {
            return FrameResult.Zeros;
        }

        if (start.Length < LogLayout.FrameHeaderBytes)
        {
            return Bad("the file ends inside a frame's header");
        }

        header = LogLayout.ReadFrameHeader(start);
        if (WhyImpossible(header) is { } reason)
        {
            return Bad(reason);
        }

        frame = Fill(Offset, header.FrameBytes);
        if (frame.Length < header.FrameBytes)
        {
            return Bad("the file ends inside a frame");
        }

        _searchedBytes += frame.Length;
        return LogLayout.SumOf(frame, Chain) == header.Crc ? FrameResult.Good : Bad("a frame's sum is wrong");
    }

    private string? WhyImpossible(in FrameHeader header) =>
        header.Length <= 0
        || header.Length > (header.Kind == FrameKind.Footer ? LogLayout.MaxFooterBytes(Offset) : _maxFrameBytes - LogLayout.FrameHeaderBytes)
            ? "a frame's length is none that this segment may have"
            : header.Kind is < FrameKind.Opening or > FrameKind.Footer ? "a frame's kind is unknown"
            : header.Count < 0 || header.FirstSequence < 0 ? "a frame's numbers are negative"
            : WhyTooLong(header);

    /// <summary>
    /// Returns the reason why a frame is too long for the file; null if it is not. No memory is allocated for bytes that the file does not
    /// have.
    /// </summary>
    private string? WhyTooLong(in FrameHeader header) =>
        header.FrameBytes > _buffer.Length && Offset + header.FrameBytes > _file.Length
            ? "a frame's length is more than the file has left" : null;

    private FrameResult Bad(string reason)
    {
        Reason = reason;
        return FrameResult.Bad;
    }

    /// <summary>Returns the requested number of bytes at an offset, or as many as the file has.</summary>
    private ReadOnlySpan<byte> Fill(long offset, int bytes)
    {
        long distance = offset - _bufferAt;
        int skip = distance >= 0 && distance < _buffered ? (int)distance : _buffered;
        if (bytes <= _buffered - skip)
        {
            return _buffer.AsSpan(skip, bytes);
        }

        // Buffered bytes are kept, so that a block is read once.
        int kept = _buffered - skip;
        byte[] old = _buffer;
        if (_buffer.Length < bytes)
        {
            _buffer = GC.AllocateUninitializedArray<byte>(bytes);
        }

        if (kept > 0)
        {
            old.AsSpan(skip, kept).CopyTo(_buffer);
        }

        Fills++;
        _bufferAt = offset;
        _buffered = kept;
        _buffered += _file.Read(_buffer.AsSpan(kept), offset + kept);
        return _buffer.AsSpan(0, Math.Min(bytes, _buffered));
    }
}
