namespace Sluice.Sequential;

/// <summary>
/// A stream over a writer. Flushing it passes all bytes to the operating system; closing it completes and closes the writer. As with <see
/// cref="FileStream"/>, a write that has begun is not canceled, because the caller would not know which bytes were accepted.
/// </summary>
internal sealed class SluiceWriterStream(SluiceWriter writer) : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => !writer.IsDisposed;

    public override long Length => throw new NotSupportedException("A writer does not support seeking.");

    public override long Position
    {
        get
        {
            ObjectDisposedException.ThrowIf(writer.IsDisposed, this);
            return writer.Position;
        }

        set => throw new NotSupportedException("A writer does not support seeking.");
    }

    public override void Write(ReadOnlySpan<byte> buffer) => writer.Write(buffer);

    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        writer.Write(buffer.AsSpan(offset, count));
    }

    public override void WriteByte(byte value) => writer.WriteByte(value);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : writer.WriteAsync(buffer, CancellationToken.None);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    public override void Flush() => writer.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : writer.FlushAsync(cancellationToken: cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("A writer does not support reading.");

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException("A writer does not support seeking.");

    public override void SetLength(long value) => throw new NotSupportedException("A writer does not support seeking.");

    public override async ValueTask DisposeAsync()
    {
        await writer.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            writer.Dispose();
        }

        base.Dispose(disposing);
    }
}
