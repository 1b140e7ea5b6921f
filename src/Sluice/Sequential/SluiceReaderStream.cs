namespace Sluice.Sequential;

/// <summary>A stream over the rest of a reader's file that uses the blocks of the reader. Closing it closes the reader.</summary>
internal sealed class SluiceReaderStream(SluiceReader reader) : Stream
{
    public override bool CanRead => !reader.IsDisposed;

    public override bool CanSeek => !reader.IsDisposed && reader.SluiceHandle.CanSeek;

    public override bool CanWrite => false;

    public override long Length => reader.SluiceHandle.Length;

    public override long Position
    {
        get
        {
            ThrowIfClosed();
            return reader.Position;
        }
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            reader.Seek(value);
        }
    }

    public override int Read(Span<byte> buffer)
    {
        ThrowIfClosed();
        return !buffer.IsEmpty && reader.HasUnread(CancellationToken.None) ? reader.TakeInto(buffer) : 0;
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    public override int ReadByte()
    {
        byte value = 0;
        return Read(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ThrowIfClosed();
        cancellationToken.ThrowIfCancellationRequested();
        return !buffer.IsEmpty && await reader.HasUnreadAsync(cancellationToken).ConfigureAwait(false) ? reader.TakeInto(buffer.Span) : 0;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    public override void CopyTo(Stream destination, int bufferSize)
    {
        ValidateCopyToArguments(destination, bufferSize);
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
        {
            destination.Write(block);
        }
    }

    public override async Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        ValidateCopyToArguments(destination, bufferSize);
        cancellationToken.ThrowIfCancellationRequested();
        while (await reader.ReadBlockAsync(cancellationToken).ConfigureAwait(false) is { IsEmpty: false } block)
        {
            await destination.WriteAsync(block, cancellationToken).ConfigureAwait(false);
        }
    }

    public override long Seek(long offset, SeekOrigin origin)
    {
        long position = origin switch
        {
            SeekOrigin.Begin => offset,
            SeekOrigin.Current => Position + offset,
            SeekOrigin.End => Length + offset,
            _ => throw new ArgumentException("Invalid seek origin.", nameof(origin)),
        };
        if (position < 0)
        {
            throw new IOException($"Seeking in '{reader.SluiceHandle.Path}' to offset {position}: that is before its start.");
        }

        reader.Seek(position);
        return position;
    }

    public override void SetLength(long value) => throw new NotSupportedException("A reader does not support writing.");

    public override void Write(byte[] buffer, int offset, int count) =>
        throw new NotSupportedException("A reader does not support writing.");

    /// <summary>Does nothing, because the stream is read-only.</summary>
    public override void Flush() => ThrowIfClosed();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            reader.Dispose();
        }

        base.Dispose(disposing);
    }

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(reader.IsDisposed, this);
}
