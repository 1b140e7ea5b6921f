namespace Sluice.Sequential;

/// <summary>
/// Lines across the borders of blocks, which may come in any pieces: the beginning of a line that has not ended yet, with a CR whose LF may
/// follow, and a byte order mark at the start of the file. A line is given out when all of its end was taken: where the reader stands then,
/// the next one begins.
/// </summary>
/// <param name="path">The file, for messages.</param>
/// <param name="maxBytes">The longest line.</param>
internal sealed class LineCarry(string path, int maxBytes)
{
    private byte[] _bytes = [];
    private int _length;
    /// <summary>What is kept is a line, and a CR behind it.</summary>
    private bool _hasCr;
    private int _markMatched;
    private bool _markDone;
    private long _keptTo;

    private static ReadOnlySpan<byte> Utf8Mark => [0xEF, 0xBB, 0xBF];

    /// <summary>A line that no array, or no string, of .NET holds.</summary>
    /// <param name="path">The file.</param>
    /// <param name="max">How long a line may be.</param>
    /// <param name="unit">Of what.</param>
    /// <param name="offset">Where the line begins in the file, in bytes; -1 where that is not known.</param>
    public static IOException TooLong(string path, long max, string unit, long offset = -1) =>
        new($"Reading '{path}'{(offset >= 0 ? $" at offset {offset}" : "")} failed: a line is longer than {max} {unit}.");

    /// <summary>Where the file begins, a byte order mark is skipped; elsewhere its bytes are bytes.</summary>
    public void Begin(bool atStartOfFile) => _markDone |= !atStartOfFile;

    /// <summary>
    /// The reader goes on from <paramref name="position"/>: a line that began elsewhere is forgotten, and no mark begins there.
    /// </summary>
    public void GoOnFrom(long position)
    {
        if (_keptTo != position)
        {
            _length = 0;
            _hasCr = false;
            _markMatched = 0;
            _markDone = true;
        }
    }

    /// <summary>How many bytes in front of <paramref name="position"/> belong to a line that has not ended yet.</summary>
    public int KeptBytes(long position) => _keptTo != position ? 0 : _length + (_hasCr ? 1 : 0) + (_markDone ? 0 : _markMatched);

    /// <summary>What was taken ends at <paramref name="position"/>.</summary>
    public void TakenTo(long position) => _keptTo = position;

    /// <summary>
    /// Takes the next line from <paramref name="unread"/>; false when it needs more bytes, and then all of these are kept here. The line
    /// stands until the next call. Where it throws, nothing was taken.
    /// </summary>
    /// <exception cref="IOException">The line is too long.</exception>
    public bool TryTake(ReadOnlySpan<byte> unread, out int consumed, out ReadOnlySpan<byte> line)
    {
        (int length, bool hasCr, int markMatched, bool markDone) = (_length, _hasCr, _markMatched, _markDone);
        try
        {
            return Take(unread, out consumed, out line);
        }
        catch
        {
            (_length, _hasCr, _markMatched, _markDone) = (length, hasCr, markMatched, markDone);
            throw;
        }
    }

    private bool Take(ReadOnlySpan<byte> unread, out int consumed, out ReadOnlySpan<byte> line)
    {
        consumed = 0;
        if (!_markDone)
        {
            consumed = SkipMark(unread);
        }

        ReadOnlySpan<byte> rest = unread[consumed..];
        if (_hasCr && !rest.IsEmpty)
        {
            consumed += rest[0] == '\n' ? 1 : 0;
            line = TakeKept();
            return true;
        }

        int end = rest.IndexOfAny((byte)'\n', (byte)'\r');
        if (end < 0)
        {
            Keep(rest);
            consumed = unread.Length;
            line = default;
            return false;
        }

        line = rest[..end];
        consumed += end + 1;
        if (rest[end] == '\r' && consumed == unread.Length)
        {
            Keep(line);
            _hasCr = true;
            line = default;
            return false;
        }

        consumed += rest[end] == '\r' && unread[consumed] == '\n' ? 1 : 0;
        if (_length > 0)
        {
            Keep(line);
            line = TakeKept();
        }

        return true;
    }

    /// <summary>At the end of the file: the line that no newline ended, or a last CR, if there is one.</summary>
    public bool TryTakeLast(out ReadOnlySpan<byte> line)
    {
        if (!_markDone && _markMatched > 0)
        {
            Keep(Utf8Mark[.._markMatched]);
            _markDone = true;
        }

        bool result = _length > 0 || _hasCr;
        line = TakeKept();
        return result;
    }

    private ReadOnlySpan<byte> TakeKept()
    {
        ReadOnlySpan<byte> line = _bytes.AsSpan(0, _length);
        (_length, _hasCr) = (0, false);
        return line;
    }

    private int SkipMark(ReadOnlySpan<byte> unread)
    {
        int consumed = 0;
        while (consumed < unread.Length)
        {
            if (unread[consumed] != Utf8Mark[_markMatched])
            {
                // No mark after all: what looked like one belongs to the line.
                Keep(Utf8Mark[.._markMatched]);
                _markDone = true;
                break;
            }

            consumed++;
            if (++_markMatched == Utf8Mark.Length)
            {
                _markDone = true;
                break;
            }
        }

        return consumed;
    }

    private void Keep(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > maxBytes - _length)
        {
            throw TooLong(path, maxBytes, "bytes");
        }

        if (bytes.Length > _bytes.Length - _length)
        {
            Array.Resize(ref _bytes, (int)Math.Min(maxBytes, Math.Max((long)_length + bytes.Length, Math.Max(256, _bytes.Length * 2L))));
        }

        bytes.CopyTo(_bytes.AsSpan(_length));
        _length += bytes.Length;
    }
}
