namespace Sluice.Cli.Bench.Streams;

/// <summary>Accepts all bytes and discards them. Stream.Null is not used, because a copy may treat it specially.</summary>
internal sealed class CountingSink : Stream
{
    private long _bytes;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => _bytes; set => throw new NotSupportedException(); }

    public override void Write(byte[] buffer, int offset, int count) => _bytes += count;

    public override void Write(ReadOnlySpan<byte> buffer) => _bytes += buffer.Length;

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        _bytes += count;
        return Task.CompletedTask;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _bytes += buffer.Length;
        return ValueTask.CompletedTask;
    }

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
