using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Text.Unicode;

namespace Sluice.Sequential;

/// <summary>
/// Turns text into bytes for a writer, into whatever room the writer has. It keeps what text may leave behind at the end of a call: a high
/// surrogate whose other half may follow, the state of the encoding, and bytes of a character for which there was no room.
/// </summary>
/// <remarks>
/// Text is encoded by an <see cref="Encoder"/>, by <see cref="Encoder.GetBytes(ReadOnlySpan{char}, Span{byte}, bool)"/> alone, as StreamWriter
/// does; UTF-8 that replaces invalid text is transcoded without one as long as the room is large enough. An encoding is code of the user's:
/// when it throws, the call has taken nothing and put nothing, and every later text throws the same exception, since the file may be in a
/// shifted state that a new encoder does not know.
/// </remarks>
internal sealed class TextEncoder
{
#if DEBUG
    private const int PieceUnits = 16;
#else
    /// <summary>The most UTF-16 units that an <see cref="Encoder"/> is given at a time; small in Debug builds.</summary>
    private const int PieceUnits = 1024;
#endif

    /// <summary>The most bytes that a UTF-16 unit becomes in UTF-8. A lone surrogate becomes three, as U+FFFD.</summary>
    private const long MaxUtf8Bytes = 3;

    private readonly Encoding _encoding;
    private readonly bool _isUtf8;

    /// <summary>The line terminator in UTF-8.</summary>
    private readonly byte[] _utf8NewLine = [];
    private readonly byte[] _bytes;
    private Encoder? _encoder;
    private ExceptionDispatchInfo? _failure;

    /// <summary>The encoder may keep something of the text.</summary>
    private bool _isEncoderUsed;

    // Bytes that belong in front of everything else.
    private int _carryStart;
    private int _carryEnd;

    /// <param name="encoding">The encoding.</param>
    /// <param name="newLine">What ends a line.</param>
    /// <param name="isAtStart">Whether the text begins the file, so that the encoding's preamble is put first.</param>
    public TextEncoder(Encoding encoding, string newLine, bool isAtStart)
    {
        _encoding = encoding;
        _isUtf8 = IsReplacingUtf8(encoding) && !newLine.AsSpan().ContainsAnyInRange('\uD800', '\uDFFF');
        _utf8NewLine = _isUtf8 ? Encoding.UTF8.GetBytes(newLine) : [];
        ReadOnlySpan<byte> preamble = isAtStart ? encoding.Preamble : default;
        _bytes = new byte[Math.Max(encoding.GetMaxByteCount(PieceUnits), preamble.Length)];
        preamble.CopyTo(_bytes);
        _carryEnd = preamble.Length;
    }

    /// <summary>Whether there are bytes that must be put before anything else.</summary>
    public bool HasCarry => _carryStart < _carryEnd;

    /// <summary>Whether something of earlier text may still become bytes, which <see cref="Put"/> with isLast puts.</summary>
    public bool IsPending => HasCarry || _isEncoderUsed;

    /// <summary>
    /// Puts all of a text, and the end of a line if asked for. Returns false and changes nothing if the room may be too small, or the text is
    /// not to be transcoded at once.
    /// </summary>
    /// <param name="written">Bytes that were put into <paramref name="room"/>.</param>
    public bool TryPutWhole(ReadOnlySpan<char> text, bool isLine, Span<byte> room, out int written)
    {
        written = 0;
        if (!_isUtf8 || IsPending || room.Length - (isLine ? _utf8NewLine.Length : 0) < MaxUtf8Bytes * text.Length
            || Utf8.FromUtf16(text, room, out _, out written, replaceInvalidSequences: true, isFinalBlock: isLine) != OperationStatus.Done)
        {
            // A text that ends with the first half of a pair, if it is not too long, is the encoder's, which keeps that.
            return false;
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

        ReadOnlySpan<char> piece = text[..Math.Min(text.Length, PieceUnits)];
        if (piece.Length < text.Length && char.IsHighSurrogate(piece[^1]))
        {
            // A call that is canceled behind this piece has not written half of a character.
            piece = piece[..^1];
        }

        bool flush = isLast && piece.Length == text.Length;
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

        (_carryStart, _carryEnd) = (0, count);
        return PutCarry(room);
    }

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

            // UTF-8 keeps nothing but the first half of a pair.
            _isEncoderUsed = !flush && (!_isUtf8 || char.IsHighSurrogate(text[^1]));
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
