using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Text.Unicode;

namespace Sluice.Sequential;

/// <summary>
/// Encodes text into the space that a writer provides. Stores what a call may leave behind: a high surrogate, the state of the encoding,
/// and bytes of a character that did not fit.
/// </summary>
/// <remarks>
/// Text is encoded only with <see cref="Encoder.GetBytes(ReadOnlySpan{char}, Span{byte}, bool)"/>, as in StreamWriter. Valid text is
/// transcoded to UTF-8 directly if there is enough space. An encoding is user code: if it throws, the call has consumed and produced
/// nothing, and every later text throws the same exception, because the file may be in a shift state that a new encoder does not know.
/// </remarks>
internal sealed class TextEncoder
{
#if DEBUG
    private const int PieceUnits = 16;
#else
    /// <summary>
    /// The maximum number of UTF-16 code units that are passed to an <see cref="Encoder"/> at once. Small in Debug builds.
    /// </summary>
    private const int PieceUnits = 1024;
#endif

    /// <summary>The maximum number of bytes of a UTF-16 code unit in UTF-8.</summary>
    private const long MaxUtf8Bytes = 3;

    private readonly Encoding _encoding;
    private readonly bool _isUtf8;

    /// <summary>The line terminator in UTF-8.</summary>
    private readonly byte[] _utf8NewLine = [];
    private readonly byte[] _bytes;
    private Encoder? _encoder;
    private ExceptionDispatchInfo? _failure;

    /// <summary>True if the encoder may have stored a part of the text.</summary>
    private bool _isEncoderUsed;

    // The bytes to be written before all others.
    private int _carryStart;
    private int _carryEnd;

    /// <param name="encoding">The encoding.</param>
    /// <param name="newLine">The line terminator.</param>
    /// <param name="isAtStart">True if the text is at the start of the file, so that the preamble of the encoding is written first.</param>
    public TextEncoder(Encoding encoding, string newLine, bool isAtStart)
    {
        _encoding = encoding;
        _isUtf8 = IsUtf8(encoding) && !newLine.AsSpan().ContainsAnyInRange('\uD800', '\uDFFF');
        _utf8NewLine = _isUtf8 ? Encoding.UTF8.GetBytes(newLine) : [];
        ReadOnlySpan<byte> preamble = isAtStart ? encoding.Preamble : default;
        _bytes = new byte[Math.Max(encoding.GetMaxByteCount(PieceUnits), preamble.Length)];
        preamble.CopyTo(_bytes);
        _carryEnd = preamble.Length;
    }

    /// <summary>Gets a value that indicates whether there are bytes that must be written first.</summary>
    public bool HasCarry => _carryStart < _carryEnd;

    /// <summary>
    /// Gets a value that indicates whether earlier text may still produce bytes, which <see cref="Put"/> returns if isLast is true.
    /// </summary>
    public bool IsPending => HasCarry || _isEncoderUsed;

    /// <summary>
    /// Encodes all of a text and optionally the line terminator. Returns false and changes nothing if the space may be too small or the
    /// text cannot be transcoded directly.
    /// </summary>
    /// <param name="written">The number of bytes written to <paramref name="room"/>.</param>
    public bool TryPutWhole(ReadOnlySpan<char> text, bool isLine, Span<byte> room, out int written)
    {
        written = 0;
        if (!_isUtf8 || IsPending || _failure is not null || room.Length - (isLine ? _utf8NewLine.Length : 0) < MaxUtf8Bytes * text.Length
            || Utf8.FromUtf16(text, room, out _, out written, replaceInvalidSequences: false) != OperationStatus.Done)
        {
            // Invalid text is up to the fallback of the encoding, and a high surrogate at the end may be the first half of a character.
            return false;
        }

        if (isLine)
        {
            _utf8NewLine.CopyTo(room[written..]);
            written += _utf8NewLine.Length;
        }

        return true;
    }

    /// <summary>
    /// Performs one step, which writes bytes, consumes text, or both. The caller repeats it until no text and no carry are left.
    /// </summary>
    /// <param name="text">The rest of the text.</param>
    /// <param name="room">The space for the bytes. It is not empty.</param>
    /// <param name="isLast">True if no text follows, so that stored text is flushed.</param>
    /// <param name="taken">The number of consumed code units.</param>
    /// <returns>The number of bytes written to <paramref name="room"/>.</returns>
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
            // Does not split a surrogate pair, so that a call that is canceled after this piece has not written half of a character.
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

    /// <summary>Returns true for the UTF-8 encoding of .NET, and false for a class of the caller.</summary>
    private static bool IsUtf8(Encoding encoding) =>
        encoding is UTF8Encoding && encoding.GetType().Assembly == typeof(UTF8Encoding).Assembly;

    private int PutCarry(Span<byte> room)
    {
        int count = Math.Min(_carryEnd - _carryStart, room.Length);
        _bytes.AsSpan(_carryStart, count).CopyTo(room);
        _carryStart += count;
        return count;
    }

    /// <summary>Calls the encoder. Returns the number of bytes. An exception or an impossible result is final.</summary>
    private int Encode(ReadOnlySpan<char> text, Span<byte> bytes, bool flush)
    {
        _failure?.Throw();
        try
        {
            _encoder ??= _encoding.GetEncoder();
            int count = _encoder.GetBytes(text, bytes, flush);
            if ((uint)count > (uint)bytes.Length)
            {
                throw new InvalidOperationException($"The encoding produced {count} bytes for a span of {bytes.Length}.");
            }

            // An encoder for UTF-8 stores only a high surrogate.
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
