using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Sluice.Sequential;

/// <summary>Decodes bytes of any encoding, in any pieces, and cuts the characters into lines.</summary>
internal sealed class DecodedLines(Decoder decoder)
{
    private char[] _chars = new char[1024];
    private int _start;
    private int _searched;
    private int _end;
    private bool _skipsLf;
    private bool _isEnded;

    /// <summary>Adds bytes; afterwards <see cref="TryNext"/> is to be asked until nothing is left.</summary>
    public void Feed(ReadOnlySpan<byte> bytes, bool isLast)
    {
        int left = _end - _start;
        int most = decoder.GetCharCount(bytes, isLast);
        if (left + most > _chars.Length)
        {
            char[] larger = new char[Math.Max(left + most, _chars.Length * 2)];
            _chars.AsSpan(_start, left).CopyTo(larger);
            _chars = larger;
        }
        else
        {
            _chars.AsSpan(_start, left).CopyTo(_chars);
        }

        _searched -= _start;
        _start = 0;
        _end = left + decoder.GetChars(bytes, _chars.AsSpan(left), isLast);
        _isEnded = isLast;
    }

    public bool TryNext([NotNullWhen(true)] out string? line)
    {
        if (_skipsLf && _start < _end)
        {
            _start += _chars[_start] == '\n' ? 1 : 0;
            _searched = Math.Max(_searched, _start);
            _skipsLf = false;
        }

        int found = _chars.AsSpan(_searched, _end - _searched).IndexOfAny('\n', '\r');
        if (found >= 0)
        {
            int at = _searched + found;
            line = new string(_chars, _start, at - _start);
            _skipsLf = _chars[at] == '\r';
            _start = _searched = at + 1;
            return true;
        }

        _searched = _end;
        if (_isEnded && _start < _end)
        {
            line = new string(_chars, _start, _end - _start);
            _start = _end;
            return true;
        }

        line = null;
        return false;
    }
}
