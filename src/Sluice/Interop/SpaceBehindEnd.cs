using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// Space that was reserved behind the end of a file of ext4, which no call gives back by itself: punching a hole stops at the end, and
/// ftruncate(2) names a length, which others may have passed since it was asked for. But a direct write behind the end that fails frees
/// everything that is there, under the inode's lock (ext4_truncate_failed_write), and so does one whose memory cannot be read.
/// </summary>
internal static unsafe class SpaceBehindEnd
{
    private const int PageBytes = 4096;
    private const int NoAccess = 0;
    private const int PrivateAnonymous = 0x02 | 0x20;

    // A page of ours that nobody may read, mapped once and kept: what a write from it gives is EFAULT, whatever else the process maps.
    private static readonly nint s_unreadable = (nint)Syscalls.Map(PageBytes, NoAccess, PrivateAnonymous, -1, 0, out _);

    /// <summary>False where nothing was given back: another file system, or the second descriptor was refused.</summary>
    /// <param name="fd">The file, open for writing; its own flags stay as they are.</param>
    /// <param name="reservedTo">Where the reserved space ends, so that the write falls into it and allocates nothing.</param>
    public static bool TryRelease(int fd, long reservedTo)
    {
        if (s_unreadable == 0 || !Libc.IsExt(fd) || Libc.Stat(fd, StatxMask.BasicStats, out Statx before) < 0)
        {
            return false;
        }

        long offset = (reservedTo - 1) / PageBytes * PageBytes;
        if (offset < (long)before.Size)
        {
            // Others have written behind all of it.
            return true;
        }

        int direct = Libc.OpenForDirectWriting(fd);
        if (direct < 0)
        {
            return false;
        }

        int result = Libc.Write(direct, (byte*)s_unreadable, PageBytes, offset);
        PathCalls.Close(direct);
        return result == -Errno.EFAULT && Libc.Stat(fd, StatxMask.BasicStats, out Statx after) == 0 && after.Blocks < before.Blocks;
    }
}
