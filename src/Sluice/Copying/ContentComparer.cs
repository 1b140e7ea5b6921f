using System.Buffers;
using System.Runtime.Versioning;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Compares a copy with its source: to go on from it, or to vouch for it. Blocks its thread.</summary>
[SupportedOSPlatform("linux")]
internal static class ContentComparer
{
#if DEBUG
    private const int BlockBytes = 16 * 1024;
#else
    private const int BlockBytes = 1024 * 1024;
#endif

    /// <summary>How far both are the same, rounded down to a block, unless they are the same to the end of the source.</summary>
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

    /// <summary>Reads the copy from the disk and compares it with the source.</summary>
    /// <exception cref="IOException">They differ.</exception>
    public static void Verify(int fromFd, string source, int copyFd, string target, CancellationToken cancellationToken)
    {
        // What direct I/O cannot pass by is dropped: it has been flushed.
        CacheCalls.Drop(copyFd, 0, 0);
        using SluiceHandle original = OpenAnew(fromFd, source, FileCaching.Cached);
        using SluiceHandle copy = OpenAnew(copyFd, target, FileCaching.Direct);
        byte[] one = ArrayPool<byte>.Shared.Rent(BlockBytes);
        byte[] other = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            int bytes = -1;
            for (long at = 0; bytes != 0; at += bytes)
            {
                cancellationToken.ThrowIfCancellationRequested();
                bytes = Read(original, one, at);
                int copied = Read(copy, other, at);
                if (!one.AsSpan(0, bytes).SequenceEqual(other.AsSpan(0, copied)))
                {
                    throw new IOException(
                        $"Copying '{source}' to '{target}' failed: the disk returns other bytes than the source has, at offset {at} or behind it.");
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
    /// Opens the very file anew, whatever has its name now, with flags of its own; where its mode keeps its owner out, or there is no
    /// /proc, as it is open.
    /// </summary>
    /// <remarks>
    /// Not by System.IO, which locks what it opens (flock): network file systems take that for a lock of all bytes, and it is refused by
    /// the one that this copy has on its temporary file.
    /// </remarks>
    private static SluiceHandle OpenAnew(int fd, string name, FileCaching caching)
    {
        int again = PathCalls.Open(Encoding.ASCII.GetBytes($"/proc/self/fd/{fd}\0"), PathCalls.ReadOnly);
        if (again is -Errno.EACCES or -Errno.EPERM or -Errno.ENOENT or -Errno.ENOTDIR)
        {
            _ = Libc.SetFlags(fd, Libc.GetFlags(fd) & ~PathCalls.NonBlocking); // A regular file ignores O_NONBLOCK in most file systems.
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

    /// <summary>Returns the number of bytes read; fewer than asked for at the end of the file or after an error.</summary>
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
