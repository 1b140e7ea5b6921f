using System.Runtime.InteropServices;
using System.Text;
using Sluice.Uring;
using Sluice.Uring.Abi;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// System calls on names of files, on 64-bit Linux. Paths are UTF-8 and end with a NUL. Each returns the result or a negative errno, does
/// not throw, and retries after EINTR.
/// </summary>
internal static unsafe partial class PathCalls
{
    public const int ReadOnly = 0;
    public const int WriteOnly = 1;
    public const int ReadWrite = 2;
    public const int Create = 0x40;

    /// <summary>O_NONBLOCK: a FIFO is opened without waiting for its other end. It has no effect on regular files.</summary>
    public const int NonBlocking = 0x800;
    public const int Exclusive = 0x80;
    /// <summary>O_PATH: opens a directory only to resolve names in it, which does not require permission to list it.</summary>
    public const int PathOnly = 0x200000;
    public const int CloseOnExec = 0x80000;

    /// <summary>
    /// The value for the current directory in place of a descriptor. The kernel's AT_FDCWD (-100) is not used, because it equals -ENETDOWN:
    /// a failed open would be taken for the current directory.
    /// </summary>
    public const int CurrentFolder = int.MinValue;

    public const int AtEmptyPath = 0x1000;
    public const int AtSymlinkFollow = 0x400;
    public const int AtSymlinkNoFollow = 0x100;

    private const int AtFdCwd = -100;
    private const int AccessMode = 3;
    private const int LockShared = 1;
    private const int LockExclusive = 2;
    private const int LockNonBlocking = 4;
    private const int LockRelease = 8;
    private const long NrOpenAt2 = 437;
    private static readonly long NrGetDents64 = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 217 : 61;
    private const ulong ResolveNoLinks = 0x04;
    private const ulong ResolveCached = 0x20;

    // O_DIRECTORY and O_NOFOLLOW differ between the architectures.
    private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    public static int DirectoryFlag => IsArm ? 0x4000 : 0x10000;

    /// <summary>O_TMPFILE: a file without a name in a directory.</summary>
    public static int TemporaryFlag => 0x400000 | DirectoryFlag;

    public static int NoFollowFlag => IsArm ? 0x8000 : 0x20000;

    /// <summary>Converts a path to UTF-8 with a terminating NUL.</summary>
    /// <exception cref="ArgumentException">The path contains a NUL, at which the kernel would end it.</exception>
    public static byte[] ToKernel(string path)
    {
        if (path.Contains('\0'))
        {
            throw new ArgumentException("Null character in path.", nameof(path));
        }

        byte[] bytes = new byte[Encoding.UTF8.GetByteCount(path) + 1];
        _ = Encoding.UTF8.GetBytes(path, bytes);
        return bytes;
    }

    /// <summary>
    /// Converts a directory argument for the kernel. The negative errno of a failed open becomes an invalid descriptor (EBADF) and is never
    /// taken for the current directory.
    /// </summary>
    public static int KernelFolder(int folderFd) => folderFd == CurrentFolder ? AtFdCwd : Math.Max(folderFd, -1);

    public static int Open(ReadOnlySpan<byte> path, int flags, uint mode = 0) => OpenAt(CurrentFolder, path, flags, mode);

    public static int Open(in NodePath path, int flags, uint mode = 0) => OpenAt(path.FolderFd, path.Name, flags, mode);

    public static int OpenAt(int directoryFd, ReadOnlySpan<byte> path, int flags, uint mode = 0)
    {
        fixed (byte* p = path)
        {
            nint fd;
            while (SystemCall.WasInterrupted(
                fd = SystemCallFaults.Fails("openat", directoryFd) ? -1 : openat(KernelFolder(directoryFd), p, flags | CloseOnExec, mode)))
            {
            }

            return SystemCall.Result(fd);
        }
    }

    /// <summary>
    /// Opens a file without blocking on a FIFO or a device. The descriptor has O_NONBLOCK, except for a regular file on which another
    /// process had a lease: that file is opened in a blocking way, as by other openers.
    /// </summary>
    public static int OpenNonBlocking(in NodePath path, int flags, uint mode = 0)
    {
        int fd = Open(path, flags | NonBlocking, mode);
        if (fd != -Errno.EAGAIN)
        {
            return fd;
        }

        int node = Open(path, PathOnly | (flags & NoFollowFlag));
        if (node < 0)
        {
            return node;
        }

        if (Libc.TypeOf(node) == Statx.TypeRegular)
        {
            int again = Open(Encoding.ASCII.GetBytes($"/proc/self/fd/{node}\0"), flags & AccessMode);
            fd = again == -Errno.ENOENT ? fd : again;
        }

        Close(node);
        return fd;
    }

    /// <summary>
    /// Opens a file for reading if all components of the path are in the kernel's cache (openat2, RESOLVE_CACHED). Returns -EAGAIN if not,
    /// and -EINVAL or -ENOSYS if the kernel does not support this.
    /// </summary>
    public static int OpenCached(ReadOnlySpan<byte> path, int directoryFd = CurrentFolder, int flags = ReadOnly) =>
        OpenResolved(directoryFd, path, flags, ResolveCached);

    /// <summary>
    /// Opens a file without following symbolic links in any component of the path (openat2, RESOLVE_NO_SYMLINKS). Returns -ENOSYS if the
    /// kernel does not support this.
    /// </summary>
    public static int OpenNoLinks(int directoryFd, ReadOnlySpan<byte> path, int flags) =>
        OpenResolved(directoryFd, path, flags, ResolveNoLinks);

    private static int OpenResolved(int directoryFd, ReadOnlySpan<byte> path, int flags, ulong resolve)
    {
        ulong* how = stackalloc ulong[3] { (uint)flags | CloseOnExec, 0, resolve };
        fixed (byte* p = path)
        {
            nint fd;
            while (SystemCall.WasInterrupted(fd = SystemCallFaults.Fails("openat2", directoryFd)
                ? -1
                : syscall(NrOpenAt2, KernelFolder(directoryFd), (nint)p, (nint)how, 3 * sizeof(ulong), 0, 0)))
            {
            }

            return SystemCall.Result(fd);
        }
    }

    /// <summary>getdents64(2): reads entries of an open directory. Returns the number of bytes, or 0 at the end.</summary>
    public static int ReadEntries(int folderFd, Span<byte> entries)
    {
        fixed (byte* p = entries)
        {
            nint bytes;
            while (SystemCall.WasInterrupted(bytes = SystemCallFaults.Fails("getdents64", folderFd)
                ? -1
                : syscall(NrGetDents64, folderFd, (nint)p, entries.Length, 0, 0, 0)))
            {
            }

            return SystemCall.Result(bytes);
        }
    }

    /// <summary>flock(2), shared and without waiting, as .NET locks files that it opens.</summary>
    public static int TryLockShared(int fd) => LockNow(fd, LockShared);

    /// <summary>flock(2), exclusive and without waiting, as .NET locks files that it opens with <see cref="FileShare.None"/>.</summary>
    public static int TryLockExclusive(int fd) => LockNow(fd, LockExclusive);

    private static int LockNow(int fd, int mode)
    {
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("flock", fd) ? -1 : flock(fd, mode | LockNonBlocking)))
        {
        }

        return SystemCall.Result(answer);
    }

    /// <summary>Releases a flock(2), even if another process has a copy of the descriptor.</summary>
    public static void Unlock(int fd) => _ = SystemCallFaults.Fails("flock", fd) ? -1 : flock(fd, LockRelease); // close(2) does too.

    public static int SetLength(int fd, long length)
    {
        nint result;
        while (SystemCall.WasInterrupted(result = SystemCallFaults.Fails("ftruncate", fd) ? -1 : ftruncate(fd, length)))
        {
        }

        return SystemCall.Result(result);
    }

    /// <summary>close(2) of a descriptor that was not written to. Errors are ignored, because they do not concern data.</summary>
    public static void Close(int fd) => _ = close(fd); // See the summary.

    /// <summary>
    /// close(2) of a descriptor that was written to. Returns 0 or a negative errno. The descriptor is closed in both cases, also after
    /// EINTR, for which this method returns 0.
    /// </summary>
    public static int CloseWritten(int fd)
    {
        bool fails = SystemCallFaults.Fails("close", fd);
        int injected = fails ? -Marshal.GetLastSystemError() : 0;
        int result = (int)SystemCall.Result((nint)close(fd));
        result = fails ? injected : result;
        return result == -Errno.EINTR ? 0 : result;
    }

    /// <summary>
    /// Closes a duplicate of a descriptor that was written to and returns the result: the file system reports delayed errors as it would at
    /// the close of the descriptor itself, which stays open. If the process has no free descriptor, the result is its error for a file
    /// system that can report such errors, otherwise 0.
    /// </summary>
    public static int CloseDuplicate(int fd)
    {
        const int duplicateCloseOnExec = 1030;
        int duplicate = SystemCallFaults.Fails("fcntl", fd) ? -1 : fcntl(fd, duplicateCloseOnExec, 0);
        if (duplicate >= 0)
        {
            return CloseWritten(duplicate);
        }

        int error = Marshal.GetLastSystemError();
        return OperatingSystem.IsLinux() && RemoteFileSystem.Holds(fd) ? -error : 0;
    }

    [LibraryImport(SystemLibrary.Name)]
    private static partial int openat(int directoryFd, byte* path, int flags, uint mode);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int ftruncate(int fd, long length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int close(int fd);
}
