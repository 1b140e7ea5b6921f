using System.Runtime.InteropServices;
using Sluice.Uring;

namespace Sluice.Kernel;

/// <summary>Advice to the page cache about a file. Errors are ignored.</summary>
internal static partial class CacheCalls
{
    private const int Sequential = 2;
    private const int DontNeed = 4;
    private const uint Write = 2;

    /// <summary>POSIX_FADV_DONTNEED: starts writing dirty pages back and drops clean ones.</summary>
    public static void Drop(int fd, long offset, long length) => Advise(fd, offset, length, DontNeed);

    /// <summary>POSIX_FADV_SEQUENTIAL: doubles the read-ahead.</summary>
    public static void AdviseSequential(int fd) => Advise(fd, 0, 0, Sequential);

    /// <summary>
    /// SYNC_FILE_RANGE_WRITE: starts writing dirty pages back without waiting. A length of 0 includes everything to the end of the file.
    /// </summary>
    public static void StartWriteback(int fd, long offset, long length) =>
        // An error of the device is reported by the next flush.
        _ = SystemCallFaults.Fails("sync_file_range", fd) ? -1 : sync_file_range(fd, offset, length, Write);

    private static void Advise(int fd, long offset, long length, int advice) =>
        // Advice only: an error has no effect.
        _ = SystemCallFaults.Fails("posix_fadvise", fd) ? -1 : posix_fadvise(fd, offset, length, advice);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int posix_fadvise(int fd, long offset, long length, int advice);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int sync_file_range(int fd, long offset, long length, uint flags);
}
