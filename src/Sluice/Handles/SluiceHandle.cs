using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>Represents an open file that is read and written at explicit offsets, without a position.</summary>
/// <remarks>
/// <para>
/// This type corresponds to <see cref="RandomAccess"/> and a <see cref="Microsoft.Win32.SafeHandles.SafeFileHandle"/>. All offsets and
/// lengths are in bytes.
/// </para>
/// <para>
/// This type is thread-safe. Any number of transfers can run at the same time. If <see cref="Dispose"/> is called during transfers, the
/// operating system handle is closed when the last transfer has ended.
/// </para>
/// <para>
/// Memory that is passed to an asynchronous method must not be changed, freed or used for something else until the returned task has
/// completed, even if the operation is canceled.
/// </para>
/// <para>
/// An asynchronous method throws synchronously if an argument is invalid, if the handle is closed, or if the file does not support the
/// operation. Errors of the transfer are stored in the returned task.
/// </para>
/// <para>
/// The message of an exception contains the operation, the path, the offset and the error of the operating system. On Linux,
/// <see cref="Exception.HResult"/> of an <see cref="IOException"/> is the error number (errno).
/// </para>
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
        _readsInline = Libc.IsSupported && !IsCustomEngine && (Caching != FileCaching.Direct || Alignment.Offset == 1);
        _writesInline = _readsInline;
    }

    /// <summary>
    /// Returns the operating system handle of a file, for code that uses
    /// <see cref="File.OpenHandle(string, FileMode, FileAccess, FileShare, FileOptions, long)"/>.
    /// </summary>
    /// <param name="handle">The file.</param>
    /// <returns>
    /// The value of <see cref="OpenFile.SafeFileHandle"/>. Disposing the returned handle closes the file for <paramref name="handle"/> too.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is <see langword="null"/>.</exception>
    public static implicit operator SafeFileHandle(SluiceHandle handle)
    {
        ArgumentNullException.ThrowIfNull(handle);
        return handle.SafeFileHandle;
    }

    /// <summary>Gets the length of the file, in bytes.</summary>
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

    /// <summary>Returns the length of a file that is known to seek, in bytes.</summary>
    internal long LengthNow()
    {
        using Reference reference = TakeReference();
        long length = Libc.IsSupported ? Libc.LengthOf(_fd) : -1;
        if (length >= 0)
        {
            return length;
        }

        try
        {
            // RandomAccess is used where Sluice makes no system calls, and to get the exception.
            return RandomAccess.GetLength(_file);
        }
        catch (NotSupportedException) when (Libc.IsSupported)
        {
            // On a failed file system all calls fail. .NET would take this for a file that cannot seek.
            throw PathErrors.Create((int)length, "Looking at", Path);
        }
    }

    /// <summary>
    /// Gets the file position of the operating system handle; 0 if the file cannot seek. Transfers of Sluice neither use nor change it.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal long DescriptorPosition
    {
        get
        {
            using Reference reference = TakeReference();
            return Libc.IsSupported ? Math.Max(0, Libc.Position(_fd)) : BorrowedStream.PositionOf(_file, Access);
        }
    }

    /// <summary>Sets <see cref="DescriptorPosition"/>. Returns false if the operating system refuses the position.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal bool TrySetDescriptorPosition(long position)
    {
        using Reference reference = TakeReference();
        if (Libc.IsSupported)
        {
            return Libc.SetPosition(_fd, position);
        }

        BorrowedStream.SetPosition(_file, Access, position);
        return true;
    }

    /// <summary>Closes the handle.</summary>
    /// <exception cref="IOException">
    /// The operating system reported an error when the file was closed, for example because a quota of a network file system is exceeded. The
    /// handle is closed nevertheless. Errors are reported only if the handle was opened for writing, and only on Linux.
    /// </exception>
    /// <remarks>
    /// This method does not wait for transfers in progress. The operating system handle is closed when the last transfer has ended, or
    /// stays open if this object does not own it. Calling this method again has no effect.
    /// </remarks>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        Close(isShared: true);
    }

    /// <summary>Closes the handle, in the same way as <see cref="Dispose"/>.</summary>
    /// <returns>A completed task.</returns>
    /// <inheritdoc cref="Dispose" path="/exception"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Closes the handle like <see cref="Dispose"/>, if no other code has seen it or its <see cref="OpenFile.SafeFileHandle"/>. Saves the
    /// system calls that report the error of close(2) for a shared descriptor.
    /// </summary>
    /// <exception cref="IOException">close(2) failed. The handle is closed nevertheless.</exception>
    internal void CloseUnshared()
    {
        if (!Interlocked.Exchange(ref _disposed, true))
        {
            Close(isShared: false);
        }
    }

    private void Close(bool isShared)
    {
        try
        {
            _extras?.Appender?.Dispose();
        }
        finally
        {
            if (_ownsHandle && (Access & FileAccess.Write) == 0)
            {
                _file.Dispose();
            }
            else if (_ownsHandle && isShared)
            {
                WrittenFile.Close(_file, Path);
            }
            else if (_ownsHandle)
            {
                WrittenFile.CloseUnshared(_file, Path);
            }
        }
    }

    /// <summary>
    /// Returns true if a short read ended at the end of the file. Returns false if the length is unknown. A character device is from now on
    /// read with blocking calls; if it cannot seek, each read may return one message, so a short read is complete. The caller holds a
    /// reference.
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
