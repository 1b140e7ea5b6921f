using Sluice.Handles;
using Sluice.Streams;

namespace Sluice;

public sealed partial class SluiceStream
{
    /// <summary>A FileStream over the same file, used for names and locks.</summary>
    private FileStream? _lockingStream;

    /// <summary>Gets the path of the file.</summary>
    /// <value>
    /// The full path. If the stream was created from a <see cref="Microsoft.Win32.SafeHandles.SafeFileHandle"/> without a path, the value
    /// is <c>[Unknown]</c>. If it was created from a <see cref="Sluice.SluiceHandle"/>, the value is that of <see cref="OpenFile.Path"/>.
    /// </value>
    public string Name =>
        _origin != HandleOrigin.Foreign ? _handle.Path
        : _lockingStream is null && _handle.IsClosed ? "[Unknown]" : LockingStream.Name;

    /// <summary>Returns a <see cref="FileStream"/> that calls this stream, for code that requires a <see cref="FileStream"/>.</summary>
    /// <returns>The <see cref="FileStream"/>. Disposing it disposes this stream.</returns>
    /// <remarks>
    /// The returned object uses the file, the position and the buffer of this stream. Both objects can be used, but not at the same time.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public FileStream AsFileStream()
    {
        ThrowIfClosed();
        return new SluiceFileStream(this, _handle.SafeFileHandle.DangerousGetHandle(), _access);
    }

    /// <summary>Locks a range of the file against access by other processes. On Unix this is an advisory lock.</summary>
    /// <param name="position">The offset of the range in the file, in bytes.</param>
    /// <param name="length">The length of the range, in bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="position"/> or <paramref name="length"/> is negative.</exception>
    /// <exception cref="IOException">
    /// Another process has locked a part of the range, or the operating system reported another error.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">The operating system is macOS.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    [System.Runtime.Versioning.UnsupportedOSPlatform("ios")]
    [System.Runtime.Versioning.UnsupportedOSPlatform("macos")]
    [System.Runtime.Versioning.UnsupportedOSPlatform("tvos")]
    public void Lock(long position, long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ThrowIfClosed();
        LockingStream.Lock(position, length);
    }

    /// <summary>
    /// Unlocks a range of the file that was locked with <see cref="Lock"/>. On Unix, unlocking a range that is not locked has no effect.
    /// </summary>
    /// <param name="position">The offset of the range in the file, in bytes.</param>
    /// <param name="length">The length of the range, in bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="position"/> or <paramref name="length"/> is negative.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="PlatformNotSupportedException">The operating system is macOS.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    [System.Runtime.Versioning.UnsupportedOSPlatform("ios")]
    [System.Runtime.Versioning.UnsupportedOSPlatform("macos")]
    [System.Runtime.Versioning.UnsupportedOSPlatform("tvos")]
    public void Unlock(long position, long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ThrowIfClosed();
        LockingStream.Unlock(position, length);
    }

    private FileStream LockingStream =>
        _lockingStream ??= BorrowedStream.Over(_handle.SafeFileHandle, IsOpen ? _access : _handle.Access);
}
