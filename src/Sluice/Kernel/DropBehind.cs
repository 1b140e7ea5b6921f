namespace Sluice.Kernel;

/// <summary>
/// The ranges that are dropped from the page cache after a write to an uncached handle without RWF_DONTCACHE. POSIX_FADV_DONTNEED starts
/// writing dirty pages back and drops only clean ones, so earlier ranges are dropped again later.
/// </summary>
internal static class DropBehind
{
    /// <summary>The interval, in bytes, at which earlier ranges are dropped again.</summary>
    public const int EveryBytes = 1 << 20;

    /// <summary>
    /// The length of the earlier range, in bytes. It is larger than what a device writes back at once, so that most of its pages are clean.
    /// It is limited, so that the cost of a write does not depend on the length of the file.
    /// </summary>
    public const int BehindBytes = 32 << 20;

    /// <summary>Returns the range to drop after a write: the written bytes, and once in each interval the earlier range too.</summary>
    public static (long Start, long Length) AfterWrite(long fileOffset, int bytes)
    {
        long end = fileOffset + bytes;
        long start = fileOffset / EveryBytes == end / EveryBytes ? fileOffset : Math.Max(0, fileOffset - BehindBytes);
        return (start, end - start);
    }
}
