using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Kernel;

/// <summary>Functions of the C library that several classes call. Those with a single caller are declared in its class.</summary>
internal static unsafe partial class SharedCalls
{
    [LibraryImport(SystemLibrary.Name)]
    internal static partial nint syscall(long number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial int statx(int directoryFd, byte* path, int flags, uint mask, Statx* result);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial long lseek(int fd, long offset, int whence);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial int fcntl(int fd, int command, nint argument);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial int flock(int fd, int operation);
}
