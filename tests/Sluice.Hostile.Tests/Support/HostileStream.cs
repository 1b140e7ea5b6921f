namespace Sluice.Hostile.Tests.Support;

/// <summary>A stream that keeps what is written, and whose every member throws when its turn has come, before it does anything.</summary>
internal sealed class HostileStream(Countdown countdown) : Stream
{
    private readonly MemoryStream _written = new();

    public override bool CanRead => countdown.Hit(false);

    public override bool CanSeek => countdown.Hit(false);

    public override bool CanWrite => countdown.Hit(true);

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>What has been written.</summary>
    public byte[] Written => _written.ToArray();

    public override void Flush() => countdown.Hit();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        countdown.Hit();
        _written.Write(buffer);
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        // Both ways to fail: from the call itself, and from its task.
        countdown.Hit();
        await Task.Yield();
        countdown.Hit();
        await _written.WriteAsync(buffer, cancellationToken);
    }
}
