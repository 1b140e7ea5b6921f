using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Sluice.Sequential;

/// <summary>
/// Decodes bytes of any encoding, in pieces of any length, to lines that end with LF, CR or CR LF, as <see cref="StreamReader.ReadLine"/>
/// does. Not thread-safe.
/// </summary>
/// <param name="path">The path of the file, for messages.</param>
/// <param name="encoding">The encoding, unless there is a byte order mark.</param>
/// <param name="isAtStart">True if the bytes begin at the start of the file. Elsewhere, a byte order mark is text.</param>
/// <param name="maxChars">The maximum length of a line.</param>
internal sealed class LineDecoder(
    string path, Encoding encoding, bool isAtStart = true, int maxChars = LineDecoder.MaxLineChars) : IDisposable
{
    /// <summary>The maximum length of a string in .NET.</summary>
    public const int MaxLineChars = 0x3FFFFFDF;

    /// <summary>The first bytes of the file, until there are enough to detect a byte order mark.</summary>
    private byte[] _head = [];
    private char[] _chars = [];
    private int _start;
    private int _searched;
    private int _end;
    private Encoding _encoding = encoding;
    private Decoder? _decoder;
    private bool _skipsLineFeed;

    /// <summary>Gets a value that indicates whether the last bytes of the file have been added.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Adds the next bytes of the file. All lines of earlier bytes must have been taken.</summary>
    /// <param name="bytes">The bytes. They are not used after this method returns.</param>
    /// <param name="isLast">True if the file ends after these bytes.</param>
    /// <exception cref="IOException">A line exceeds the maximum length of a string.</exception>
    public void Add(ReadOnlySpan<byte> bytes, bool isLast)
    {
        if (_decoder is null)
        {
            int markBytes = 0;
            if (isAtStart)
            {
                if (_head.Length > 0 || bytes.Length < TextStart.MaxBytes)
                {
                    bytes = _head = [.. _head, .. bytes];
                }

                if (bytes.Length < TextStart.MaxBytes && !isLast)
                {
                    return;
                }

                _encoding = TextStart.Detect(bytes, _encoding, out markBytes);
            }

            _decoder = _encoding.GetDecoder();
            bytes = bytes[markBytes..];
        }

        MakeRoom(_encoding.GetMaxCharCount(bytes.Length));
        _end += _decoder.GetChars(bytes, _chars.AsSpan(_end), flush: false);
        if (isLast)
        {
            // Flushes in a separate call, as StreamReader does: some decoders would lose a part of an incomplete character otherwise.
            MakeRoom(_decoder.GetCharCount([], flush: true));
            _end += _decoder.GetChars([], _chars.AsSpan(_end), flush: true);
            HasEnded = true;
        }
    }

    /// <summary>Returns the next line without its line ending, or false if more bytes are needed or no line is left.</summary>
    public bool TryTake([NotNullWhen(true)] out string? line)
    {
        line = null;
        if (_skipsLineFeed && _start < _end)
        {
            _start += _chars[_start] == '\n' ? 1 : 0;
            _skipsLineFeed = false;
        }

        _searched = Math.Max(_searched, _start);
        int found = _chars.AsSpan(_searched, _end - _searched).IndexOfAny('\r', '\n');
        if (found >= 0)
        {
            int at = _searched + found;
            line = Take(at);

            // The LF of a CR LF may be in the next bytes.
            _skipsLineFeed = _chars[at] == '\r';
            _start = at + 1;
            return true;
        }

        _searched = _end;
        if (!HasEnded || _start == _end)
        {
            return false;
        }

        line = Take(_end);
        _start = _end;
        return true;
    }

    public void Dispose()
    {
        if (_chars.Length > 0)
        {
            ArrayPool<char>.Shared.Return(_chars);
            _chars = [];
        }
    }

    private string Take(int end) =>
        end - _start <= maxChars ? new string(_chars, _start, end - _start) : throw LineCarry.TooLong(path, maxChars, "characters");

    private void MakeRoom(int count)
    {
        int kept = _end - _start;
        if (_chars.Length - _end >= count)
        {
            return;
        }

        char[] target = _chars;
        if ((long)kept + count > _chars.Length)
        {
            // Doubles the buffer, so that a long line is not copied for each piece.
            long room = Math.Min(Math.Max((long)kept + count, kept * 2L), maxChars + (long)count);
            target = kept <= maxChars && room <= Array.MaxLength
                ? ArrayPool<char>.Shared.Rent((int)room)
                : throw LineCarry.TooLong(path, maxChars, "characters");
        }

        _chars.AsSpan(_start, kept).CopyTo(target);
        if (target != _chars)
        {
            Dispose();
            _chars = target;
        }

        _searched -= _start;
        _start = 0;
        _end = kept;
    }
}
