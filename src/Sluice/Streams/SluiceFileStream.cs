using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Streams;

/// <summary>
/// A <see cref="FileStream"/> that forwards every member to a <see cref="SluiceStream"/>. The base class gets a handle that it does not
/// own, and never transfers data through it; on Windows, where its constructor would bind an asynchronous handle to the thread pool for a
/// second time and fail, it gets one of the null device.
/// </summary>
internal sealed class SluiceFileStream(SluiceStream stream, nint descriptor, FileAccess access)
    : FileStream(BaseHandle(descriptor), access, bufferSize: 0)
{
    public override bool CanRead => stream.CanRead;

    public override bool CanWrite => stream.CanWrite;

    public override bool CanSeek => stream.CanSeek;

    public override bool IsAsync => stream.IsAsync;

    public override string Name => stream.Name;

    public override SafeFileHandle SafeFileHandle => stream.SafeFileHandle;

    [Obsolete("Use SafeFileHandle.")]
    public override nint Handle => stream.SafeFileHandle.DangerousGetHandle();

    public override long Length => stream.Length;

    public override long Position
    {
        get => stream.Position;
        set => stream.Position = value;
    }

    public override long Seek(long offset, SeekOrigin origin) => stream.Seek(offset, origin);

    public override void SetLength(long value) => stream.SetLength(value);

    public override int Read(byte[] buffer, int offset, int count) => stream.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => stream.Read(buffer);

    public override int ReadByte() => stream.ReadByte();

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        stream.ReadAsync(buffer, offset, count, cancellationToken);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        stream.ReadAsync(buffer, cancellationToken);

    public override void Write(byte[] buffer, int offset, int count) => stream.Write(buffer, offset, count);

    public override void Write(ReadOnlySpan<byte> buffer) => stream.Write(buffer);

    public override void WriteByte(byte value) => stream.WriteByte(value);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        stream.WriteAsync(buffer, offset, count, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        stream.WriteAsync(buffer, cancellationToken);

    public override void Flush() => stream.Flush();

    public override void Flush(bool flushToDisk) => stream.Flush(flushToDisk);

    public override Task FlushAsync(CancellationToken cancellationToken) => stream.FlushAsync(cancellationToken);

    public override void CopyTo(Stream destination, int bufferSize) => stream.CopyTo(destination, bufferSize);

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken) =>
        stream.CopyToAsync(destination, bufferSize, cancellationToken);

    public override IAsyncResult BeginRead(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
        stream.BeginRead(buffer, offset, count, callback, state);

    public override int EndRead(IAsyncResult asyncResult) => stream.EndRead(asyncResult);

    public override IAsyncResult BeginWrite(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
        stream.BeginWrite(buffer, offset, count, callback, state);

    public override void EndWrite(IAsyncResult asyncResult) => stream.EndWrite(asyncResult);

    [UnsupportedOSPlatform("ios")]
    [UnsupportedOSPlatform("macos")]
    [UnsupportedOSPlatform("tvos")]
    public override void Lock(long position, long length) => stream.Lock(position, length);

    [UnsupportedOSPlatform("ios")]
    [UnsupportedOSPlatform("macos")]
    [UnsupportedOSPlatform("tvos")]
    public override void Unlock(long position, long length) => stream.Unlock(position, length);

    private static SafeFileHandle BaseHandle(nint descriptor) => OperatingSystem.IsWindows()
        ? File.OpenHandle("NUL", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite)
        : new SafeFileHandle(descriptor, ownsHandle: false);

    public override async ValueTask DisposeAsync()
    {
        await stream.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        // The finalizer does nothing here, because the stream has its own finalizer.
        if (disposing)
        {
            stream.Dispose();
        }

        base.Dispose(disposing);
    }
}
