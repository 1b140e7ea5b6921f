using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

// The length of the file and its space on the device.
public sealed partial class SluiceHandle
{
    /// <summary>Sets the length of the file.</summary>
    /// <param name="length">
    /// The new length, in bytes. If the file becomes longer, the new bytes read as zeros and take no disk space.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="length"/> is negative, or larger than the file system allows.
    /// </exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="UnauthorizedAccessException">On Windows, the handle was not opened for writing.</exception>
    /// <exception cref="IOException">
    /// The operating system reported an error; or, on Unix, the handle was not opened for writing, as with
    /// <see cref="RandomAccess.SetLength"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public void SetLength(long length)
    {
        ThrowIfClosed();
        if (!CanSeek)
        {
            IoErrors.ThrowUnseekable("Setting the length of", Path);
        }

        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (Libc.IsSupported)
        {
            // RandomAccess.SetLength would throw an OperationCanceledException for ECANCELED, and would report a file on a failed file
            // system as unseekable.
            using Reference reference = TakeReference();
            int result = PathCalls.SetLength(_fd, length);
            if (result < 0)
            {
                throw (result == -Errno.EINVAL ? MissingLengthAccess(Errno.EINVAL) : null)
                    ?? IoErrors.Create(-result, IoVerb.SetLength, Path, length);
            }

            return;
        }

        try
        {
            RandomAccess.SetLength(_file, length);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw (e is IOException ? MissingLengthAccess(e.HResult) : null)
                ?? IoErrors.Wrap(e, IoVerb.SetLength, Path, length);
        }
    }

    /// <summary>Reserves space on the device for a range of the file (fallocate(2)).</summary>
    /// <param name="offset">The offset of the range in the file, in bytes.</param>
    /// <param name="length">The length of the range, in bytes.</param>
    /// <remarks>
    /// If the range ends beyond the end of the file, the file becomes longer, and the new bytes read as zeros. The existing content does
    /// not change. If the space is not available, the length of the file does not change.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> is negative, <paramref name="length"/> is zero or negative, or the sum of both is larger than
    /// <see cref="long.MaxValue"/>.
    /// </exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="PlatformNotSupportedException">The operating system or the file system cannot reserve space.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">
    /// There is not enough space on the device; or the file would become larger than the file system or the process's file size limit
    /// allows; or the operating system reported another error.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public void Allocate(long offset, long length) => ChangeSpace(IoVerb.Allocate, FallocateFlags.None, offset, length);

    /// <summary>
    /// Gets a value that indicates whether the first write to reserved space changes metadata (unwritten extents become written ones). A
    /// flush is then cheaper after writes that replace written bytes. False for ext4 with data=journal, where every flush commits the
    /// journal; statx(2) reports such files without direct I/O.
    /// </summary>
    internal bool HasUnwrittenExtents
    {
        get
        {
            using Reference reference = TakeReference();
            return Libc.IsSupported && CanSeek && (Libc.IsExt(_fd) || Libc.FileSystemType(_fd) == Libc.XfsMagic)
                && !(Libc.Stat(_fd, StatxMask.BasicStats | StatxMask.DioAlign, out Statx stat) == 0
                    && (stat.Mask & StatxMask.DioAlign) != 0 && stat.DioOffsetAlign == 0);
        }
    }

    /// <summary>Releases the space of a range of the file to the file system (fallocate(2), FALLOC_FL_PUNCH_HOLE).</summary>
    /// <param name="offset">The offset of the range in the file, in bytes.</param>
    /// <param name="length">The length of the range, in bytes.</param>
    /// <remarks>The range reads as zeros afterwards. The length of the file does not change.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> is negative, <paramref name="length"/> is zero or negative, or the sum of both is larger than
    /// <see cref="long.MaxValue"/>.
    /// </exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="PlatformNotSupportedException">The operating system or the file system cannot release space.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public void PunchHole(long offset, long length) =>
        ChangeSpace(IoVerb.PunchHole, FallocateFlags.PunchHole | FallocateFlags.KeepSize, offset, length);

    /// <summary>Returns the locations of the file's data on the device (the FIEMAP ioctl of Linux).</summary>
    /// <returns>
    /// The extents, in the order of their offsets in the file. Data that is only in the page cache has no location yet. The extents of such
    /// data have the flag <see cref="FileExtentFlags.DelayedAllocation"/>.
    /// </returns>
    /// <exception cref="PlatformNotSupportedException">The operating system or the file system does not report extents.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public IReadOnlyList<FileExtent> GetExtents()
    {
        ThrowIfClosed();
        if (!Libc.IsSupported)
        {
            IoErrors.ThrowNotSupportedHere("Listing the extents", Path, "it needs FIEMAP of Linux");
        }

        using Reference reference = TakeReference();
        List<FileExtent> extents = [];
        int result = Fiemap.Read(_fd, extents);
        if (result is -Errno.EOPNOTSUPP or -Errno.ENOTTY)
        {
            IoErrors.ThrowNotSupportedHere("Listing the extents", Path, "the file system has no FIEMAP");
        }

        if (result < 0)
        {
            IoErrors.Throw(-result, IoVerb.GetExtents, Path, -1);
        }

        return extents;
    }

    /// <summary>
    /// Reserves all of the space or none, because ext4 would extend a file in pieces and keep them when the disk is full. Returns 0 or a
    /// negative errno.
    /// </summary>
    private int AllocateWhole(FallocateFlags mode, long offset, long length)
    {
        if (Libc.Stat(_fd, StatxMask.BasicStats, out Statx stat) == 0 && offset + length > (long)stat.Size)
        {
            // The free space is checked in advance: blocks beyond the end could be released only by a truncation, which races with other
            // writers.
            if (length - Math.Min(length, (long)stat.Blocks * 512) > Libc.FreeBytes(_fd))
            {
                return -Errno.ENOSPC;
            }

            int result = SpaceCalls.Allocate(_fd, FallocateFlags.KeepSize, offset, length);
            if (result < 0 || mode == FallocateFlags.KeepSize)
            {
                return result;
            }
        }

        return SpaceCalls.Allocate(_fd, mode, offset, length);
    }

    /// <summary>
    /// Returns the exception for a handle that was not opened for writing, for which ftruncate(2) reports EINVAL; null if it was opened for
    /// writing. The type is that of .NET on Unix.
    /// </summary>
    private IOException? MissingLengthAccess(int reason) =>
        MissingAccess(IoVerb.SetLength, -1) is { } missing ? new IOException(missing.Message, missing) { HResult = reason } : null;

    private void ChangeSpace(IoVerb verb, FallocateFlags mode, long offset, long length)
    {
        ThrowIfClosed();
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, long.MaxValue - offset);
        string what = verb == IoVerb.Allocate ? "Allocating space" : "Punching a hole";
        if (!CanSeek)
        {
            IoErrors.ThrowUnseekable($"{what} in", Path);
        }

        if (!Libc.IsSupported)
        {
            IoErrors.ThrowNotSupportedHere(what, Path, "it needs fallocate of Linux");
        }

        using Reference reference = TakeReference();
        int result = verb == IoVerb.Allocate ? AllocateWhole(mode, offset, length) : SpaceCalls.Allocate(_fd, mode, offset, length);
        switch (-result)
        {
            case 0:
                return;
            case Errno.EOPNOTSUPP:
                IoErrors.ThrowNotSupportedHere(what, Path, "the file system has no fallocate for it");
                break;
            case Errno.ENOSPC or Errno.EDQUOT:
                throw new IOException(
                    $"{what} in '{Path}' failed: the disk has no room for {length} bytes at offset {offset} (errno {-result}).", -result);
            case Errno.EFBIG:
                throw new IOException(
                    $"{what} in '{Path}' failed: {length} bytes at offset {offset} are more than the file system, or the process's limit, "
                        + "allows.",
                    -result);
            default:
                ThrowFailed(-result, verb, offset);
                break;
        }
    }
}
