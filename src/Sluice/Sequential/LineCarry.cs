namespace Sluice.Sequential;

/// <summary>
/// Finds lines in blocks and keeps the beginning of a line that has not ended in its block. A CR at the end of a block is kept too, since an
/// LF may follow: when a line is returned, all of its line ending has been taken. A byte order mark at offset 0 is no part of the line.
/// </summary>
/// <param name="path">The file, for messages.</param>
/// <param name="maxBytes">The longest line, in bytes.</param>
internal sealed class LineCarry(string path, int maxBytes)
{
    private byte[] _bytes = [];
    private int _length;

    /// <summary>The offset behind the bytes that are kept.</summary>
    private long _end;

    private static ReadOnlySpan<byte> Utf8Mark => [0xEF, 0xBB, 0xBF];

    /// <summary>The exception for a line that no array, or no string, of .NET can hold.</summary>
    /// <param name="path">The file.</param>
    /// <param name="max">How long a line may be.</param>
    /// <param name="unit">The unit of <paramref name="max"/>.</param>
    public static IOException TooLong(string path, long max, string unit) =>
        new($"Reading '{path}' failed: a line is longer than {max} {unit}.");

    /// <summary>Bytes before <paramref name="position"/> that are kept. Bytes that were kept elsewhere do not count.</summary>
    public int KeptBytes(long position) => _end == position ? _length : 0;

    /// <summary>
    /// Takes the next line, which is valid until the next call. Returns false if it needs more bytes; all bytes of the block are then kept.
    /// If the method throws, nothing was taken.
    /// </summary>
    /// <param name="block">The bytes at <paramref name="position"/>.</param>
    /// <param name="position">The offset of the block, in bytes.</param>
    /// <param name="consumed">The number of bytes that were taken from the block.</param>
    /// <param name="line">The line, without its line ending.</param>
    /// <exception cref="IOException">The line is too long.</exception>
    public bool TryTake(ReadOnlySpan<byte> block, long position, out int consumed, out ReadOnlySpan<byte> line)
    {
        int kept = _length = KeptBytes(position);
        if (!block.IsEmpty && kept > 0 && _bytes[kept - 1] == '\r')
        {
            consumed = block[0] == '\n' ? 1 : 0;
            line = _bytes.AsSpan(0, kept - 1);
        }
        else
        {
            int end = block.IndexOfAny((byte)'\n', (byte)'\r');
            if (end < 0 || (block[end] == '\r' && end + 1 == block.Length))
            {
                Keep(block);
                consumed = block.Length;
                _end = position + consumed;
                line = default;
                return false;
            }

            line = block[..end];
            consumed = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
            if (kept > 0)
            {
                Keep(line);
                line = _bytes.AsSpan(0, _length);
            }
        }

        _length = 0;
        line = WithoutMark(line, position - kept);
        return true;
    }

    /// <summary>Takes the line that the file ends with, if it has no line ending or a CR.</summary>
    public bool TryTakeLast(long position, out ReadOnlySpan<byte> line)
    {
        int kept = KeptBytes(position);
        line = WithoutMark(_bytes.AsSpan(0, kept), position - kept);
        _length = 0;
        if (line.IsEmpty)
        {
            return false;
        }

        line = line[^1] == '\r' ? line[..^1] : line;
        return true;
    }

    private static ReadOnlySpan<byte> WithoutMark(ReadOnlySpan<byte> line, long offset) =>
        offset == 0 && line.StartsWith(Utf8Mark) ? line[Utf8Mark.Length..] : line;

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
