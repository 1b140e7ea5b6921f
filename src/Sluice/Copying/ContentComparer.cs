using System.Buffers;
using System.Runtime.Versioning;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

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
    public static long FirstDifference(int fromFd, int toFd, long length, CancellationToken cancellationToken)
    {
        byte[] one = ArrayPool<byte>.Shared.Rent(BlockBytes);
        byte[] other = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            long at = 0;
            while (at < length)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int wanted = (int)Math.Min(BlockBytes, length - at);
                if (Fill(fromFd, one.AsSpan(0, wanted), at) < wanted || Fill(toFd, other.AsSpan(0, wanted), at) < wanted
                    || !one.AsSpan(0, wanted).SequenceEqual(other.AsSpan(0, wanted)))
                {
                    return at;
                }

                at += wanted;
            }

            return length;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(one);
            ArrayPool<byte>.Shared.Return(other);
        }
    }

    /// <summary>
    /// Reads the copy from the disk and compares as many bytes as were copied with the source, which may have grown since.
    /// </summary>
    /// <exception cref="IOException">The files differ.</exception>
    public static void Verify(int fromFd, string source, int copyFd, string target, long length, CancellationToken cancellationToken)
    {
        // Without direct I/O, the pages are dropped from the cache. They are clean, because the copy has been flushed.
        CacheCalls.Drop(copyFd, 0, 0);
        using SluiceHandle original = OpenAnew(fromFd, source, FileCaching.Cached);
        using SluiceHandle copy = OpenAnew(copyFd, target, FileCaching.Direct);
        byte[] one = ArrayPool<byte>.Shared.Rent(BlockBytes);
        byte[] other = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            int wanted;
            for (long at = 0; at < length; at += wanted)
            {
                cancellationToken.ThrowIfCancellationRequested();
                wanted = (int)Math.Min(BlockBytes, length - at);
                int bytes = Math.Min(Read(original, one, at), wanted);
                int copied = Math.Min(Read(copy, other, at), wanted);
                if (bytes < wanted || !one.AsSpan(0, bytes).SequenceEqual(other.AsSpan(0, copied)))
                {
                    throw new IOException(
                        $"Copying '{source}' to '{target}' failed: the data on the disk differs from the source at or after offset {at}.");
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(one);
            ArrayPool<byte>.Shared.Return(other);
        }
    }

    /// <summary>
    /// Opens the same file again through /proc, with its own flags, or returns a handle for the open descriptor if that is not possible
    /// (because of the file's mode or because there is no /proc).
    /// </summary>
    /// <remarks>
    /// System.IO is not used, because it locks the file (flock). Network file systems treat this lock as a lock of all bytes, which
    /// conflicts with the lock that this copy has on its temporary file.
    /// </remarks>
    private static SluiceHandle OpenAnew(int fd, string name, FileCaching caching)
    {
        int again = PathCalls.Open(Encoding.ASCII.GetBytes($"/proc/self/fd/{fd}\0"), PathCalls.ReadOnly);
        if (again is -Errno.EACCES or -Errno.EPERM or -Errno.ENOENT or -Errno.ENOTDIR)
        {
            _ = Libc.SetFlags(fd, Libc.GetFlags(fd) & ~PathCalls.NonBlocking); // Most file systems ignore it for regular files.
            return SluiceHandle.FromSafeFileHandle(
                new SafeFileHandle(fd, ownsHandle: false), name, FileAccess.Read, ownsHandle: false);
        }

        PathErrors.ThrowIfFailed(again, "Opening", name);
        return SluiceHandle.Adopt(new SafeFileHandle(again, ownsHandle: true), name, FileAccess.Read, caching, engine: null);
    }

    private static int Read(SluiceHandle handle, byte[] buffer, long offset)
    {
        try
        {
            return handle.Read(buffer.AsSpan(0, BlockBytes), offset);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw IoErrors.Wrap(e, IoVerb.Read, handle.Path, -1);
        }
    }

    /// <summary>Returns the number of bytes read, which is smaller than requested at the end of the file or after an error.</summary>
    private static int Fill(int fd, Span<byte> buffer, long offset)
    {
        int filled = 0;
        while (filled < buffer.Length)
        {
            int bytes = TransferCalls.Read(fd, buffer[filled..], offset + filled, RwFlags.None);
            if (bytes <= 0)
            {
                break;
            }

            filled += bytes;
        }

        return filled;
    }
}
