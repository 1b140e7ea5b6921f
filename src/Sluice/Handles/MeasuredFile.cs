namespace Sluice.Handles;

/// <summary>
/// A file whose length has to be known before it is read. Those of /proc say 0 and those of /sys a page, whatever can be read of them: what
/// says so little is read as a whole, and what was read is what counts.
/// </summary>
internal sealed class MeasuredFile
{
    /// <summary>Bytes up to which a file is read to learn its length: files of the kernel say any. A page.</summary>
    private const int SmallBytes = 4096;

    private readonly SluiceHandle _handle;
    private readonly byte[]? _content;

    /// <exception cref="NotSupportedException">It cannot seek.</exception>
    /// <exception cref="IOException">The operating system reported an error, or it says 0 and has more than an array can hold.</exception>
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

    /// <summary>Bytes that can be read; what is appended later is not among them.</summary>
    public long Length { get; }

    /// <summary>As <see cref="SluiceHandle.Read(Span{byte}, long)"/>.</summary>
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
                        $"Reading '{_handle.Path}' failed: it says that it has no bytes, and has more than {Array.MaxLength}.");
                }

                Array.Resize(ref content, (int)Math.Min(Array.MaxLength, Math.Max(2L * content.Length, SmallBytes)));
            }
        }

        return held == content.Length ? content : content[..held];
    }
}
