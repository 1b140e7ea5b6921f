using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Opens files as <see cref="File.OpenHandle"/> does, with its lock of <see cref="FileShare.Read"/> and its exceptions, but waits for
/// nobody's other end: what is looked at is what was opened, whatever had the name a moment before. Linux only.
/// </summary>
internal static class UnwaitingFile
{
    private static readonly bool LocksFiles = !IsLockingOff();

    /// <param name="path">The file.</param>
    /// <param name="flags">Of open(2). What was opened has O_NONBLOCK beside them, unless it is a plain file.</param>
    /// <param name="createMode">Permissions of a new file.</param>
    /// <param name="verb">For messages.</param>
    /// <param name="refusal">The exception for a FIFO or a socket, of verb and path.</param>
    /// <param name="type">What it is, as in the mode of stat(2).</param>
    public static SafeFileHandle Open(
        string path, int flags, uint createMode, string verb, Func<string, string, Exception> refusal, out int type)
    {
        NodePath full = NodePath.Of(Path.GetFullPath(path));
        int fd = PathCalls.OpenUnwaiting(full, flags, createMode);
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

            // As .NET says of folders.
            PathErrors.ThrowIfFailed(type == Statx.TypeDirectory ? -Errno.EACCES : 0, "Opening", path);
            if (LocksFiles && PathCalls.LockSharedNow(fd) == -Errno.EAGAIN)
            {
                throw InUse(path);
            }

            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Takes O_NONBLOCK away.</summary>
    public static void MakeWaiting(SafeFileHandle file, string path)
    {
        int fd = (int)file.DangerousGetHandle();
        int given = Libc.GetFlags(fd);
        PathErrors.ThrowIfFailed(given < 0 ? given : Libc.SetFlags(fd, given & ~PathCalls.NonBlocking), "Opening", path);
    }

    /// <summary>Whether a name that could not be opened is a FIFO's without a reader, or a socket's.</summary>
    private static bool IsFifo(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: true, StatxMask.Type, out Statx stat) == 0
        && (stat.Mode & Statx.TypeMask) is Statx.TypeFifo or Statx.TypeSocket;

    /// <summary>The exception that .NET has for a file that it cannot open.</summary>
    private static Exception Refuse(int result, string path) => result switch
    {
        -Errno.EISDIR => PathErrors.Create(-Errno.EACCES, "Opening", path),
        -Errno.EAGAIN => InUse(path),
        _ => PathErrors.Create(result, "Opening", Path.TrimEndingDirectorySeparator(path)),
    };

    private static IOException InUse(string path) =>
        new($"The process cannot access the file '{path}' because it is being used by another process.", Errno.EAGAIN);

    /// <summary>As .NET's own switch for FileShare.</summary>
    private static bool IsLockingOff() => AppContext.TryGetSwitch("System.IO.DisableFileLocking", out bool isOff)
        ? isOff
        : Environment.GetEnvironmentVariable("DOTNET_SYSTEM_IO_DISABLEFILELOCKING") is { } value
            && (value == "1" || value.Equals("true", StringComparison.OrdinalIgnoreCase));
}
