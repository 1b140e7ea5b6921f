using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Sluice.Sequential;

/// <summary>
/// Cuts blocks into lines of text: UTF-8, ASCII and Latin-1 are cut as bytes and each line decoded by itself; all other encodings are
/// decoded first. The encoding is found out as <see cref="StreamReader"/> does.
/// </summary>
internal sealed class StringLines : IDisposable
{
    private readonly string _path;
    private readonly byte[] _head = new byte[TextStart.MaxBytes];
    private readonly LineCarry _carry;
    private Encoding _encoding;
    private LineDecoder? _decoder;
    private ReadOnlyMemory<byte> _block;
    private NewlineScanner _scanner;
    private int _start;
    private int _headLength;
    private bool _isDecided;
    private bool _isAtBorder;
    private bool _isEnded;

    /// <param name="path">The file, for messages.</param>
    /// <param name="encoding">Its encoding, unless a byte order mark says otherwise.</param>
    /// <param name="isAtStart">Whether the first block is the start of the file: elsewhere the bytes of a mark are text.</param>
    public StringLines(string path, Encoding encoding, bool isAtStart)
    {
        _path = path;
        _encoding = encoding;
        _carry = new LineCarry(path, Array.MaxLength);
        if (!isAtStart)
        {
            ChooseDecoder();
        }
    }

    public void Dispose() => _decoder?.Dispose();

    /// <summary>Takes the next block, whose memory must stand until <see cref="TryNext"/> has said that nothing is left.</summary>
    public void Feed(ReadOnlyMemory<byte> block)
    {
        if (!_isDecided)
        {
            int count = Math.Min(TextStart.MaxBytes - _headLength, block.Length);
            block.Span[..count].CopyTo(_head.AsSpan(_headLength));
            _headLength += count;
            if (_headLength < TextStart.MaxBytes)
            {
                return;
            }

            bool isWhole = count == TextStart.MaxBytes;
            int mark = Decide();
            if (isWhole)
            {
                block = block[mark..];
            }
            else
            {
                // The mark, or what might have been one, came in pieces.
                UseDecoder();
                _decoder!.Add(_head.AsSpan(mark), isLast: false);
                block = block[count..];
            }
        }

        if (_decoder is not null)
        {
            _decoder.Add(block.Span, isLast: false);
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
            _decoder!.Add(_head.AsSpan(mark, _headLength - mark), isLast: false);
        }

        _decoder?.Add(default, isLast: true);
        _isEnded = true;
    }

    /// <summary>The next line; false when it needs the next block.</summary>
    public bool TryNext([NotNullWhen(true)] out string? line)
    {
        if (_decoder is not null)
        {
            return _decoder.TryTake(out line);
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

    private string Decode(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > LineDecoder.MaxLineChars && _encoding.GetCharCount(bytes) > LineDecoder.MaxLineChars)
        {
            throw LineCarry.TooLong(_path, LineDecoder.MaxLineChars, "characters");
        }

        return Ascii.IsValid(bytes) ? Encoding.Latin1.GetString(bytes) : _encoding.GetString(bytes);
    }

    /// <summary>Looks at the first bytes; returns how many of them are a byte order mark.</summary>
    private int Decide()
    {
        _encoding = TextStart.Detect(_head.AsSpan(0, _headLength), _encoding, out int markBytes);
        ChooseDecoder();
        return markBytes;
    }

    private void ChooseDecoder()
    {
        _isDecided = true;
        _carry.Begin(atStartOfFile: false);

        // UTF-8, US-ASCII, ISO-8859-1.
        if (_encoding.CodePage is not (65001 or 20127 or 28591))
        {
            UseDecoder();
        }
    }

    private void UseDecoder() => _decoder ??= new LineDecoder(_path, _encoding, looksForMark: false);
}
