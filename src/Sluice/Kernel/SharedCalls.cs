using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>Functions of the C library that several classes call. Those with a single caller are declared in its class.</summary>
internal static partial class SharedCalls
{
    /// <summary>statx(2), by number because glibc has a wrapper only since 2.28, and musl since 1.2.5.</summary>
    internal static readonly long NrStatx = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 332 : 291;

    [LibraryImport(SystemLibrary.Name)]
    internal static partial nint syscall(long number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial long lseek(int fd, long offset, int whence);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial int fcntl(int fd, int command, nint argument);

    [LibraryImport(SystemLibrary.Name)]
    internal static partial int flock(int fd, int operation);
}
