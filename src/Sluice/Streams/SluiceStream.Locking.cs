using Sluice.Handles;
using Sluice.Streams;

namespace Sluice;

// What only FileStream has: being one, the name of a handle that came from elsewhere, and locks.
public sealed partial class SluiceStream
{
    /// <summary>The full path; "[Unknown]" for a handle that came without one.</summary>
    public string Name =>
        _origin != HandleOrigin.Foreign ? _handle.Path
        : _extras?.LockingStream is null && _handle.IsClosed ? "[Unknown]" : LockingStream.Name;

    /// <summary>
    /// This stream as a <see cref="FileStream"/>, for code that asks for one: every member of it is this stream's, the handle and the
    /// disposal too. Either may be used, not both at once; it is no copy and opens nothing.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public FileStream AsFileStream()
    {
        ThrowIfClosed();
        return new SluiceFileStream(this, _handle.SafeFileHandle.DangerousGetHandle(), Access);
    }

    /// <summary>Keeps other processes from a range of the file (an advisory lock on Unix).</summary>
    /// <inheritdoc cref="FileStream.Lock"/>
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

    /// <summary>Ends a <see cref="Lock"/>.</summary>
    /// <inheritdoc cref="FileStream.Unlock"/>
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

    /// <summary>For what only it knows: names and locks.</summary>
    private FileStream LockingStream =>
        Extras.LockingStream ??= BorrowedStream.Over(_handle.SafeFileHandle, IsOpen ? Access : _handle.Access);
}
