using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Tests.Support;

/// <summary>System calls that .NET has no member for.</summary>
internal static unsafe partial class Native
{
    public static void MakeFifo(string path)
    {
        Skip.If(OperatingSystem.IsWindows(), "there are no FIFOs here");
        if (mkfifo(path, 0x180) != 0)
        {
            throw new IOException($"mkfifo '{path}' failed with errno {Marshal.GetLastPInvokeError()}");
        }
    }

    /// <summary>Gives a file one more name.</summary>
    public static void Link(string path, string newName)
    {
        if (link(path, newName) != 0)
        {
            throw new IOException($"link '{path}' as '{newName}' failed with errno {Marshal.GetLastPInvokeError()}");
        }
    }

    /// <summary>From here on this thread, which must be the caller's own, may do to files what nobody's may (Linux).</summary>
    public static void UseFilesAsNobody()
    {
        const uint nobody = 65534;
        _ = setfsuid(nobody);
    }

    [LibraryImport("libc")]
    private static partial int setfsuid(uint user);

    /// <summary>A file's number on its file system (inode).</summary>
    public static ulong NumberOf(string path)
    {
        int result = NodeCalls.Stat(NodePath.Of(path), followsLinks: false, StatxMask.BasicStats, out Statx stat);
        return result == 0 ? stat.Ino : throw new IOException($"statx '{path}' failed with errno {-result}");
    }

    /// <summary>The two ends of a pipe, both blocking unless it is said otherwise.</summary>
    public static (SafeFileHandle Read, SafeFileHandle Write) Pipe(bool isBlocking = true)
    {
        Skip.If(OperatingSystem.IsWindows(), "pipes that SluiceHandle takes are Unix's");
        int* ends = stackalloc int[2];
        const int closeOnExec = 0x80000;
        const int nonBlocking = 0x800;
        if (pipe2(ends, isBlocking ? closeOnExec : closeOnExec | nonBlocking) != 0)
        {
            throw new IOException($"pipe2 failed with errno {Marshal.GetLastPInvokeError()}");
        }

        return (new SafeFileHandle(ends[0], ownsHandle: true), new SafeFileHandle(ends[1], ownsHandle: true));
    }

    /// <summary>How many bytes a pipe of Linux has room for.</summary>
    public static int RoomOf(SafeFileHandle pipe)
    {
        const int getPipeSize = 1032;
        int bytes = OperatingSystem.IsLinux() ? fcntl(pipe, getPipeSize, 0) : 0;
        Skip.If(bytes <= 0, "the system does not say how much a pipe holds");
        return bytes;
    }

    /// <summary>Opens a file for writing at its end only (O_APPEND of Linux).</summary>
    public static SafeFileHandle OpenForAppending(string path) => Open(path, 0x1 | 0x400 | 0x80000);

    /// <summary>Opens a file with open(2)'s own flags; new files get mode 0600.</summary>
    public static SafeFileHandle Open(string path, int flags)
    {
        int fd = open(path, flags, 0x180);
        return fd >= 0 ? new SafeFileHandle(fd, ownsHandle: true)
            : throw new IOException($"open '{path}' failed with errno {Marshal.GetLastPInvokeError()}");
    }

    /// <summary>A new file that has no name (O_TMPFILE), for reading and writing; skips the test where there are none.</summary>
    public static SafeFileHandle OpenWithoutName(string folder)
    {
        const int operationNotSupported = 95;
        int fd = open(folder, PathCalls.ReadWrite | PathCalls.TemporaryFlag, 0x180);
        int errno = Marshal.GetLastPInvokeError();
        Skip.If(fd < 0 && errno == operationNotSupported, "this file system has no files without a name");
        return fd >= 0 ? new SafeFileHandle(fd, ownsHandle: true) : throw new IOException($"open '{folder}' failed with errno {errno}");
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int open(string path, int flags, int mode);

    /// <summary>A second descriptor of an open file, with a number that nobody else is given soon after it was closed.</summary>
    /// <returns>Null where the process may have none so far away.</returns>
    public static SafeFileHandle? DuplicateFarAway(SafeFileHandle file)
    {
        const int duplicateCloseOnExec = 1030;
        const int notAllowed = 22;
        int second = fcntl(file, duplicateCloseOnExec, 3000 + Random.Shared.Next(500));
        return second >= 0 ? new SafeFileHandle(second, ownsHandle: true)
            : Marshal.GetLastPInvokeError() == notAllowed ? null
            : throw new IOException($"fcntl failed with errno {Marshal.GetLastPInvokeError()}");
    }

    /// <summary>
    /// Asks to be told before anybody else opens a file (a lease of fcntl(2) for writing); false where the file system has no leases. Who
    /// holds one is told by a signal that .NET does not mind.
    /// </summary>
    public static bool TakeLease(SafeFileHandle file)
    {
        const int setSignal = 10;
        const int signalUrgent = 23;
        const int writing = 1;
        return fcntl(file, setSignal, signalUrgent) == 0 && fcntl(file, SetLease, writing) == 0;
    }

    /// <summary>Whether somebody waits for a lease to be given up.</summary>
    public static bool IsLeaseWanted(SafeFileHandle file)
    {
        const int getLease = 1025;
        const int writing = 1;
        return fcntl(file, getLease, 0) != writing;
    }

    public static void GiveLeaseUp(SafeFileHandle file)
    {
        const int none = 2;
        _ = fcntl(file, SetLease, none);
    }

    private const int SetLease = 1024;

    [LibraryImport("libc", SetLastError = true)]
    private static partial int fcntl(SafeFileHandle file, int command, int argument);

    /// <summary>Zeros that can only be read, and take no place however many they are; until <see cref="Unmap"/>.</summary>
    public static nint MapZeros(nint length)
    {
        const int read = 1;
        const int privateAnonymousUnreserved = 0x2 | 0x20 | 0x4000;
        nint address = mmap(0, length, read, privateAnonymousUnreserved, -1, 0);
        return address != -1 ? address : throw new IOException($"mmap failed with errno {Marshal.GetLastPInvokeError()}");
    }

    public static void Unmap(nint address, nint length) => _ = munmap(address, length);

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint mmap(nint address, nint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc")]
    private static partial int munmap(nint address, nint length);

    /// <summary>The address of an array on the pinned heap.</summary>
    public static long AddressOfPinned(byte[] array) => (long)Marshal.UnsafeAddrOfPinnedArrayElement(array, 0);

    /// <summary>Where the operating system's own position of a file stands; -1 where it has none, or on Windows, where no test
    /// asks.</summary>
    public static long OffsetOf(SafeFileHandle file)
    {
        ObjectDisposedException.ThrowIf(file.IsClosed, file);
        return OperatingSystem.IsWindows() ? -1 : lseek(file, 0, 1);
    }

    /// <summary>Moves the operating system's own position of a file.</summary>
    public static void MoveOffset(SafeFileHandle file, long offset) => _ = lseek(file, offset, 0);

    /// <summary>How many bytes a pipe has for its reader.</summary>
    public static int AvailableBytes(SafeFileHandle pipe)
    {
        const int fionRead = 0x541B;
        return ioctl(pipe, fionRead, out int bytes) == 0 ? bytes
            : throw new IOException($"ioctl failed with errno {Marshal.GetLastPInvokeError()}");
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int ioctl(SafeFileHandle file, nuint request, out int result);

    /// <summary>Gives a file, or a link itself, an extended attribute; 0, or an errno.</summary>
    public static int SetAttribute(string path, string name, byte[] value) =>
        lsetxattr(path, name, value, value.Length, 0) == 0 ? 0 : Marshal.GetLastPInvokeError();

    /// <summary>An extended attribute of a file, or of a link itself; null where it has none of that name.</summary>
    public static byte[]? GetAttribute(string path, string name)
    {
        byte[] value = new byte[4096];
        nint length = lgetxattr(path, name, value, value.Length);
        return length < 0 ? null : value[..(int)length];
    }

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int lsetxattr(string path, string name, byte[] value, nint length, int flags);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint lgetxattr(string path, string name, byte[] value, nint length);

    [LibraryImport("libc", SetLastError = true)]
    private static partial long lseek(SafeFileHandle file, long offset, int whence);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int link(string path, string newName);

    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int mkfifo(string path, uint mode);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int pipe2(int* ends, int flags);
}
