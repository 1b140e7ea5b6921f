using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Opens files as <see cref="File.OpenHandle"/> does, with the lock of <see cref="FileShare.Read"/> and its exceptions, but without
/// blocking on a FIFO or device. The type is checked on the open descriptor. Linux only.
/// </summary>
internal static class NonBlockingFile
{
    private static readonly bool LocksFiles = !IsLockingOff();

    /// <param name="path">The path of the file.</param>
    /// <param name="flags">The flags of open(2). O_NONBLOCK is added, and stays set unless the file is a regular file.</param>
    /// <param name="createMode">The permissions of a new file.</param>
    /// <param name="verb">The operation, for messages.</param>
    /// <param name="refusal">Creates the exception for a FIFO or a socket.</param>
    /// <param name="type">The type of the file, as in the mode of stat(2).</param>
    public static SafeFileHandle Open(
        string path, int flags, uint createMode, string verb, Func<string, string, Exception> refusal, out int type)
    {
        NodePath full = NodePath.Of(Path.GetFullPath(path));
        int fd = PathCalls.OpenNonBlocking(full, flags, createMode);
        if (fd < 0)
        {
            throw fd == -Errno.ENXIO && IsFifo(full) ? refusal(verb, path) : Refuse(fd, path);
        }

        SafeFileHandle file = new(fd, ownsHandle: true);
        try
        {
            type = Libc.TypeOf(fd);
            PathErrors.ThrowIfFailed(Math.Min(type, 0), "Looking at", path);
            if (type == Statx.TypeFifo)
            {
                throw refusal(verb, path);
            }

            // A directory gets the error that .NET reports.
            PathErrors.ThrowIfFailed(type == Statx.TypeDirectory ? -Errno.EACCES : 0, "Opening", path);
            if (LocksFiles && PathCalls.TryLockShared(fd) == -Errno.EAGAIN)
            {
                throw PathErrors.InUse(path);
            }

            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Clears O_NONBLOCK.</summary>
    public static void MakeBlocking(SafeFileHandle file, string path)
    {
        int fd = (int)file.DangerousGetHandle();
        int given = Libc.GetFlags(fd);
        PathErrors.ThrowIfFailed(given < 0 ? given : Libc.SetFlags(fd, given & ~PathCalls.NonBlocking), "Opening", path);
    }

    /// <summary>Returns true if a path that could not be opened is a FIFO without a reader, or a socket.</summary>
    private static bool IsFifo(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: true, StatxMask.Type, out Statx stat) == 0
        && (stat.Mode & Statx.TypeMask) is Statx.TypeFifo or Statx.TypeSocket;

    /// <summary>Returns the exception of .NET for a file that cannot be opened.</summary>
    private static Exception Refuse(int result, string path) => result switch
    {
        -Errno.EISDIR => PathErrors.Create(-Errno.EACCES, "Opening", path),
        -Errno.EAGAIN => PathErrors.InUse(path),
        _ => PathErrors.Create(result, "Opening", Path.TrimEndingDirectorySeparator(path)),
    };

    /// <summary>Returns true if the switch of .NET disables the locks of FileShare.</summary>
    private static bool IsLockingOff() => AppContext.TryGetSwitch("System.IO.DisableFileLocking", out bool isOff)
        ? isOff
        : Environment.GetEnvironmentVariable("DOTNET_SYSTEM_IO_DISABLEFILELOCKING") is { } value
            && (value == "1" || value.Equals("true", StringComparison.OrdinalIgnoreCase));
}
