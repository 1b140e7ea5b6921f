using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// Writes small files one after another with few system calls. Does not use a ring, because the kernel hands each creation of a file to a
/// worker thread, which takes longer than the creation itself.
/// </summary>
internal static class SmallFileWriter
{
    /// <summary>Writes a file. Returns null, or the exception if that failed.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="bytes">The content.</param>
    /// <param name="createMode">The permissions of a new file, or null for the default of .NET.</param>
    public static Exception? Write(string path, ReadOnlyMemory<byte> bytes, UnixFileMode? createMode)
    {
        try
        {
            ReadOnlySpan<byte> content = bytes.Span;
            if (!Libc.IsSupported)
            {
                WritePortably(path, content, createMode);
            }
            else if (SmallFile.ToKernelPath(path) is not { } kernelPath
                || createMode?.HasFlag(UnixFileMode.UserWrite) == false
                || !TryWrite(kernelPath, content, (uint?)createMode ?? ModeBits.NewFile))
            {
                // If the direct attempt failed (for example for a device, a locked file or a full disk), the file is written again
                // individually, to get the exception. The direct attempt must come first, because its owner may not be able to open the new
                // file again.
                SingleFile.Write(path, content, (uint?)createMode ?? ModeBits.NewFile);
            }

            return null;
        }
#pragma warning disable CA1031 // The result of this file contains it.
        catch (Exception e)
        {
            return e;
        }
#pragma warning restore CA1031
    }

    private static void WritePortably(string path, ReadOnlySpan<byte> bytes, UnixFileMode? createMode)
    {
        FileStreamOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 0 };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = createMode;
        }

        using FileStream stream = new(path, options);
        stream.Write(bytes);
    }

    private static bool TryWrite(byte[] kernelPath, ReadOnlySpan<byte> bytes, uint createMode)
    {
        bool isWritten, isClosed;
        int fd = PathCalls.Open(kernelPath, PathCalls.WriteOnly | PathCalls.Create | PathCalls.NonBlocking, createMode);
        if (fd < 0)
        {
            return false;
        }

        try
        {
            // As in .NET, the file is truncated only after it has been locked.
            bool isLocked = PathCalls.TryLockShared(fd) == 0;
            bool isKnown = Libc.Stat(fd, StatxMask.Type | StatxMask.Size, out Statx stat) == 0;
            isWritten = isLocked && isKnown && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular
                && (stat.Size == 0 || PathCalls.SetLength(fd, 0) == 0)
                && WriteAll(fd, bytes);
        }
        finally
        {
            isClosed = PathCalls.CloseWritten(fd) == 0;
        }

        return isWritten && isClosed;
    }

    private static bool WriteAll(int fd, ReadOnlySpan<byte> bytes)
    {
        for (int done = 0; done < bytes.Length;)
        {
            int written = TransferCalls.Write(fd, bytes[done..], done, RwFlags.None);
            if (written <= 0)
            {
                return false;
            }

            done += written;
        }

        return true;
    }
}
