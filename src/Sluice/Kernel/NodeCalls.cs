using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Sluice.Uring;
using Sluice.Uring.Abi;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// System calls on names and metadata, on 64-bit Linux. Names end with a NUL. Each returns a non-negative result or a negative errno, does
/// not throw, and retries after EINTR, which a file system in user space can return for any call.
/// </summary>
internal static unsafe partial class NodeCalls
{
    /// <summary>A value for chown(2) that leaves user or group unchanged.</summary>
    public const uint Unchanged = uint.MaxValue;

    // The folder argument of a call with an absolute path.
    private const int NoFolder = -1;
    private const long NrFaccessAt2 = 439;
    private static bool s_linksDescriptors = true;

    /// <summary>
    /// Returns the metadata of the file that a path leads to, following links, or false if statx(2) fails or is not available.
    /// </summary>
    public static bool TryStat(string path, out Statx result)
    {
        result = default;
        return Libc.IsSupported && !path.Contains('\0')
            && Stat(PathCalls.ToKernel(path), followsLinks: true, StatxMask.BasicStats, out result) == 0;
    }

    public static int Stat(ReadOnlySpan<byte> path, bool followsLinks, StatxMask mask, out Statx result) =>
        StatAt(PathCalls.CurrentFolder, path, followsLinks, mask, out result);

    public static int Stat(in NodePath path, bool followsLinks, StatxMask mask, out Statx result) =>
        StatAt(path.FolderFd, path.Name, followsLinks, mask, out result);

    public static int StatAt(int directoryFd, ReadOnlySpan<byte> path, bool followsLinks, StatxMask mask, out Statx result)
    {
        fixed (byte* p = path)
        fixed (Statx* s = &result)
        {
            nint answer;
            while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("statx", directoryFd)
                ? -1
                : syscall(NrStatx, PathCalls.KernelFolder(directoryFd), (nint)p, followsLinks ? 0 : PathCalls.AtSymlinkNoFollow, (nint)(uint)mask,
                    (nint)s, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    public static int Rename(in NodePath from, in NodePath to)
    {
        fixed (byte* f = from.Name)
        fixed (byte* t = to.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("renameat", to.FolderFd) ? -1 : renameat(from.KernelFolder, f, to.KernelFolder, t)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    public static int Unlink(in NodePath path)
    {
        fixed (byte* p = path.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("unlinkat", path.FolderFd) ? -1 : unlinkat(path.KernelFolder, p, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>Creates a hard link. If the path is a symbolic link, links the symbolic link itself.</summary>
    public static int Link(in NodePath from, in NodePath to) => Link(from.FolderFd, from.Name, to, 0);

    /// <summary>Creates a symbolic link with the given bytes as its content.</summary>
    public static int MakeSymbolicLink(ReadOnlySpan<byte> target, in NodePath at)
    {
        fixed (byte* t = target)
        fixed (byte* a = at.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("symlinkat", at.FolderFd) ? -1 : symlinkat(t, at.KernelFolder, a)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>Returns the content of a symbolic link with a terminating NUL, or null and a negative errno.</summary>
    public static byte[]? ReadSymbolicLink(in NodePath path, out int errno)
    {
        const int most = 4096;
        byte[] buffer = new byte[most + 1];
        fixed (byte* p = path.Name)
        fixed (byte* b = buffer)
        {
            nint length;
            while (SystemCall.WasInterrupted(
                length = SystemCallFaults.Fails("readlinkat", path.FolderFd) ? -1 : readlinkat(path.KernelFolder, p, b, most)))
            {
            }

            errno = length < 0 ? -Marshal.GetLastSystemError() : 0;
            return length < 0 ? null : buffer[..((int)length + 1)];
        }
    }

    public static int MakeDirectory(in NodePath path, uint mode)
    {
        fixed (byte* p = path.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("mkdirat", path.FolderFd) ? -1 : mkdirat(path.KernelFolder, p, mode)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>
    /// Creates a FIFO, socket or device with the type and number of another one. Its permissions are subject to the umask.
    /// </summary>
    public static int MakeNode(in NodePath path, in Statx like)
    {
        // makedev(3)
        ulong device = ((ulong)(like.RdevMajor & 0xFFF) << 8) | ((ulong)(like.RdevMajor & ~0xFFFu) << 32)
            | (like.RdevMinor & 0xFF) | ((ulong)(like.RdevMinor & ~0xFFu) << 12);
        fixed (byte* p = path.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("mknodat", path.FolderFd) ? -1 : mknodat(path.KernelFolder, p, like.Mode, device)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>Returns a word for the type of a node that <see cref="MakeNode"/> creates.</summary>
    public static string KindOf(in Statx stat) => (stat.Mode & Statx.TypeMask) switch
    {
        Statx.TypeBlockDevice => "block device",
        Statx.TypeCharacterDevice => "character device",
        Statx.TypeFifo => "FIFO",
        Statx.TypeSocket => "socket",
        _ => "node",
    };

    /// <summary>Sets the mode of an open node, also of a descriptor opened with O_PATH.</summary>
    public static int SetMode(int fd, uint mode)
    {
        nint opened;
        while (SystemCall.WasInterrupted(opened = SystemCallFaults.Fails("fchmod", fd) ? -1 : fchmod(fd, mode)))
        {
        }

        int result = SystemCall.Result(opened);
        if (result != -Errno.EBADF)
        {
            return result;
        }

        fixed (byte* p = PathOf(fd))
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("fchmodat", fd) ? -1 : fchmodat(NoFolder, p, mode, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>Sets the owner of an open node, also of a descriptor opened with O_PATH.</summary>
    public static int SetOwner(int fd, uint user, uint group)
    {
        byte empty = 0;
        nint answer;
        while (SystemCall.WasInterrupted(
            answer = SystemCallFaults.Fails("fchownat", fd)
                ? -1
                : fchownat(PathCalls.KernelFolder(fd), &empty, user, group, PathCalls.AtEmptyPath)))
        {
        }

        return SystemCall.Result(answer);
    }

    /// <summary>Sets the times of last access and modification of an open node, also of a descriptor opened with O_PATH.</summary>
    public static int SetTimes(int fd, in Statx from)
    {
        long* times = stackalloc long[4] { from.Atime.Seconds, from.Atime.Nanoseconds, from.Mtime.Seconds, from.Mtime.Nanoseconds };
        int result = Libc.SetTimes(fd, new ReadOnlySpan<long>(times, 4));
        if (result != -Errno.EBADF)
        {
            return result;
        }

        fixed (byte* p = PathOf(fd))
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("utimensat", fd) ? -1 : utimensat(NoFolder, p, times, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>
    /// Returns 0 if the effective user has write permission for a node (faccessat2; links are not followed), or a negative errno; -ENOSYS
    /// or -EPERM if the kernel or a sandbox does not support the call.
    /// </summary>
    public static int MayWrite(in NodePath path)
    {
        const int writing = 2;
        const int effective = 0x200;
        fixed (byte* p = path.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("faccessat2", path.FolderFd)
                ? -1
                : syscall(NrFaccessAt2, path.KernelFolder, (nint)p, writing, effective | PathCalls.AtSymlinkNoFollow, 0, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>
    /// Creates a hard link to an open file, which may have no name (O_TMPFILE): by its descriptor, for which older kernels require a
    /// privilege, or by its path in /proc, which takes longer.
    /// </summary>
    public static int LinkOpened(int fd, in NodePath to)
    {
        int result = s_linksDescriptors ? Link(fd, "\0"u8, to, PathCalls.AtEmptyPath) : -Errno.ENOENT;
        if (result is -Errno.ENOENT or -Errno.EPERM or -Errno.EINVAL)
        {
            result = Link(NoFolder, PathOf(fd), to, PathCalls.AtSymlinkFollow);
            s_linksDescriptors &= result != 0;
        }

        return result;
    }

    private static int Link(int fromFd, ReadOnlySpan<byte> from, in NodePath to, int flags)
    {
        fixed (byte* f = from)
        fixed (byte* t = to.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("linkat", to.FolderFd)
                    ? -1
                    : linkat(PathCalls.KernelFolder(fromFd), f, to.KernelFolder, t, flags)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>
    /// The locked byte, which is beyond the end of any file. struct flock has the fields type and whence, padding, start, length and
    /// process.
    /// </summary>
    private const long LockedByte = 1L << 62;

    /// <summary>
    /// Locks a file without waiting, until the open file is closed (F_OFD_SETLK): exclusively for writing, otherwise shared. Only one byte
    /// is locked that no file contains, so that reads are possible where locks are mandatory (SMB). On a local file system, these locks are
    /// independent of flock(2), which FileShare of .NET uses.
    /// </summary>
    public static int LockFileNow(int fd, bool forWriting) => LockFile(fd, (short)(forWriting ? 1 : 0));

    public static int UnlockFile(int fd) => LockFile(fd, 2);

    /// <summary>
    /// Returns true if another open file has the exclusive lock of <see cref="LockFileNow"/> (F_OFD_GETLK), which requires permission to
    /// write, or if this is unknown.
    /// </summary>
    public static bool IsLockedForWriting(int fd)
    {
        const int getOfdLock = 36;
        const ushort unlocked = 2;
        long* flock = stackalloc long[4] { 0, LockedByte, 1, 0 };
        return fcntl(fd, getOfdLock, (nint)flock) != 0 || (ushort)flock[0] != unlocked;
    }

    private static int LockFile(int fd, short type)
    {
        const int setOfdLock = 37;
        long* flock = stackalloc long[4] { (ushort)type, LockedByte, 1, 0 };
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("fcntl", fd) ? -1 : fcntl(fd, setOfdLock, (nint)flock)))
        {
        }

        return SystemCall.Result(answer);
    }

    /// <summary>Returns a path that refers to the open node, for calls that do not support descriptors opened with O_PATH.</summary>
    private static byte[] PathOf(int fd) => Encoding.ASCII.GetBytes($"/proc/self/fd/{fd}\0");

    public static uint EffectiveUser => geteuid();

    /// <summary>
    /// Fills at most 256 bytes with unpredictable values. RandomNumberGenerator is only a fallback: its first use loads a library, and if
    /// that fails because the process has no free descriptor, it fails in all later calls too.
    /// </summary>
    public static void FillRandom(Span<byte> bytes)
    {
        fixed (byte* p = bytes)
        {
            if (!Libc.IsSupported || SystemCallFaults.Fails("getrandom", -1) || getrandom(p, (nuint)bytes.Length, 0) != bytes.Length)
            {
                FillByDotNet(bytes);
            }
        }
    }

    // Not inlined, because compiling a method that contains this call loads the library.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FillByDotNet(Span<byte> bytes) => RandomNumberGenerator.Fill(bytes);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint getrandom(byte* buffer, nuint length, uint flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int renameat(int fromFd, byte* from, int toFd, byte* to);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int unlinkat(int directoryFd, byte* path, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int linkat(int fromFd, byte* from, int toFd, byte* to, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int symlinkat(byte* target, int directoryFd, byte* at);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint readlinkat(int directoryFd, byte* path, byte* buffer, nuint length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int mkdirat(int directoryFd, byte* path, uint mode);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int mknodat(int directoryFd, byte* path, uint mode, ulong device);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fchmodat(int directoryFd, byte* path, uint mode, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fchmod(int fd, uint mode);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fchownat(int directoryFd, byte* path, uint user, uint group, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int utimensat(int directoryFd, byte* path, long* times, int flags);

    [LibraryImport(SystemLibrary.Name)]
    private static partial uint geteuid();
}
