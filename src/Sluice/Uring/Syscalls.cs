using System.Runtime.InteropServices;
using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The io_uring system calls by number (the numbers are the same on every architecture), and mmap. Each returns the result of the call or a
/// negative errno, and does not throw. The caller decides whether to retry after EINTR.
/// </summary>
internal static unsafe partial class Syscalls
{
    private const long NrSetup = 425;
    private const long NrEnter = 426;
    private const long NrRegister = 427;
    private const int RlimitMemlock = 8;
    private const uint CapVersion3 = 0x20080522;
    private const int CapIpcLock = 14;

    public const int ProtReadWrite = 1 | 2;
    public const int MapShared = 1;
    public const int MapPopulate = 0x8000;

    public static int Setup(uint entries, IoUringParams* parameters) =>
        Result(SystemCallFaults.Fails("io_uring_setup", -1) ? -1 : syscall(NrSetup, (nint)entries, (nint)parameters, 0, 0, 0, 0));

    public static int Enter(int fd, uint toSubmit, uint minComplete, EnterFlags flags, void* arg, nuint argSize)
    {
        int shown = (int)toSubmit;

        // Simulates a kernel that has no memory for further entries: fewer are submitted, and the call does not wait.
        return Result(
            SystemCallFaults.Fails("io_uring_enter", fd, ref shown) ? -1
            : (uint)shown == toSubmit
                ? syscall(NrEnter, fd, (nint)toSubmit, (nint)minComplete, (nint)(uint)flags, (nint)arg, (nint)argSize)
            : syscall(NrEnter, fd, shown, 0, 0, 0, 0));
    }

    public static int Register(int fd, RegisterOp op, void* arg, uint count) =>
        Result(SystemCallFaults.Fails("io_uring_register", fd)
            ? -1
            : syscall(NrRegister, fd, (nint)(uint)op, (nint)arg, (nint)count, 0, 0));

    /// <summary>mmap(2). Returns null and a negative errno if it fails.</summary>
    public static byte* Map(nuint length, int protection, int flags, int fd, long offset, out int errno)
    {
        void* address = SystemCallFaults.Fails("mmap", fd) ? (void*)-1 : mmap(null, length, protection, flags, fd, offset);
        bool failed = (nint)address == -1;
        errno = failed ? -Marshal.GetLastSystemError() : 0;
        return failed ? null : (byte*)address;
    }

    public static void Unmap(byte* address, nuint length) => _ = munmap(address, length); // Fails only for a range that is not mapped.

    public static int Close(int fd) => close(fd);

    /// <summary>
    /// Returns the soft limit RLIMIT_MEMLOCK, in bytes; <see cref="long.MaxValue"/> if there is none, and 0 if it is unknown.
    /// </summary>
    public static long GetMemlockLimitBytes()
    {
        ulong* limits = stackalloc ulong[2];
        return getrlimit(RlimitMemlock, limits) == 0 ? (long)Math.Min(limits[0], long.MaxValue) : 0;
    }

    /// <summary>Returns true if the calling thread has CAP_IPC_LOCK, which lifts RLIMIT_MEMLOCK.</summary>
    public static bool HasIpcLock()
    {
        uint* header = stackalloc uint[2] { CapVersion3, 0 };
        uint* sets = stackalloc uint[6];
        return capget(header, sets) == 0 && (sets[0] & (1u << CapIpcLock)) != 0;
    }

    private static int Result(nint value) => value == -1 ? -Marshal.GetLastSystemError() : (int)value;

    // Marshal.GetLastSystemError reads errno itself, so no GC transition or managed call may come between the call and the read. The stubs
    // of blittable signatures contain nothing that changes errno. The SetLastError stub of .NET works in the same way, but adds a
    // thread-local copy.
    [LibraryImport(SystemLibrary.Name)]
    private static partial nint syscall(long number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport(SystemLibrary.Name)]
    private static partial void* mmap(void* address, nuint length, int protection, int flags, int fd, long offset);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int munmap(void* address, nuint length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int getrlimit(int resource, ulong* limits);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int capget(uint* header, uint* sets);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int close(int fd);
}
