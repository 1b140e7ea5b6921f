using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Kernel;

/// <summary>Allocation of disk space.</summary>
internal static unsafe partial class SpaceCalls
{
    private const int LimitFileSize = 1;

    /// <summary>
    /// fallocate(2). Returns EFBIG if the range exceeds the process's file size limit (RLIMIT_FSIZE), for which the kernel would send
    /// SIGXFSZ.
    /// </summary>
    public static int Allocate(int fd, FallocateFlags mode, long offset, long length)
    {
        if ((mode & FallocateFlags.PunchHole) == 0 && length > FileSizeLimit() - offset)
        {
            return -Errno.EFBIG;
        }

        nint result;
        while (SystemCall.WasInterrupted(result = SystemCallFaults.Fails("fallocate", fd) ? -1 : fallocate(fd, (int)mode, offset, length)))
        {
        }

        return SystemCall.Result(result);
    }

    private static long FileSizeLimit()
    {
        ulong* limits = stackalloc ulong[2];
        return getrlimit(LimitFileSize, limits) == 0 ? (long)Math.Min(limits[0], long.MaxValue) : long.MaxValue;
    }

    [LibraryImport(SystemLibrary.Name)]
    private static partial int fallocate(int fd, int mode, long offset, long length);

    [LibraryImport(SystemLibrary.Name)]
    private static partial int getrlimit(int resource, ulong* limits);
}
