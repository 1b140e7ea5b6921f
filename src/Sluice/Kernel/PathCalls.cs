using System.Runtime.InteropServices;
using System.Text;
using Sluice.Uring;
using Sluice.Uring.Abi;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// System calls that name files, on 64-bit Linux. Paths are UTF-8 and end with a NUL. Each returns the result or a negative errno;
/// no call throws, and EINTR is retried.
/// </summary>
internal static unsafe partial class PathCalls
{
    public const int ReadOnly = 0;
    public const int WriteOnly = 1;
    public const int ReadWrite = 2;
    public const int Create = 0x40;

    /// <summary>O_NONBLOCK: a FIFO is opened without waiting for who writes it; files do not mind.</summary>
    public const int NonBlocking = 0x800;
    public const int Exclusive = 0x80;
    /// <summary>O_PATH: to name files below it, without the right to list it.</summary>
    public const int PathOnly = 0x200000;
    public const int CloseOnExec = 0x80000;

    /// <summary>
    /// The current folder, in the place of an open one. The kernel's own number for it, -100, is what an opening answers that failed with
    /// ENETDOWN: what was not opened would be taken for the current folder.
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

    // O_DIRECTORY and O_NOFOLLOW are two of the few flags that differ between the architectures.
    private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    public static int DirectoryFlag => IsArm ? 0x4000 : 0x10000;

    /// <summary>O_TMPFILE: a file without a name, in the folder that is named.</summary>
    public static int TemporaryFlag => 0x400000 | DirectoryFlag;

    public static int NoFollowFlag => IsArm ? 0x8000 : 0x20000;

    /// <summary>The path as the kernel takes it.</summary>
    /// <exception cref="ArgumentException">It has a NUL, where the kernel would see another path end.</exception>
    public static byte[] ToKernel(string path)
    {
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("Null character in path.", nameof(path));
        }

        byte[] bytes = new byte[Encoding.UTF8.GetByteCount(path) + 1];
        _ = Encoding.UTF8.GetBytes(path, bytes);
        return bytes;
    }

    /// <summary>
    /// A folder as the kernel is told of it; every call that looks a name up in one asks here. What is no descriptor, as the errno of an
    /// opening that failed, is none to the kernel either (EBADF), and never the current folder.
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
    /// Opens a file, and waits neither for the other end of a FIFO nor for a device; what was opened has O_NONBLOCK, unless it is a plain
    /// file on which somebody had a lease: for that one is waited, as every other opener waits. It is known to be a plain file then.
    /// </summary>
    public static int OpenUnwaiting(in NodePath path, int flags, uint mode = 0)
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
    /// Opens for reading only if the names are in the kernel's cache (openat2, RESOLVE_CACHED); -EAGAIN where the disk must be asked,
    /// -EINVAL or -ENOSYS where the kernel cannot tell.
    /// </summary>
    public static int OpenCached(ReadOnlySpan<byte> path, int directoryFd = CurrentFolder, int flags = ReadOnly) =>
        OpenResolved(directoryFd, path, flags, ResolveCached);

    /// <summary>
    /// Opens what is there without following a link in any part of the path (openat2, RESOLVE_NO_SYMLINKS); -ENOSYS where the kernel
    /// cannot.
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

    /// <summary>getdents64(2): the next entries of an open folder; how many bytes, 0 at its end.</summary>
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

    /// <summary>flock(2), shared and without waiting: what .NET does with every file that it opens.</summary>
    public static int LockSharedNow(int fd) => LockNow(fd, LockShared);

    /// <summary>flock(2), exclusive and without waiting: what .NET does with a file that it opens with <see cref="FileShare.None"/>.</summary>
    public static int LockAloneNow(int fd) => LockNow(fd, LockExclusive);

    private static int LockNow(int fd, int mode)
    {
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("flock", fd) ? -1 : flock(fd, mode | LockNonBlocking)))
        {
        }

        return SystemCall.Result(answer);
    }

    /// <summary>Gives a flock(2) up, whoever else has this open file still.</summary>
    public static void Unlock(int fd) => _ = SystemCallFaults.Fails("flock", fd) ? -1 : flock(fd, LockRelease); // Closing unlocks, too.

    public static int SetLength(int fd, long length)
    {
        nint result;
        while (SystemCall.WasInterrupted(result = SystemCallFaults.Fails("ftruncate", fd) ? -1 : ftruncate(fd, length)))
        {
        }

        return SystemCall.Result(result);
    }

    /// <summary>close(2) of a descriptor that was not written to: no error of it concerns any data.</summary>
    public static void Close(int fd) => _ = close(fd); // See above.

    /// <summary>
    /// close(2) of a descriptor that was written to: 0, or a negative errno. The descriptor is gone in either case, also after EINTR, which
    /// is no error here.
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
    /// What close(2) would answer for an open descriptor, which stays open: the answer to closing a duplicate, which the file system is asked
    /// for in the same way. 0 where the process has no descriptor left for a duplicate.
    /// </summary>
    public static int CloseDuplicate(int fd)
    {
        const int duplicateCloseOnExec = 1030;
        int duplicate = SystemCallFaults.Fails("fcntl", fd) ? -1 : fcntl(fd, duplicateCloseOnExec, 0);
        return duplicate < 0 ? 0 : CloseWritten(duplicate);
    }

    [LibraryImport(SystemLibrary.Name)]
    private static partial int openat(int directoryFd, byte* path, int flags, uint mode);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int ftruncate(int fd, long length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int close(int fd);
}
