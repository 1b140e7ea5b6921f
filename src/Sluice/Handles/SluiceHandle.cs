using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// One open file: reads and writes at offsets, without a position. It stands where <see cref="RandomAccess"/> and a
/// <see cref="Microsoft.Win32.SafeHandles.SafeFileHandle"/> would.
/// </summary>
/// <remarks>
/// Thread-safe: any number of transfers may run at once, and <see cref="Dispose"/> may come while they do: the descriptor is closed
/// when the last of them has ended. A buffer given to an asynchronous method belongs to the transfer until its task has ended,
/// cancellation included. Offsets and lengths are in bytes.
/// </remarks>
public sealed partial class SluiceHandle : OpenFile, IDisposable, IAsyncDisposable
{
    private readonly bool _ownsHandle;
    private bool _readsInline;
    private bool _writesInline;

    private SluiceHandle(SafeFileHandle file, string? path, FileAccess access, FileCaching caching, IoEngine? engine, bool ownsHandle)
        : base(file, path, access, caching, engine)
    {
        _ownsHandle = ownsHandle;
        _readsInline = Libc.IsSupported && !IsCustomEngine && Alignment.Offset == 1;
        _writesInline = _readsInline;
    }

    /// <summary>
    /// <see cref="OpenFile.SafeFileHandle"/>, for code that was written for <see cref="File.OpenHandle"/>. Disposing what it gives closes
    /// the file, whether this object is disposed or not.
    /// </summary>
    /// <param name="handle">The file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is null.</exception>
    public static implicit operator SafeFileHandle(SluiceHandle handle)
    {
        ArgumentNullException.ThrowIfNull(handle);
        return handle.SafeFileHandle;
    }

    /// <summary>The length of the file, in bytes.</summary>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public long Length
    {
        get
        {
            ThrowIfClosed();
            if (!CanSeek)
            {
                IoErrors.ThrowUnseekable("The length of", Path);
            }

            return LengthNow();
        }
    }

    /// <summary>As <see cref="Length"/>, of a file that is known to seek.</summary>
    internal long LengthNow()
    {
        using Reference reference = Hold();
        long length = Libc.IsSupported ? Libc.LengthOf(_fd) : -1;
        if (length >= 0)
        {
            return length;
        }

        try
        {
            // Where Sluice makes no system calls, and for the exception.
            return RandomAccess.GetLength(_file);
        }
        catch (NotSupportedException) when (Libc.IsSupported)
        {
            // On a file system that has died every call fails, .NET's question whether the file can seek too: it takes that for no.
            throw PathErrors.Create((int)length, "Looking at", Path);
        }
    }

    /// <summary>The operating system's own position of the file, which no transfer of Sluice uses or moves; 0 where it has none.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal long DescriptorPosition
    {
        get
        {
            using Reference reference = Hold();
            return Libc.IsSupported ? Math.Max(0, Libc.Position(_fd)) : BorrowedStream.PositionOf(_file, Access);
        }
    }

    /// <summary>Moves <see cref="DescriptorPosition"/>; false where the operating system refuses the place.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal bool TrySetDescriptorPosition(long position)
    {
        using Reference reference = Hold();
        if (Libc.IsSupported)
        {
            return Libc.SetPosition(_fd, position);
        }

        BorrowedStream.SetPosition(_file, Access, position);
        return true;
    }

    /// <summary>Closes the handle; transfers in flight end first, on their own. Harmless when called twice.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        _extras?.Appender?.Dispose();
        LeaveKept();
        if (_ownsHandle)
        {
            _file.Dispose();
        }
    }

    /// <summary>Closes the handle, as <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// As <see cref="OpenFile.IsAtEnd(long)"/>, after a read that might not wait came back short. A character device is read by blocking
    /// calls from here on: false where it seeks; true where not, since each of its reads is one, a message perhaps. False where the
    /// operating system does not tell. The caller holds a reference.
    /// </summary>
    private bool IsShortAtEnd(long offset)
    {
        if (Libc.Stat(_fd, StatxMask.Size | StatxMask.Type, out Statx stat) < 0)
        {
            return false;
        }

        if ((stat.Mode & Statx.TypeMask) == Statx.TypeCharacterDevice)
        {
            Extras.IsCharacterDevice = true;
            _readsInline = false;
            return !CanSeek;
        }

        bool isAtEnd = IsAtEnd(offset, in stat);
        _endSeen = isAtEnd ? offset : -1;
        return isAtEnd;
    }

    private void CheckOffset(long fileOffset)
    {
        ThrowIfClosed();
        if (fileOffset < 0 && CanSeek)
        {
            IoErrors.ThrowNegativeOffset();
        }
    }
}
