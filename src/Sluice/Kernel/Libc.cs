using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// System calls for file I/O other than io_uring, on 64-bit Linux. Each returns the result or a negative errno and does not throw. Only the
/// calls in this namespace retry after EINTR.
/// </summary>
internal static unsafe partial class Libc
{
    public const int ODirect = 0x4000;
    public const int ODirectArm = 0x10000;

    private const int FGetFd = 1;
    private const int CloseOnExec = 1;
    private const int FGetFl = 3;
    private const int FSetFl = 4;
    private const int SeekCur = 1;
    private const int SeekSet = 0;
    /// <summary>The f_type of statfs(2) for FUSE file systems, including virtiofs.</summary>
    public const long FuseMagic = 0x6573_5546;

    /// <summary>The f_type of statfs(2) for XFS.</summary>
    public const long XfsMagic = 0x5846_5342;

    private const long TmpfsMagic = 0x0102_1994;
    private const long RamfsMagic = 0x8584_58F6;
    private const long ExtMagic = 0xEF53;
    private const int OAccessMode = 3;
    private const int OReadOnly = 0;
    private const int OWriteOnly = 1;
    private const int OAppend = 0x400;

    /// <summary>O_SYNC, which includes O_DSYNC: written data is durable when the call returns.</summary>
    private const int OSync = 0x10_1000;
    private const int OCloseOnExec = 0x8_0000;

    /// <summary>
    /// Gets a value that indicates whether these calls are supported: 64-bit Linux on an architecture whose call numbers are known. Test
    /// processes with SLUICE_PORTABLE=1 run the code for other systems instead.
    /// </summary>
    public static bool IsSupported { get; } =
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64
        && !(SystemCallFaults.IsOn && Environment.GetEnvironmentVariable("SLUICE_PORTABLE") == "1");

    // preadv2 and pwritev2 are called by number, because musl has wrappers only since 1.2.5.
    private static readonly long NrPreadv2 = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 327 : 286;
    private static readonly long NrPwritev2 = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 328 : 287;

    // fstat is called by number: the wrappers of newer C libraries use an empty path, which takes the kernel a tenth longer.
    private static readonly long NrFstat = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 5 : 80;

    private static bool s_hidesPreadv2;
    private static bool s_hidesPwritev2;

    /// <summary>The value of O_DIRECT on this architecture.</summary>
    public static int DirectFlag { get; } =
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? ODirectArm : ODirect;

    public static int Read(int fd, byte* buffer, int length, long offset)
    {
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("pread", fd, ref length)
            ? -1
            : pread(fd, buffer, (nuint)length, offset)))
        {
        }

        return SystemCall.Result(n);
    }

    public static int Write(int fd, byte* buffer, int length, long offset)
    {
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("pwrite", fd, ref length)
            ? -1
            : pwrite(fd, buffer, (nuint)length, offset)))
        {
        }

        return SystemCall.Result(n);
    }

    /// <summary>read(2), for files that cannot seek.</summary>
    public static int ReadHere(int fd, byte* buffer, int length)
    {
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("read", fd, ref length) ? -1 : read(fd, buffer, (nuint)length)))
        {
        }

        return SystemCall.Result(n);
    }

    /// <summary>write(2), for files that cannot seek.</summary>
    public static int WriteHere(int fd, byte* buffer, int length)
    {
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("write", fd, ref length) ? -1 : write(fd, buffer, (nuint)length)))
        {
        }

        return SystemCall.Result(n);
    }

    /// <summary>
    /// preadv2(2); <paramref name="offset"/> -1 stands for the descriptor's position. If a sandbox refuses the call, uses preadv(2) or
    /// readv(2), and returns -EOPNOTSUPP for flags, as a file system that does not support them does. Returns -ENOSYS if the file does not
    /// support reading.
    /// </summary>
    public static int ReadV(int fd, Iovec* segments, int count, long offset, RwFlags flags) =>
        TransferV(true, ref s_hidesPreadv2, fd, segments, count, offset, flags);

    /// <summary>
    /// pwritev2(2); <paramref name="offset"/> -1 stands for the descriptor's position. If a sandbox refuses the call, it is replaced as in
    /// <see cref="ReadV"/>.
    /// </summary>
    public static int WriteV(int fd, Iovec* segments, int count, long offset, RwFlags flags) =>
        TransferV(false, ref s_hidesPwritev2, fd, segments, count, offset, flags);

    private static int Flush(int fd, bool isDataAlone)
    {
        nint result;
        while (SystemCall.WasInterrupted(
            result = SystemCallFaults.Fails("fsync", fd) ? -1 : isDataAlone ? fdatasync(fd) : fsync(fd)))
        {
        }

        return SystemCall.Result(result);
    }

    private static int TransferV(bool isRead, ref bool isHidden, int fd, Iovec* segments, int count, long offset, RwFlags flags)
    {
        if (!Volatile.Read(ref isHidden))
        {
            long number = isRead ? NrPreadv2 : NrPwritev2;
            Iovec shorter;
            nint n;
            while (SystemCall.WasInterrupted(
                n = SystemCallFaults.Fails(isRead ? "preadv2" : "pwritev2", fd, ref segments, ref count, &shorter)
                    ? -1
                    : syscall(number, fd, (nint)segments, count, (nint)offset, offset < 0 ? -1 : 0, (nint)(uint)flags)))
            {
            }

            int result = SystemCall.Result(n);
            if (result != -Errno.ENOSYS || IsKnownCall(number, isRead))
            {
                return result;
            }

            Volatile.Write(ref isHidden, true);
        }

        return flags == RwFlags.None ? TransferVPlain(isRead, fd, segments, count, offset) : -Errno.EOPNOTSUPP;
    }

    /// <summary>
    /// Returns true if the kernel supports a call that returned ENOSYS. A FUSE server can return ENOSYS for a single file; for an invalid
    /// descriptor, the call returns it only if it is not supported.
    /// </summary>
    private static bool IsKnownCall(long number, bool isRead) =>
        SystemCall.Result(SystemCallFaults.Fails(isRead ? "preadv2" : "pwritev2", -1) ? -1 : syscall(number, -1, 0, 0, 0, 0, 0))
            != -Errno.ENOSYS;

    private static int TransferVPlain(bool isRead, int fd, Iovec* segments, int count, long offset)
    {
        Iovec shorter;
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails(isRead ? "preadv" : "pwritev", fd, ref segments, ref count, &shorter)
            ? -1
            : (isRead, offset < 0) switch
            {
                (true, true) => readv(fd, segments, count),
                (true, false) => preadv(fd, segments, count, offset),
                (false, true) => writev(fd, segments, count),
                (false, false) => pwritev(fd, segments, count, offset),
            }))
        {
        }

        return SystemCall.Result(n);
    }

    /// <summary>
    /// Opens the file of a descriptor again for appending (O_APPEND), with its own position, and with O_SYNC if the first descriptor has
    /// it. Uses /proc, so that files without a name are supported. Returns a negative errno if this is refused or the first descriptor is
    /// not open for writing.
    /// </summary>
    public static int OpenForAppending(int fd) => OpenAgain(fd, OAppend);

    /// <summary>Returns true if a descriptor was opened with O_APPEND.</summary>
    public static bool IsAppending(int fd) => GetFlags(fd) is >= 0 and int flags && (flags & OAppend) != 0;

    private static int OpenAgain(int fd, int moreFlags)
    {
        int flags = GetFlags(fd);
        if (flags < 0 || (flags & OAccessMode) == OReadOnly)
        {
            return -Errno.EBADF;
        }

        Span<byte> path = stackalloc byte[32];
        System.Text.Unicode.Utf8.TryWrite(path, $"/proc/self/fd/{fd}\0", out _);
        fixed (byte* p = path)
        {
            int result;
            do
            {
                result = SystemCallFaults.Fails("open", fd) ? -1 : open(p, OWriteOnly | moreFlags | (flags & OSync) | OCloseOnExec, 0);
            }
            while (result < 0 && LastErrno() == Errno.EINTR);
            return result < 0 ? -LastErrno() : result;
        }
    }

    /// <summary>Returns true if a file is on tmpfs or ramfs, which have no disk.</summary>
    public static bool IsInMemory(int fd) => FileSystemType(fd) is TmpfsMagic or RamfsMagic;

    /// <summary>Returns the type of the file system of an open file (f_type of statfs(2)), or 0 if it is unknown.</summary>
    /// <remarks>statfs(2), which asks the server or the FUSE program, is used only if the type of the mount is unknown.</remarks>
    public static long FileSystemType(int fd)
    {
        if (MountType(fd) is not 0 and long type)
        {
            return type;
        }

        // struct statfs: f_type is the first field; the structure has 120 bytes.
        long* stat = stackalloc long[32];
        return (SystemCallFaults.Fails("fstatfs", fd) ? -1 : fstatfs(fd, stat)) < 0 ? 0 : stat[0];
    }

    /// <summary>Returns the type of the file system of a mount by statmount(2) (Linux 6.8), or 0 if this is not supported.</summary>
    private static long MountType(int fd)
    {
        const long nrStatMount = 457;
        const ulong superBlock = 1;
        if (StatCached(fd, StatxMask.MntIdUnique, out Statx stat) != 0 || (stat.Mask & StatxMask.MntIdUnique) == 0)
        {
            return 0;
        }

        // struct mnt_id_req: its size and a spare word, the mount, and the fields to return.
        ulong* request = stackalloc ulong[3] { 3 * sizeof(ulong), stat.MntId, superBlock };

        // struct statmount (512 bytes): two words of 4 bytes, the fields returned, the device, and sb_magic.
        ulong* mount = stackalloc ulong[64];
        nint answer = SystemCallFaults.Fails("statmount", fd)
            ? -1
            : syscall(nrStatMount, (nint)request, (nint)mount, 64 * sizeof(ulong), 0, 0, 0);
        return answer < 0 || (mount[1] & superBlock) == 0 ? 0 : (long)mount[3];
    }

    /// <summary>Returns the position of the descriptor, or -ESPIPE if it has none.</summary>
    public static long Position(int fd)
    {
        long position = SystemCallFaults.Fails("lseek", fd) ? -1 : lseek(fd, 0, SeekCur);
        return position < 0 ? -LastErrno() : position;
    }

    public static bool SetPosition(int fd, long position) =>
        (SystemCallFaults.Fails("lseek", fd) ? -1 : lseek(fd, position, SeekSet)) >= 0;

    /// <summary>fsync(2).</summary>
    public static int Flush(int fd) => Flush(fd, isDataAlone: false);

    /// <summary>fdatasync(2): flushes data and the metadata that is needed to read it, but no times.</summary>
    public static int FlushData(int fd) => Flush(fd, isDataAlone: true);

    /// <summary>
    /// futimens(3): sets the times of last access and modification, in seconds and nanoseconds, or to the current time if they are empty.
    /// </summary>
    public static int SetTimes(int fd, ReadOnlySpan<long> times)
    {
        fixed (long* p = times)
        {
            nint result;
            while (SystemCall.WasInterrupted(result = SystemCallFaults.Fails("futimens", fd) ? -1 : futimens(fd, p)))
            {
            }

            return SystemCall.Result(result);
        }
    }

    /// <summary>statx(2) of an open descriptor.</summary>
    public static int Stat(int fd, StatxMask mask, out Statx result) => Stat(fd, PathCalls.AtEmptyPath, mask, out result);

    /// <summary>statx(2) with cached values: neither a server nor a FUSE program is asked.</summary>
    public static int StatCached(int fd, StatxMask mask, out Statx result)
    {
        const int AtStatxDontSync = 0x4000;
        return Stat(fd, PathCalls.AtEmptyPath | AtStatxDontSync, mask, out result);
    }

    private static int Stat(int fd, int flags, StatxMask mask, out Statx result)
    {
        byte empty = 0;
        fixed (Statx* p = &result)
        {
            nint answer;
            while (SystemCall.WasInterrupted(
                answer = SystemCallFaults.Fails("statx", fd)
                    ? -1
                    : syscall(NrStatx, PathCalls.KernelFolder(fd), (nint)(&empty), flags, (nint)(uint)mask, (nint)p, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>Returns the length of an open file, or a negative errno.</summary>
    public static long LengthOf(int fd)
    {
        // struct stat: st_size is the seventh word on both architectures; the structure has at most 18 words.
        long* stat = stackalloc long[18];
        int result = PlainStat(fd, stat);
        return result < 0 ? result : stat[6];
    }

    /// <summary>
    /// Returns the type of an open node (S_IFMT of its mode) or a negative errno. Does not use statx(2), which may be refused.
    /// </summary>
    public static int TypeOf(int fd)
    {
        // struct stat: st_mode follows two words, and on x64 also st_nlink.
        long* stat = stackalloc long[18];
        int result = PlainStat(fd, stat);
        return result < 0 ? result : (int)stat[RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 3 : 2] & Statx.TypeMask;
    }

    private static int PlainStat(int fd, long* stat)
    {
        nint answer;
        while (SystemCall.WasInterrupted(
            answer = SystemCallFaults.Fails("fstat", fd) ? -1 : syscall(NrFstat, fd, (nint)stat, 0, 0, 0, 0)))
        {
        }

        return SystemCall.Result(answer);
    }

    /// <summary>
    /// Returns the free bytes of the file system, including those reserved for root, or <see cref="long.MaxValue"/> if they are unknown.
    /// </summary>
    public static long FreeBytes(int fd)
    {
        // struct statvfs: f_bsize, f_frsize, f_blocks and f_bfree, followed by more than 80 bytes.
        ulong* stat = stackalloc ulong[32];
        return (SystemCallFaults.Fails("fstatvfs", fd) ? -1 : fstatvfs(fd, stat)) < 0 || stat[2] == 0
            ? long.MaxValue
            : (long)Math.Min(stat[3], long.MaxValue / Math.Max(stat[1], 1)) * (long)stat[1];
    }

    /// <summary>Returns true if an open file is on FUSE; false if this is unknown.</summary>
    public static bool IsOnFuse(int fd) => (FileSystemType(fd) & uint.MaxValue) == FuseMagic;

    /// <summary>Returns true if the file is on ext2, ext3 or ext4, which have the same f_type (statfs(2)).</summary>
    public static bool IsExt(int fd) => FileSystemType(fd) == ExtMagic;

    /// <summary>Returns true if the descriptor is open without FD_CLOEXEC. .NET sets that flag for every descriptor that it opens.</summary>
    public static bool IsInheritable(int fd) =>
        !SystemCallFaults.Fails("fcntl", fd) && fcntl(fd, FGetFd, 0) is >= 0 and int flags && (flags & CloseOnExec) == 0;

    public static int GetFlags(int fd)
    {
        int flags = SystemCallFaults.Fails("fcntl", fd) ? -1 : fcntl(fd, FGetFl, 0);
        return flags < 0 ? -LastErrno() : flags;
    }

    public static int SetFlags(int fd, int flags) =>
        (SystemCallFaults.Fails("fcntl", fd) ? -1 : fcntl(fd, FSetFl, flags)) < 0 ? -LastErrno() : 0;

    public static int Ioctl(int fd, nuint request, void* argument)
    {
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("ioctl", fd) ? -1 : ioctl(fd, request, argument)))
        {
        }

        return Math.Min(SystemCall.Result(answer), 0);
    }

    private static int LastErrno() => Marshal.GetLastSystemError();

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint pread(int fd, byte* buffer, nuint count, long offset);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint pwrite(int fd, byte* buffer, nuint count, long offset);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint read(int fd, byte* buffer, nuint count);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint write(int fd, byte* buffer, nuint count);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint preadv(int fd, Iovec* segments, int count, long offset);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint pwritev(int fd, Iovec* segments, int count, long offset);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint readv(int fd, Iovec* segments, int count);

    [LibraryImport(SystemLibrary.Name)]
    private static partial nint writev(int fd, Iovec* segments, int count);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int open(byte* path, int flags, int mode);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fstatfs(int fd, long* result);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fsync(int fd);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fdatasync(int fd);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int futimens(int fd, long* times);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fstatvfs(int fd, ulong* result);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int ioctl(int fd, nuint request, void* argument);
}
