namespace Sluice.Sequential;

/// <summary>
/// Finds lines in blocks, and stores the beginning of a line that continues in the next block. A CR at the end of a block is stored too,
/// because an LF may follow: a line is returned only after all of its line ending has been read. A byte order mark at offset 0 is skipped.
/// </summary>
/// <param name="path">The path of the file, for messages.</param>
/// <param name="maxBytes">The maximum length of a line, in bytes.</param>
internal sealed class LineCarry(string path, int maxBytes)
{
    private byte[] _bytes = [];
    private int _length;

    /// <summary>The offset after the stored bytes.</summary>
    private long _end;

    private static ReadOnlySpan<byte> Utf8Mark => [0xEF, 0xBB, 0xBF];

    /// <summary>Returns the exception for a line that exceeds the maximum length of an array or a string.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="max">The maximum length of a line.</param>
    /// <param name="unit">The unit of <paramref name="max"/>.</param>
    public static IOException TooLong(string path, long max, string unit) =>
        new($"Reading '{path}' failed: a line is longer than {max} {unit}.");

    /// <summary>
    /// Returns the number of stored bytes directly before <paramref name="position"/>; 0 if the stored bytes are elsewhere.
    /// </summary>
    public int KeptBytes(long position) => _end == position ? _length : 0;

    /// <summary>
    /// Returns the next line, which is valid until the next call. If it is incomplete, stores all bytes of the block and returns false. If
    /// the method throws, nothing was consumed.
    /// </summary>
    /// <param name="block">The bytes at <paramref name="position"/>.</param>
    /// <param name="position">The offset of the block, in bytes.</param>
    /// <param name="consumed">The number of bytes that were consumed.</param>
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

    /// <summary>Returns the last line of the file if it ends without a line ending or with a CR; otherwise, false.</summary>
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
