using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>Opens regular files whose names other users can replace: opening a FIFO does not block. Linux only.</summary>
internal static class PlainFile
{
    /// <param name="node">The name of the file.</param>
    /// <param name="path">The path, for messages.</param>
    /// <param name="flags">The flags of open(2).</param>
    /// <param name="mode">The permissions of a new file.</param>
    /// <param name="engine">The engine of the handle, or null for the default.</param>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="IOException">The file is not a regular file, or the operating system reported an error.</exception>
    public static SluiceHandle Open(in NodePath node, string path, int flags, uint mode = 0, IoEngine? engine = null)
    {
        int fd = PathCalls.Open(node, flags | PathCalls.NonBlocking, mode);
        PathErrors.ThrowIfFailed(fd, "Opening", path);
        SafeFileHandle file = new(fd, ownsHandle: true);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx stat), "Opening", path);
            if ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular)
            {
                throw new IOException($"Opening '{path}' failed: it is not a regular file.");
            }

            NonBlockingFile.MakeBlocking(file, path);
            FileAccess access = (flags & PathCalls.ReadWrite) != 0 ? FileAccess.ReadWrite : FileAccess.Read;
            return SluiceHandle.FromSafeFileHandle(file, path, access, ownsHandle: true, engine);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }
}
