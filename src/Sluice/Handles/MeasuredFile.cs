namespace Sluice.Handles;

/// <summary>
/// A file with a reliable length. Files in /proc report the length 0 and files in /sys that of a page, so a file with such a small length
/// is read into memory as a whole, and the number of bytes read counts.
/// </summary>
internal sealed class MeasuredFile
{
    /// <summary>The maximum length of a file that is read to determine its length, in bytes.</summary>
    private const int SmallBytes = 4096;

    private readonly SluiceHandle _handle;
    private readonly byte[]? _content;

    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="IOException">
    /// The operating system reported an error, or the file reports the length 0 and exceeds the maximum length of an array.
    /// </exception>
    public MeasuredFile(SluiceHandle handle)
    {
        _handle = handle;
        Length = handle.Length;
        if (Length <= SmallBytes)
        {
            _content = ReadAll(Length);
            Length = _content.Length;
        }
    }

    /// <summary>Gets the length of the file when this object was created, in bytes.</summary>
    public long Length { get; }

    /// <summary>Reads bytes like <see cref="SluiceHandle.Read(Span{byte}, long)"/>, from memory if the file is held there.</summary>
    public int Read(Span<byte> buffer, long offset)
    {
        if (_content is null)
        {
            return _handle.Read(buffer, offset);
        }

        int count = (int)Math.Clamp(_content.Length - offset, 0, buffer.Length);
        _content.AsSpan((int)Math.Min(offset, _content.Length), count).CopyTo(buffer);
        return count;
    }

    private byte[] ReadAll(long length)
    {
        byte[] content = new byte[length > 0 ? (int)length : 16];
        int held = 0;
        for (int bytes = -1; bytes != 0 && held < content.Length; held += bytes)
        {
            bytes = _handle.Read(content.AsSpan(held), held);
            if (held + bytes == content.Length && length == 0)
            {
                if (content.Length == Array.MaxLength)
                {
                    throw new IOException(
                        $"Reading '{_handle.Path}' failed: it reports a length of 0 and has more bytes than {Array.MaxLength}.");
                }

                Array.Resize(ref content, (int)Math.Min(Array.MaxLength, Math.Max(2L * content.Length, SmallBytes)));
            }
        }

        return held == content.Length ? content : content[..held];
    }
}
