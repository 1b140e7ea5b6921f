using System.Runtime.InteropServices;

namespace Sluice.Faults.Child.Support;

/// <summary>System calls made without Sluice: what a file system can do, told by the kernel itself. 64-bit Linux.</summary>
internal static unsafe partial class Native
{
    public const int EIO = 5;
    public const int ENOSPC = 28;

    private const int OpenReadWriteCreate = 0x42;
    private const int FSetFl = 4;
    private const int FGetFl = 3;
    private const int PunchHoleKeepSize = 3;
    private const int Block = 4096;

    private static readonly int DirectFlag = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x10000 : 0x4000;

    /// <summary>
    /// Whether a file in the folder takes O_DIRECT and an aligned write and read of 4 KiB through it, and statx does not tell that they
    /// go through the page cache all the same.
    /// </summary>
    public static bool TakesDirect(string folder) => Probe(folder, static fd =>
    {
        if (TellsNoDirect(fd) || fcntl(fd, FSetFl, fcntl(fd, FGetFl, 0) | DirectFlag) < 0)
        {
            return false;
        }

        byte* memory = (byte*)NativeMemory.AlignedAlloc(Block, Block);
        NativeMemory.Clear(memory, Block);
        bool works = pwrite(fd, memory, Block, 0) == Block && pread(fd, memory, Block, 0) == Block;
        NativeMemory.AlignedFree(memory);
        return works;
    });

    /// <summary>Whether the folder's file system reserves space.</summary>
    public static bool TakesAllocate(string folder) => Probe(folder, static fd => fallocate(fd, 0, 0, Block) == 0);

    /// <summary>Whether the folder's file system punches holes.</summary>
    public static bool TakesPunch(string folder) => Probe(folder, static fd => fallocate(fd, PunchHoleKeepSize, 0, Block) == 0);

    /// <summary>Whether the folder's file system answers FS_IOC_FIEMAP.</summary>
    public static bool TellsExtents(string folder) => Probe(folder, static fd =>
    {
        byte* header = stackalloc byte[32];
        new Span<byte>(header, 32).Clear();
        ((ulong*)header)[1] = ulong.MaxValue;
        return ioctl(fd, 0xC020660B, header) == 0;
    });

    /// <summary>Ends a mounted ext4 or xfs as a power cut would: nothing more reaches the device, the log's tail included.</summary>
    public static int ShutDown(string mountPoint)
    {
        int fd = open(mountPoint, 0, 0);
        uint noLogFlush = 2;
        int result = ioctl(fd, 0x8004587D, &noLogFlush) < 0 ? Marshal.GetLastSystemError() : 0;
        _ = close(fd);
        return result;
    }

    /// <summary>A descriptor on /dev/null, or a negative errno.</summary>
    public static int OpenNull()
    {
        int fd = open("/dev/null", 0, 0);
        return fd < 0 ? -Marshal.GetLastSystemError() : fd;
    }

    public static void Close(int fd) => _ = close(fd);

    /// <summary>Sets a soft limit of this process (and the hard one, where it may only be lowered).</summary>
    public static void SetLimit(int resource, ulong limit)
    {
        ulong* limits = stackalloc ulong[2];
        if (getrlimit(resource, limits) < 0)
        {
            throw new InvalidOperationException($"getrlimit failed (errno {Marshal.GetLastSystemError()})");
        }

        limits[0] = Math.Min(limit, limits[1]);
        if (setrlimit(resource, limits) < 0)
        {
            throw new InvalidOperationException($"setrlimit failed (errno {Marshal.GetLastSystemError()})");
        }
    }

    /// <summary>Takes a capability from the calling thread and the threads it will start.</summary>
    public static void DropCapability(int capability)
    {
        uint* header = stackalloc uint[] { 0x20080522, 0 };
        uint* data = stackalloc uint[6];
        if (syscall(CapGet, (nint)header, (nint)data, 0, 0) < 0)
        {
            throw new InvalidOperationException($"capget failed (errno {Marshal.GetLastSystemError()})");
        }

        data[capability / 32 * 3] &= ~(1u << (capability % 32));
        if (syscall(CapSet, (nint)header, (nint)data, 0, 0) < 0)
        {
            throw new InvalidOperationException($"capset failed (errno {Marshal.GetLastSystemError()})");
        }
    }

    private static nint CapGet => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 90 : 125;

    private static nint CapSet => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 91 : 126;

    /// <summary>STATX_DIOALIGN is known, and its alignment is 0.</summary>
    private static bool TellsNoDirect(int fd)
    {
        const uint dioAlign = 0x2000;
        uint* result = stackalloc uint[64];
        byte empty = 0;
        return statx(fd, &empty, 0x1000, dioAlign, result) == 0 && (result[0] & dioAlign) != 0 && result[39] == 0;
    }

    private static bool Probe(string folder, Func<int, bool> ask)
    {
        string path = Path.Combine(folder, $"probe-{Guid.NewGuid():N}");
        int fd = open(path, OpenReadWriteCreate, 0x1B6);
        if (fd < 0)
        {
            throw new InvalidOperationException($"open '{path}' failed (errno {Marshal.GetLastSystemError()})");
        }

        try
        {
            return ask(fd);
        }
        finally
        {
            _ = close(fd);
            File.Delete(path);
        }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int open(string path, int flags, int mode);

    [LibraryImport("libc")]
    private static partial int close(int fd);

    [LibraryImport("libc")]
    private static partial int fcntl(int fd, int command, nint argument);

    [LibraryImport("libc")]
    private static partial int ioctl(int fd, nuint request, void* argument);

    [LibraryImport("libc")]
    private static partial int statx(int directoryFd, byte* path, int flags, uint mask, uint* result);

    [LibraryImport("libc")]
    private static partial int fallocate(int fd, int mode, long offset, long length);

    [LibraryImport("libc")]
    private static partial nint pread(int fd, byte* buffer, nuint count, long offset);

    [LibraryImport("libc")]
    private static partial nint pwrite(int fd, byte* buffer, nuint count, long offset);

    [LibraryImport("libc")]
    private static partial int getrlimit(int resource, ulong* limits);

    [LibraryImport("libc")]
    private static partial int setrlimit(int resource, ulong* limits);

    /// <summary>Whether a descriptor has O_DIRECT.</summary>
    public static bool IsDirect(int fd) => fd >= 0 && fcntl(fd, FGetFl, 0) is >= 0 and int flags && (flags & DirectFlag) != 0;

    public static void MakeFifo(string path)
    {
        if (mkfifo(path, 0x180) != 0)
        {
            throw new IOException($"mkfifo failed (errno {Marshal.GetLastSystemError()})");
        }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mkfifo(string path, uint mode);

    [LibraryImport("libc")]
    private static partial nint syscall(nint number, nint a, nint b, nint c, nint d);
}
