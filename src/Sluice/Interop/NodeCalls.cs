using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// System calls on names and metadata, on 64-bit Linux. Names end with a NUL. Each returns 0 or more, or a negative
/// errno; nothing throws.
/// </summary>
internal static unsafe partial class NodeCalls
{
    /// <summary>chown(2): this part of the owner is left alone.</summary>
    public const uint AsItIs = uint.MaxValue;

    private const int LockExclusiveNow = 2 | 4;
    private const int AtRemoveDirectory = 0x200;

    public static int Stat(ReadOnlySpan<byte> path, bool followsLinks, StatxMask mask, out Statx result) =>
        StatAt(PathCalls.AtFdCwd, path, followsLinks, mask, out result);

    public static int Stat(in NodePath path, bool followsLinks, StatxMask mask, out Statx result) =>
        StatAt(path.FolderFd, path.Name, followsLinks, mask, out result);

    public static int StatAt(int directoryFd, ReadOnlySpan<byte> path, bool followsLinks, StatxMask mask, out Statx result)
    {
        fixed (byte* p = path)
        fixed (Statx* s = &result)
        {
            return Result(statx(directoryFd, p, followsLinks ? 0 : PathCalls.AtSymlinkNoFollow, (uint)mask, s));
        }
    }

    /// <summary>flock(2), exclusive and without waiting.</summary>
    public static int LockExclusivelyNow(int fd) => Result(flock(fd, LockExclusiveNow));

    public static int Rename(in NodePath from, in NodePath to)
    {
        fixed (byte* f = from.Name)
        fixed (byte* t = to.Name)
        {
            return Result(renameat(from.FolderFd, f, to.FolderFd, t));
        }
    }

    public static int Unlink(in NodePath path)
    {
        fixed (byte* p = path.Name)
        {
            return Result(unlinkat(path.FolderFd, p, 0));
        }
    }

    /// <summary>Removes an empty folder.</summary>
    public static int RemoveDirectory(in NodePath path)
    {
        fixed (byte* p = path.Name)
        {
            return Result(unlinkat(path.FolderFd, p, AtRemoveDirectory));
        }
    }

    /// <summary>Another name for a file; a link gets one itself.</summary>
    public static int Link(in NodePath from, in NodePath to)
    {
        fixed (byte* f = from.Name)
        fixed (byte* t = to.Name)
        {
            return Result(linkat(from.FolderFd, f, to.FolderFd, t, 0));
        }
    }

    /// <summary>A symbolic link at <paramref name="at"/> that holds <paramref name="target"/> byte for byte.</summary>
    public static int MakeSymbolicLink(ReadOnlySpan<byte> target, in NodePath at)
    {
        fixed (byte* t = target)
        fixed (byte* a = at.Name)
        {
            return Result(symlinkat(t, at.FolderFd, a));
        }
    }

    /// <summary>What a symbolic link holds, ended by a NUL; null and a negative errno where it cannot be read.</summary>
    public static byte[]? ReadSymbolicLink(in NodePath path, out int errno)
    {
        const int most = 4096;
        byte[] buffer = new byte[most + 1];
        fixed (byte* p = path.Name)
        fixed (byte* b = buffer)
        {
            nint length = readlinkat(path.FolderFd, p, b, most);
            errno = length < 0 ? -Marshal.GetLastSystemError() : 0;
            return length < 0 ? null : buffer[..((int)length + 1)];
        }
    }

    public static int MakeDirectory(in NodePath path, uint mode)
    {
        fixed (byte* p = path.Name)
        {
            return Result(mkdirat(path.FolderFd, p, mode));
        }
    }

    /// <summary>A FIFO, socket or device of the same type and number as another; its permissions are subject to the umask.</summary>
    public static int MakeNode(in NodePath path, in Statx like)
    {
        // makedev(3)
        ulong device = ((ulong)(like.RdevMajor & 0xFFF) << 8) | ((ulong)(like.RdevMajor & ~0xFFFu) << 32)
            | (like.RdevMinor & 0xFF) | ((ulong)(like.RdevMinor & ~0xFFu) << 12);
        fixed (byte* p = path.Name)
        {
            return Result(mknodat(path.FolderFd, p, like.Mode, device));
        }
    }

    /// <summary>What <see cref="MakeNode"/> makes, in a word.</summary>
    public static string KindOf(in Statx stat) => (stat.Mode & Statx.TypeMask) switch
    {
        Statx.TypeBlockDevice => "block device",
        Statx.TypeCharacterDevice => "character device",
        Statx.TypeFifo => "FIFO",
        Statx.TypeSocket => "socket",
        _ => "node",
    };

    /// <summary>Permissions by name; a link is followed.</summary>
    public static int SetMode(in NodePath path, uint mode)
    {
        fixed (byte* p = path.Name)
        {
            return Result(fchmodat(path.FolderFd, p, mode, 0));
        }
    }

    public static int SetMode(int fd, uint mode) => Result(fchmod(fd, mode));

    public static int SetOwner(int fd, uint user, uint group) => Result(fchown(fd, user, group));

    /// <summary>Owner of a link or file by name; a link is not followed.</summary>
    public static int SetOwner(in NodePath path, uint user, uint group)
    {
        fixed (byte* p = path.Name)
        {
            return Result(fchownat(path.FolderFd, p, user, group, PathCalls.AtSymlinkNoFollow));
        }
    }

    /// <summary>Times of last access and modification of an open file.</summary>
    public static int SetTimes(int fd, in Statx from)
    {
        long* times = stackalloc long[4] { from.Atime.Seconds, from.Atime.Nanoseconds, from.Mtime.Seconds, from.Mtime.Nanoseconds };
        return Result(futimens(fd, times));
    }

    /// <summary>Times by name; a link is not followed.</summary>
    public static int SetTimes(in NodePath path, in Statx from)
    {
        long* times = stackalloc long[4] { from.Atime.Seconds, from.Atime.Nanoseconds, from.Mtime.Seconds, from.Mtime.Nanoseconds };
        fixed (byte* p = path.Name)
        {
            return Result(utimensat(path.FolderFd, p, times, PathCalls.AtSymlinkNoFollow));
        }
    }

    public static uint EffectiveUser => geteuid();

    /// <summary>Copies extended attributes, access control lists among them. What the target may not have is left out.</summary>
    /// <returns>0, or the first negative errno that means that data was lost (no space, too large).</returns>
    public static int CopyExtendedAttributes(int fromFd, int toFd)
    {
        nint listLength = flistxattr(fromFd, null, 0);
        if (listLength <= 0)
        {
            return 0;
        }

        byte[] names = new byte[listLength];
        byte[] value = [];
        fixed (byte* n = names)
        {
            listLength = flistxattr(fromFd, n, (nuint)names.Length);
            for (nint at = 0; at < listLength; at += NameLength(n + at))
            {
                nint length = fgetxattr(fromFd, n + at, null, 0);
                if (length < 0)
                {
                    continue;
                }

                value = value.Length > length ? value : new byte[length + 1];
                fixed (byte* v = value)
                {
                    length = fgetxattr(fromFd, n + at, v, (nuint)value.Length);
                    int errno = length < 0 ? 0 : Result(fsetxattr(toFd, n + at, v, (nuint)length, 0));
                    if (IsLoss(errno))
                    {
                        return errno;
                    }
                }
            }
        }

        return 0;
    }

    /// <summary>As the other, of what is not opened: links themselves, FIFOs, sockets and devices.</summary>
    public static int CopyExtendedAttributes(in NodePath from, in NodePath to)
    {
        byte[] value = [];
        fixed (byte* f = from.AloneForKernel())
        {
            nint listLength = llistxattr(f, null, 0);
            if (listLength <= 0)
            {
                return 0;
            }

            byte[] names = new byte[listLength];
            fixed (byte* t = to.AloneForKernel())
            fixed (byte* n = names)
            {
                listLength = llistxattr(f, n, (nuint)names.Length);
                for (nint at = 0; at < listLength; at += NameLength(n + at))
                {
                    nint length = lgetxattr(f, n + at, null, 0);
                    if (length < 0)
                    {
                        continue;
                    }

                    value = value.Length > length ? value : new byte[length + 1];
                    fixed (byte* v = value)
                    {
                        length = lgetxattr(f, n + at, v, (nuint)value.Length);
                        int errno = length < 0 ? 0 : Result(lsetxattr(t, n + at, v, (nuint)length, 0));
                        if (IsLoss(errno))
                        {
                            return errno;
                        }
                    }
                }
            }
        }

        return 0;
    }

    private static bool IsLoss(int errno) => errno is -Errno.ENOSPC or -Errno.EDQUOT or -Errno.EIO or -Errno.EROFS;

    /// <summary>Of the NUL-terminated name of an attribute, its end included.</summary>
    private static int NameLength(byte* name) => MemoryMarshal.CreateReadOnlySpanFromNullTerminated(name).Length + 1;

    private static int Result(int value) => value < 0 ? -Marshal.GetLastSystemError() : value;

    [LibraryImport("libc")]
    private static partial int statx(int directoryFd, byte* path, int flags, uint mask, Statx* result);

    [LibraryImport("libc")]
    private static partial int flock(int fd, int operation);

    [LibraryImport("libc")]
    private static partial int renameat(int fromFd, byte* from, int toFd, byte* to);

    [LibraryImport("libc")]
    private static partial int unlinkat(int directoryFd, byte* path, int flags);

    [LibraryImport("libc")]
    private static partial int linkat(int fromFd, byte* from, int toFd, byte* to, int flags);

    [LibraryImport("libc")]
    private static partial int symlinkat(byte* target, int directoryFd, byte* at);

    [LibraryImport("libc")]
    private static partial nint readlinkat(int directoryFd, byte* path, byte* buffer, nuint length);

    [LibraryImport("libc")]
    private static partial int mkdirat(int directoryFd, byte* path, uint mode);

    [LibraryImport("libc")]
    private static partial int mknodat(int directoryFd, byte* path, uint mode, ulong device);

    [LibraryImport("libc")]
    private static partial int fchmodat(int directoryFd, byte* path, uint mode, int flags);

    [LibraryImport("libc")]
    private static partial int fchmod(int fd, uint mode);

    [LibraryImport("libc")]
    private static partial int fchown(int fd, uint user, uint group);

    [LibraryImport("libc")]
    private static partial int fchownat(int directoryFd, byte* path, uint user, uint group, int flags);

    [LibraryImport("libc")]
    private static partial int futimens(int fd, long* times);

    [LibraryImport("libc")]
    private static partial int utimensat(int directoryFd, byte* path, long* times, int flags);

    [LibraryImport("libc")]
    private static partial uint geteuid();

    [LibraryImport("libc")]
    private static partial nint flistxattr(int fd, byte* names, nuint length);

    [LibraryImport("libc")]
    private static partial nint fgetxattr(int fd, byte* name, byte* value, nuint length);

    [LibraryImport("libc")]
    private static partial nint llistxattr(byte* path, byte* names, nuint length);

    [LibraryImport("libc")]
    private static partial nint lgetxattr(byte* path, byte* name, byte* value, nuint length);

    [LibraryImport("libc")]
    private static partial int lsetxattr(byte* path, byte* name, byte* value, nuint length, int flags);

    [LibraryImport("libc")]
    private static partial int fsetxattr(int fd, byte* name, byte* value, nuint length, int flags);
}
