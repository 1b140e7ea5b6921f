using System.Buffers;
using System.Diagnostics;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Text.Unicode;

namespace Sluice.Sequential;

/// <summary>
/// Turns text into bytes for a writer, into whatever room the writer has. It keeps what text may leave behind at the end of a call: a high
/// surrogate whose other half may follow, the state of the encoding, and bytes of a character for which there was no room.
/// </summary>
/// <remarks>
/// UTF-8 that replaces invalid text is transcoded straight into the room. Every other encoding is called through its
/// <see cref="Encoder"/>, by <see cref="Encoder.GetBytes(ReadOnlySpan{char}, Span{byte}, bool)"/> alone, as StreamWriter does. An encoding
/// is code of the user's: when it throws, the call has taken nothing and put nothing, and every later text throws the same exception, since
/// the file may be in a shifted state that a new encoder does not know.
/// </remarks>
internal sealed class TextEncoder
{
#if DEBUG
    private const int PieceUnits = 16;
#else
    /// <summary>The most UTF-16 units that an <see cref="Encoder"/> is given at a time; small in Debug builds.</summary>
    private static int PieceUnits => 1024;
#endif

    private readonly Encoding _encoding;
    private readonly bool _isUtf8;
    private readonly byte[] _bytes;
    private readonly string _newLine;

    /// <summary>The end of a line in UTF-8; empty where the encoder must be asked for it.</summary>
    private readonly byte[] _utf8NewLine = [];

    private Encoder? _encoder;
    private ExceptionDispatchInfo? _failure;

    /// <summary>The encoder has had text since it was last flushed.</summary>
    private bool _isEncoderUsed;

    /// <summary>The last unit of the text, where that is the first half of a pair; 0 otherwise. UTF-8 only.</summary>
    private char _high;

    // Bytes that belong in front of everything else.
    private int _carryStart;
    private int _carryEnd;

    /// <param name="encoding">The encoding.</param>
    /// <param name="newLine">What ends a line.</param>
    /// <param name="isAtStart">Whether the text begins the file, so that the encoding's preamble is put first.</param>
    public TextEncoder(Encoding encoding, string newLine, bool isAtStart)
    {
        _newLine = newLine;
        _encoding = encoding;
        _isUtf8 = IsReplacingUtf8(encoding);
        ReadOnlySpan<byte> preamble = isAtStart ? encoding.Preamble : default;
        long size = _isUtf8 ? MaxUtf8Bytes(2) : encoding.GetMaxByteCount(PieceUnits);
        _bytes = new byte[Math.Max(size, preamble.Length)];
        preamble.CopyTo(_bytes);
        _carryEnd = preamble.Length;
        if (_isUtf8 && !newLine.AsSpan().ContainsAnyInRange('\uD800', '\uDFFF'))
        {
            _utf8NewLine = Encoding.UTF8.GetBytes(newLine);
        }
    }

    /// <summary>Whether there are bytes that must be put before anything else.</summary>
    public bool HasCarry => _carryStart < _carryEnd;

    /// <summary>Whether something of earlier text may still become bytes, which <see cref="Put"/> with isLast puts.</summary>
    public bool IsPending => HasCarry || _high != 0 || _isEncoderUsed;

    /// <summary>
    /// Puts all of a text, and the end of a line if asked for. Returns false and changes nothing if the room may be too small.
    /// </summary>
    /// <param name="written">Bytes that were put into <paramref name="room"/>.</param>
    public bool TryPutWhole(ReadOnlySpan<char> text, bool isLine, Span<byte> room, out int written)
    {
        written = 0;
        if (HasCarry)
        {
            return false;
        }

        if (!_isUtf8)
        {
            return TryEncodeWhole(text, isLine, room, out written);
        }

        if (_high != 0 || (isLine && _utf8NewLine.Length == 0)
            || room.Length - (isLine ? _utf8NewLine.Length : 0) < MaxUtf8Bytes(text.Length))
        {
            return false;
        }

        OperationStatus status = Utf8.FromUtf16(
            text, room, out int taken, out written, replaceInvalidSequences: true, isFinalBlock: isLine);
        Debug.Assert(status != OperationStatus.DestinationTooSmall, "The room is as large as the text can become.");
        if (status == OperationStatus.NeedMoreData)
        {
            _high = text[taken];
        }

        if (isLine)
        {
            _utf8NewLine.CopyTo(room[written..]);
            written += _utf8NewLine.Length;
        }

        return true;
    }

    /// <summary>One step: puts bytes, or takes units, or both. The caller repeats it until there is no text left, and no carry.</summary>
    /// <param name="text">What is left of the text.</param>
    /// <param name="room">Where bytes go; not empty.</param>
    /// <param name="isLast">No text follows: what is kept becomes bytes.</param>
    /// <param name="taken">Units of <paramref name="text"/> that are done with.</param>
    /// <returns>Bytes that were put into <paramref name="room"/>.</returns>
    public int Put(ReadOnlySpan<char> text, Span<byte> room, bool isLast, out int taken)
    {
        taken = 0;
        if (HasCarry)
        {
            return PutCarry(room);
        }

        return _isUtf8 ? PutUtf8(text, room, isLast, out taken) : PutEncoded(text, room, isLast, out taken);
    }

    /// <summary>The most bytes that UTF-16 units become in UTF-8; a lone surrogate becomes three, as U+FFFD.</summary>
    private static long MaxUtf8Bytes(int units) => 3L * units;

    /// <summary>Whether this is .NET's own UTF-8 with the fallback that replaces invalid text by U+FFFD.</summary>
    private static bool IsReplacingUtf8(Encoding encoding) =>
        encoding is UTF8Encoding && encoding.GetType().Assembly == typeof(UTF8Encoding).Assembly
        && encoding.EncoderFallback is EncoderReplacementFallback { DefaultString: "\uFFFD" };

    private int PutCarry(Span<byte> room)
    {
        int count = Math.Min(_carryEnd - _carryStart, room.Length);
        _bytes.AsSpan(_carryStart, count).CopyTo(room);
        _carryStart += count;
        return count;
    }

    private void Carry(int count)
    {
        _carryStart = 0;
        _carryEnd = count;
    }

    private int PutUtf8(ReadOnlySpan<char> text, Span<byte> room, bool isLast, out int taken)
    {
        taken = 0;
        int count;
        if (_high != 0)
        {
            if (text.IsEmpty && !isLast)
            {
                return 0;
            }

            // A pair, or half of one, which is replaced.
            bool isPair = !text.IsEmpty && char.IsLowSurrogate(text[0]);
            ReadOnlySpan<char> units = isPair ? [_high, text[0]] : [_high];
            _ = Utf8.FromUtf16(units, _bytes, out _, out count, replaceInvalidSequences: true, isFinalBlock: true);
            taken = units.Length - 1;
            _high = '\0';
            Carry(count);
            return PutCarry(room);
        }

        OperationStatus status = Utf8.FromUtf16(
            text, room, out taken, out int written, replaceInvalidSequences: true, isFinalBlock: isLast);
        if (status == OperationStatus.NeedMoreData)
        {
            _high = text[taken];
            taken++;
        }
        else if (status == OperationStatus.DestinationTooSmall)
        {
            // The next character has more bytes than there is room: it goes on in the next block.
            ReadOnlySpan<char> next = text[taken..Math.Min(taken + 2, text.Length)];
            bool isEnd = isLast && taken + next.Length == text.Length;
            _ = Utf8.FromUtf16(next, _bytes, out int units, out count, replaceInvalidSequences: true, isFinalBlock: isEnd);
            if (units == 0)
            {
                _high = next[0];
                units = 1;
            }

            taken += units;
            Carry(count);
            written += PutCarry(room[written..]);
        }

        return written;
    }

    private bool TryEncodeWhole(ReadOnlySpan<char> text, bool isLine, Span<byte> room, out int written)
    {
        written = 0;
        if (Math.Max(text.Length, _newLine.Length) > PieceUnits || room.Length / 2 < _bytes.Length)
        {
            return false;
        }

        written = Encode(text, room[.._bytes.Length], flush: false);
        if (isLine)
        {
            written += Encode(_newLine, room[written..], flush: false);
        }

        return true;
    }

    private int PutEncoded(ReadOnlySpan<char> text, Span<byte> room, bool isLast, out int taken)
    {
        ReadOnlySpan<char> piece = text[..Math.Min(text.Length, PieceUnits)];
        if (piece.Length < text.Length && char.IsHighSurrogate(piece[^1]))
        {
            // A call that is canceled behind this piece has not written half of a character.
            piece = piece[..^1];
        }

        bool flush = isLast && piece.Length == text.Length;
        taken = 0;
        if (piece.IsEmpty && !(flush && _isEncoderUsed))
        {
            return 0;
        }

        bool isDirect = room.Length >= _bytes.Length;
        int count = Encode(piece, isDirect ? room : _bytes, flush);
        taken = piece.Length;
        if (isDirect)
        {
            return count;
        }

        Carry(count);
        return PutCarry(room);
    }

    /// <summary>Calls the encoder. If it throws or returns an impossible count, that is final.</summary>
    private int Encode(ReadOnlySpan<char> text, Span<byte> bytes, bool flush)
    {
        _failure?.Throw();
        try
        {
            _encoder ??= _encoding.GetEncoder();
            int count = _encoder.GetBytes(text, bytes, flush);
            if ((uint)count > (uint)bytes.Length)
            {
                throw new InvalidOperationException($"The encoding gave {count} bytes where there was room for {bytes.Length}.");
            }

            _isEncoderUsed = !flush;
            return count;
        }
        catch (Exception e)
        {
            _failure = ExceptionDispatchInfo.Capture(e);
            _isEncoderUsed = false;
            throw;
        }
    }
}
