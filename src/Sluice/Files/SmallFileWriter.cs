using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Files;

/// <summary>
/// Writes small files one after the other, with the fewest system calls. No ring: the kernel hands every creation of a file to a
/// worker thread, which costs more than the creation.
/// </summary>
internal static class SmallFileWriter
{
    /// <summary>Null when the file is written, else why not.</summary>
    /// <param name="path">The file.</param>
    /// <param name="bytes">Its content.</param>
    /// <param name="createMode">Its permissions where it is made; null for .NET's.</param>
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
                // Devices, locked files, full disks: alone it is written, or there is a reason. What its owner may not open again to write
                // is not tried before: the reason would be that.
                LoneFile.Write(path, content, (uint?)createMode ?? ModeBits.NewFile);
            }

            return null;
        }
#pragma warning disable CA1031 // Whatever it is, it is this file's result.
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
            // As .NET: emptied only once the lock is ours.
            bool isLocked = PathCalls.LockSharedNow(fd) == 0;
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
