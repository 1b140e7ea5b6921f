using System.Runtime.InteropServices;
using Sluice.Uring;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>What the page cache is told and asked about a file. Advice that is refused changes nothing.</summary>
internal static unsafe partial class CacheCalls
{
    private const int Sequential = 2;
    private const int DontNeed = 4;
    private const uint Write = 2;

    /// <summary>The same number on all architectures.</summary>
    private const nint NrCacheStat = 451;

    /// <summary>POSIX_FADV_DONTNEED: starts writing dirty pages back and drops clean ones.</summary>
    public static void Drop(int fd, long offset, long length) => Advise(fd, offset, length, DontNeed);

    /// <summary>POSIX_FADV_SEQUENTIAL: twice the read-ahead.</summary>
    public static void AdviseSequential(int fd) => Advise(fd, 0, 0, Sequential);

    /// <summary>SYNC_FILE_RANGE_WRITE: starts writing dirty pages back, and waits for none; a length of 0 reaches to the end of the
    /// file.</summary>
    public static void StartWriteback(int fd, long offset, long length) =>
        // A hint; an error of the device is reported by the next flush.
        _ = SystemCallFaults.Fails("sync_file_range", fd) ? -1 : sync_file_range(fd, offset, length, Write);

    /// <summary>
    /// Pages of a range that are in the page cache; less than none where the kernel (before 6.5) or a sandbox does not tell. A read that
    /// may not wait asks too, but brings in what is not there, and a page that comes early breaks the large ones of the read-ahead around
    /// it. An overlay has no pages of its own, and says 0.
    /// </summary>
    public static long CountPages(int fd, long offset, long length)
    {
        (long Offset, long Length) range = (offset, length);
        Span<ulong> counts = stackalloc ulong[5];
        fixed (ulong* p = counts)
        {
            nint result = SystemCallFaults.Fails("cachestat", fd) ? -1 : syscall(NrCacheStat, fd, (nint)(&range), (nint)p, 0, 0, 0);
            return result < 0 ? -1 : (long)counts[0];
        }
    }

    private static void Advise(int fd, long offset, long length, int advice) =>
        // A hint.
        _ = SystemCallFaults.Fails("posix_fadvise", fd) ? -1 : posix_fadvise(fd, offset, length, advice);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int posix_fadvise(int fd, long offset, long length, int advice);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int sync_file_range(int fd, long offset, long length, uint flags);
}
