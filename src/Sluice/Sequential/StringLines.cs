using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Sluice.Sequential;

/// <summary>
/// Cuts blocks into lines of text: UTF-8, ASCII and Latin-1 are cut as bytes and each line decoded by itself; all other encodings are decoded
/// first. The encoding is found out as <see cref="StreamReader"/> does.
/// </summary>
internal sealed class StringLines(Encoding encoding)
{
    private const int MarkBytes = 4;

    private readonly byte[] _head = new byte[MarkBytes];
    private readonly LineCarry _carry = new();
    private Encoding _encoding = encoding;
    private DecodedLines? _decoded;
    private ReadOnlyMemory<byte> _block;
    private NewlineScanner _scanner;
    private int _start;
    private int _headLength;
    private bool _isDecided;
    private bool _isAtBorder;
    private bool _isEnded;

    /// <summary>Takes the next block, whose memory must stand until <see cref="TryNext"/> has said that nothing is left.</summary>
    public void Feed(ReadOnlyMemory<byte> block)
    {
        if (!_isDecided)
        {
            int count = Math.Min(MarkBytes - _headLength, block.Length);
            block.Span[..count].CopyTo(_head.AsSpan(_headLength));
            _headLength += count;
            if (_headLength < MarkBytes)
            {
                return;
            }

            bool isWhole = count == MarkBytes;
            int mark = Decide();
            if (isWhole)
            {
                block = block[mark..];
            }
            else
            {
                // The mark, or what might have been one, came in pieces.
                UseDecoder();
                _decoded!.Feed(_head.AsSpan(mark), isLast: false);
                block = block[count..];
            }
        }

        if (_decoded is not null)
        {
            _decoded.Feed(block.Span, isLast: false);
            return;
        }

        _block = block;
        _start = 0;
        _scanner = new NewlineScanner(0);
        _isAtBorder = true;
    }

    /// <summary>No block follows.</summary>
    public void End()
    {
        if (!_isDecided)
        {
            int mark = Decide();
            UseDecoder();
            _decoded!.Feed(_head.AsSpan(mark, _headLength - mark), isLast: false);
        }

        _decoded?.Feed(default, isLast: true);
        _isEnded = true;
    }

    /// <summary>The next line; false when it needs the next block.</summary>
    public bool TryNext([NotNullWhen(true)] out string? line)
    {
        if (_decoded is not null)
        {
            return _decoded.TryNext(out line);
        }

        ReadOnlySpan<byte> bytes;
        if (_isEnded)
        {
            bool isLast = _carry.TryTakeLast(out bytes);
            line = isLast ? Decode(bytes) : null;
            return isLast;
        }

        ReadOnlySpan<byte> block = _block.Span;
        if (_isAtBorder)
        {
            return TryNextAtBorder(block, out line);
        }

        int end;
        do
        {
            end = _scanner.Next(block);
        }
        while (end >= 0 && end < _start);
        if (end < 0 || (block[end] == '\r' && end + 1 == block.Length))
        {
            return TryNextAtBorder(block, out line);
        }

        line = Decode(block[_start..end]);
        _start = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
        return true;
    }

    private bool TryNextAtBorder(ReadOnlySpan<byte> block, [NotNullWhen(true)] out string? line)
    {
        _isAtBorder = false;
        bool result = _carry.TryTake(block[_start..], out int consumed, out ReadOnlySpan<byte> bytes);
        _start += consumed;
        _scanner = new NewlineScanner(_start);
        line = result ? Decode(bytes) : null;
        return result;
    }

    private string Decode(ReadOnlySpan<byte> bytes) =>
        Ascii.IsValid(bytes) ? Encoding.Latin1.GetString(bytes) : _encoding.GetString(bytes);

    /// <summary>Looks at the first bytes; returns how many of them are a byte order mark.</summary>
    private int Decide()
    {
        _isDecided = true;
        ReadOnlySpan<byte> head = _head.AsSpan(0, _headLength);
        int mark = 0;
        if (_encoding.Preamble.Length > 0 && head.StartsWith(_encoding.Preamble))
        {
            mark = _encoding.Preamble.Length;
        }
        else if (head.StartsWith((ReadOnlySpan<byte>)[0xFE, 0xFF]))
        {
            (_encoding, mark) = (Encoding.BigEndianUnicode, 2);
        }
        else if (head.StartsWith((ReadOnlySpan<byte>)[0xFF, 0xFE, 0, 0]))
        {
            (_encoding, mark) = (Encoding.UTF32, 4);
        }
        else if (head.StartsWith((ReadOnlySpan<byte>)[0xFF, 0xFE]))
        {
            (_encoding, mark) = (Encoding.Unicode, 2);
        }
        else if (head.StartsWith((ReadOnlySpan<byte>)[0xEF, 0xBB, 0xBF]))
        {
            (_encoding, mark) = (Encoding.UTF8, 3);
        }
        else if (head.StartsWith((ReadOnlySpan<byte>)[0, 0, 0xFE, 0xFF]))
        {
            (_encoding, mark) = (new UTF32Encoding(bigEndian: true, byteOrderMark: true), 4);
        }

        // UTF-8, US-ASCII, ISO-8859-1.
        if (_encoding.CodePage is not (65001 or 20127 or 28591))
        {
            UseDecoder();
        }

        _carry.Begin(atStartOfFile: false);
        return mark;
    }

    private void UseDecoder() => _decoded ??= new DecodedLines(_encoding.GetDecoder());
}
