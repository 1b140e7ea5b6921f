using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// The system calls of file I/O beside io_uring, on 64-bit Linux. Each returns the result or a negative errno; nothing throws. EINTR
/// is retried in the calls of this room, and nowhere else in the synchronous paths.
/// </summary>
internal static unsafe partial class Libc
{
    public const int ODirect = 0x4000;
    public const int ODirectArm = 0x10000;

    private const int FGetFl = 3;
    private const int FSetFl = 4;
    private const int SeekCur = 1;
    private const int SeekSet = 0;
    /// <summary>f_type of statfs(2) where a program answers for a file system (FUSE, virtiofs too).</summary>
    public const long FuseMagic = 0x6573_5546;

    /// <summary>f_type of statfs(2) on xfs.</summary>
    public const long XfsMagic = 0x5846_5342;

    private const long TmpfsMagic = 0x0102_1994;
    private const long RamfsMagic = 0x8584_58F6;
    private const long ExtMagic = 0xEF53;
    private const int OAccessMode = 3;
    private const int OReadOnly = 0;
    private const int OWriteOnly = 1;
    private const int OAppend = 0x400;

    /// <summary>O_SYNC, of which O_DSYNC is a part: what is written is durable when the call returns.</summary>
    private const int OSync = 0x10_1000;
    private const int OCloseOnExec = 0x8_0000;

    /// <summary>Whether these calls fit this machine: 64-bit Linux on an architecture whose call numbers are known.</summary>
    public static bool IsSupported { get; } =
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    // preadv2 and pwritev2 by number: musl has had wrappers for them only since 1.2.5.
    private static readonly long NrPreadv2 = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 327 : 286;
    private static readonly long NrPwritev2 = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 328 : 287;

    // fstat by number: the wrappers of newer C libraries ask for an empty path, which takes the kernel a tenth longer.
    private static readonly long NrFstat = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 5 : 80;

    private static bool s_hidesPreadv2;
    private static bool s_hidesPwritev2;

    /// <summary>O_DIRECT of this architecture.</summary>
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

    /// <summary>read(2): for what cannot seek.</summary>
    public static int ReadHere(int fd, byte* buffer, int length)
    {
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("read", fd, ref length) ? -1 : read(fd, buffer, (nuint)length)))
        {
        }

        return SystemCall.Result(n);
    }

    /// <summary>write(2): for what cannot seek.</summary>
    public static int WriteHere(int fd, byte* buffer, int length)
    {
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("write", fd, ref length) ? -1 : write(fd, buffer, (nuint)length)))
        {
        }

        return SystemCall.Result(n);
    }

    /// <summary>
    /// preadv2(2), <paramref name="offset"/> -1 for the descriptor's own position. Where a sandbox hides the call, preadv(2) or readv(2);
    /// flags are -EOPNOTSUPP then, as from a file system that does not know them. Where it is a file that knows no reads, -ENOSYS.
    /// </summary>
    public static int ReadV(int fd, Iovec* segments, int count, long offset, RwFlags flags) =>
        TransferV(true, ref s_hidesPreadv2, fd, segments, count, offset, flags);

    /// <summary>pwritev2(2), <paramref name="offset"/> -1 for the descriptor's own position; where it is hidden, as
    /// <see cref="ReadV"/>.</summary>
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
            if (result != -Errno.ENOSYS || IsThere(number, isRead))
            {
                return result;
            }

            Volatile.Write(ref isHidden, true);
        }

        return flags == RwFlags.None ? TransferVPlain(isRead, fd, segments, count, offset) : -Errno.EOPNOTSUPP;
    }

    /// <summary>
    /// Whether the kernel knows a call that was answered by ENOSYS: a server of FUSE answers so too, for one file. Of no descriptor only a
    /// call that is not there can say so.
    /// </summary>
    private static bool IsThere(long number, bool isRead) =>
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
    /// A second descriptor of the same file, for writing at its end only (O_APPEND): its position is its own, and it writes through where
    /// the first one does (O_SYNC). By way of /proc, so that a file without a name is found too. A negative errno where that is refused, or
    /// the first one is not for writing.
    /// </summary>
    public static int OpenForAppending(int fd) => OpenAgain(fd, OAppend);

    /// <summary>Whether a descriptor was opened with O_APPEND.</summary>
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

    /// <summary>Whether a file is on a file system without a disk: tmpfs or ramfs.</summary>
    public static bool IsInMemory(int fd) => FileSystemType(fd) is TmpfsMagic or RamfsMagic;

    /// <summary>What kind of file system holds an open file (f_type of statfs(2)); 0 where it does not tell.</summary>
    public static long FileSystemType(int fd)
    {
        // struct statfs: f_type first, 120 bytes in all.
        long* stat = stackalloc long[32];
        return (SystemCallFaults.Fails("fstatfs", fd) ? -1 : fstatfs(fd, stat)) < 0 ? 0 : stat[0];
    }

    /// <summary>The descriptor's position, or -ESPIPE when it has none.</summary>
    public static long Position(int fd)
    {
        long position = SystemCallFaults.Fails("lseek", fd) ? -1 : lseek(fd, 0, SeekCur);
        return position < 0 ? -LastErrno() : position;
    }

    public static bool SetPosition(int fd, long position) =>
        (SystemCallFaults.Fails("lseek", fd) ? -1 : lseek(fd, position, SeekSet)) >= 0;

    /// <summary>fsync(2).</summary>
    public static int Flush(int fd) => Flush(fd, isDataAlone: false);

    /// <summary>fdatasync(2): what is needed to read the data again, and no times.</summary>
    public static int FlushData(int fd) => Flush(fd, isDataAlone: true);

    /// <summary>futimens(3): seconds and nanoseconds of the last access and of the last change; now where there are none.</summary>
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

    /// <summary>statx(2) of what the kernel has: neither a server nor a FUSE program is asked.</summary>
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
                    : statx(PathCalls.KernelFolder(fd), &empty, flags, (uint)mask, p)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>The length of an open file.</summary>
    public static long LengthOf(int fd)
    {
        // struct stat: st_size is its seventh word on both architectures, and it has no more than 18.
        long* stat = stackalloc long[18];
        int result = PlainStat(fd, stat);
        return result < 0 ? result : stat[6];
    }

    /// <summary>The type of an open node (S_IFMT of its mode), or a negative errno; where statx(2) is refused, too.</summary>
    public static int TypeOf(int fd)
    {
        // struct stat: st_mode follows two words, and on x64 st_nlink.
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

    /// <summary>Free bytes of the file system, those reserved for root included; <see cref="long.MaxValue"/> where it does not
    /// tell.</summary>
    public static long FreeBytes(int fd)
    {
        // struct statvfs: f_bsize, f_frsize, f_blocks, f_bfree, and more than 80 bytes behind them.
        ulong* stat = stackalloc ulong[32];
        return (SystemCallFaults.Fails("fstatvfs", fd) ? -1 : fstatvfs(fd, stat)) < 0 || stat[2] == 0
            ? long.MaxValue
            : (long)Math.Min(stat[3], long.MaxValue / Math.Max(stat[1], 1)) * (long)stat[1];
    }

    /// <summary>Whether a program answers for the file system of an open file; false where the system does not tell.</summary>
    public static bool IsOnFuse(int fd) => (FileSystemType(fd) & uint.MaxValue) == FuseMagic;

    /// <summary>Whether the file lies on ext2, ext3 or ext4, which share a number (statfs(2)).</summary>
    public static bool IsExt(int fd) => FileSystemType(fd) == ExtMagic;

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
