using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Sluice.Sequential;

/// <summary>
/// Turns bytes of any encoding, in pieces of any length, into lines that end with LF, CR or CR LF, as
/// <see cref="StreamReader.ReadLine"/> does. Not thread-safe.
/// </summary>
/// <param name="path">The file, for messages.</param>
/// <param name="encoding">The encoding, unless a byte order mark says otherwise.</param>
/// <param name="isAtStart">True if the bytes begin the file; elsewhere the bytes of a mark are text.</param>
/// <param name="maxChars">The longest line.</param>
internal sealed class LineDecoder(
    string path, Encoding encoding, bool isAtStart = true, int maxChars = LineDecoder.MaxLineChars) : IDisposable
{
    /// <summary>The longest string that .NET has.</summary>
    public const int MaxLineChars = 0x3FFFFFDF;

    /// <summary>The first bytes of the file, as long as they are too few to hold a byte order mark.</summary>
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

    /// <summary>Adds the next bytes of the file. All lines of the bytes before have been taken.</summary>
    /// <param name="bytes">The bytes; they are not used after this method returns.</param>
    /// <param name="isLast">Whether the file ends with them.</param>
    /// <exception cref="IOException">A line is longer than the longest string.</exception>
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
            // StreamReader flushes in a call of its own, too: some decoders lose a part of an incomplete character otherwise.
            MakeRoom(_decoder.GetCharCount([], flush: true));
            _end += _decoder.GetChars([], _chars.AsSpan(_end), flush: true);
            HasEnded = true;
        }
    }

    /// <summary>The next whole line, without its end; false when more bytes are needed or nothing is left.</summary>
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

            // The other half of \r\n may only come with the next bytes.
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
            // Room for as much again, so that a long line is not copied for each of its pieces.
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
