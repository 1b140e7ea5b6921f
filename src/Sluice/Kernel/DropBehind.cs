namespace Sluice.Kernel;

/// <summary>
/// What POSIX_FADV_DONTNEED is asked to drop after a write on an uncached handle without RWF_DONTCACHE. The call starts writing dirty
/// pages back and drops clean ones, so a write's own pages only start, and those behind it go once in a while.
/// </summary>
internal static class DropBehind
{
    /// <summary>Whenever a write reaches or crosses a multiple of this, what lies behind it is dropped too.</summary>
    public const int EveryBytes = 1 << 20;

    /// <summary>So far behind: more than a device has in flight; the work for each byte of a long file stays bounded.</summary>
    public const int BehindBytes = 32 << 20;

    public static (long Start, long Length) AfterWrite(long fileOffset, int bytes)
    {
        long end = fileOffset + bytes;
        long start = fileOffset / EveryBytes == end / EveryBytes ? fileOffset : Math.Max(0, fileOffset - BehindBytes);
        return (start, end - start);
    }
}
