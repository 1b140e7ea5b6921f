using System.Buffers;
using System.Runtime.Versioning;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Copying;

/// <summary>Compares a copy with its source, to resume a copy or to verify it. Blocks the calling thread.</summary>
[SupportedOSPlatform("linux")]
internal static class ContentComparer
{
#if DEBUG
    private const int BlockBytes = 16 * 1024;
#else
    private const int BlockBytes = 1024 * 1024;
#endif

    /// <summary>
    /// Returns the number of equal bytes at the start of both files, rounded down to a block unless the files are equal to the end of the
    /// source.
    /// </summary>
    public static long FirstDifference(
        int fromFd, string source, int copyFd, string target, long length, CancellationToken cancellationToken)
    {
        using SluiceHandle original = Borrow(fromFd, source);
        using SluiceHandle copy = Borrow(copyFd, target);
        return FirstDifference(original, copy, length, cancellationToken);
    }

    /// <summary>Reads the copy from the disk, and compares the copied bytes with the source. The source may have grown since.</summary>
    /// <exception cref="IOException">The files differ.</exception>
    public static void Verify(int fromFd, string source, int copyFd, string target, long length, CancellationToken cancellationToken)
    {
        // If direct I/O is not possible, the pages must be dropped from the cache. They are clean, because the copy has been flushed.
        CacheCalls.Drop(copyFd, 0, 0);
        using SluiceHandle original = Borrow(fromFd, source);
        using SluiceHandle copy = OpenDirect(copyFd, target);
        long same = FirstDifference(original, copy, length, cancellationToken);
        if (same < length)
        {
            throw new IOException(
                $"Copying '{source}' to '{target}' failed: the data on the disk differs from the source at or after offset {same}.");
        }
    }

    private static long FirstDifference(SluiceHandle original, SluiceHandle copy, long length, CancellationToken cancellationToken)
    {
        byte[] one = ArrayPool<byte>.Shared.Rent(BlockBytes);
        byte[] other = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            int wanted;
            for (long at = 0; at < length; at += wanted)
            {
                cancellationToken.ThrowIfCancellationRequested();
                wanted = (int)Math.Min(BlockBytes, length - at);
                int bytes = original.Read(one.AsSpan(0, wanted), at);
                int copied = copy.Read(other.AsSpan(0, wanted), at);
                if (bytes < wanted || !one.AsSpan(0, bytes).SequenceEqual(other.AsSpan(0, copied)))
                {
                    return at;
                }
            }

            return length;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(one);
            ArrayPool<byte>.Shared.Return(other);
        }
    }

    private static SluiceHandle Borrow(int fd, string name) =>
        SluiceHandle.FromSafeFileHandle(new SafeFileHandle(fd, ownsHandle: false), name, FileAccess.Read, ownsHandle: false);

    /// <summary>
    /// Opens the same file again through /proc for direct I/O, or returns a handle for the open descriptor if that is not possible
    /// (because of the file's mode or because there is no /proc).
    /// </summary>
    /// <remarks>
    /// System.IO is not used, because it locks the file (flock). Network file systems treat this lock as a lock of all bytes, which
    /// conflicts with the lock that this copy has on its temporary file.
    /// </remarks>
    private static SluiceHandle OpenDirect(int fd, string name)
    {
        int again = PathCalls.Open(Encoding.ASCII.GetBytes($"/proc/self/fd/{fd}\0"), PathCalls.ReadOnly);
        if (again is -Errno.EACCES or -Errno.EPERM or -Errno.ENOENT or -Errno.ENOTDIR)
        {
            return Borrow(fd, name);
        }

        PathErrors.ThrowIfFailed(again, "Opening", name);
        return SluiceHandle.Adopt(new SafeFileHandle(again, ownsHandle: true), name, FileAccess.Read, FileCaching.Direct, engine: null);
    }
}
