using System.Buffers;
using System.Text;

namespace Sluice.Files;

/// <summary>
/// Turns bytes that arrive in pieces into lines ended by \n, \r or \r\n, as <see cref="StreamReader.ReadLine"/> does. Not thread-safe.
/// </summary>
internal sealed class LineDecoder(Encoding asked) : IDisposable
{
    private char[] _chars = [];
    private int _start;
    private int _end;
    private Encoding _encoding = asked;
    private Decoder? _decoder;
    private bool _skipsLineFeed;
    private bool _ended;

    /// <summary>Adds the next bytes of the file; the first piece holds at least four of them, or all.</summary>
    /// <param name="bytes">What was read.</param>
    /// <param name="isLast">Whether the file ends with them.</param>
    public void Add(ReadOnlySpan<byte> bytes, bool isLast)
    {
        if (_decoder is null)
        {
            _encoding = TextStart.Detect(bytes, _encoding, out int markBytes);
            _decoder = _encoding.GetDecoder();
            bytes = bytes[markBytes..];
        }

        MakeRoom(_encoding.GetMaxCharCount(bytes.Length));
        _end += _decoder.GetChars(bytes, _chars.AsSpan(_end), isLast);
        _ended = isLast;
    }

    /// <summary>The next whole line, without its end; false when more bytes are needed or nothing is left.</summary>
    public bool TryTake(out string line)
    {
        line = "";
        if (_skipsLineFeed && _start < _end)
        {
            _start += _chars[_start] == '\n' ? 1 : 0;
            _skipsLineFeed = false;
        }

        ReadOnlySpan<char> rest = _chars.AsSpan(_start, _end - _start);
        int length = rest.IndexOfAny('\r', '\n');
        if (length < 0)
        {
            if (!_ended || rest.IsEmpty)
            {
                return false;
            }

            line = new string(rest);
            _start = _end;
            return true;
        }

        line = new string(rest[..length]);

        // The other half of \r\n may only come with the next bytes.
        _skipsLineFeed = rest[length] == '\r';
        _start += length + 1;
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

    private void MakeRoom(int count)
    {
        int kept = _end - _start;
        if (_chars.Length - _end >= count)
        {
            return;
        }

        char[] target = _chars;
        if (kept + count > _chars.Length)
        {
            target = ArrayPool<char>.Shared.Rent(kept + count);
        }

        _chars.AsSpan(_start, kept).CopyTo(target);
        if (target != _chars)
        {
            Dispose();
            _chars = target;
        }

        _start = 0;
        _end = kept;
    }
}
