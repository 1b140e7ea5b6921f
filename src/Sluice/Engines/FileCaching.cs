namespace Sluice;

/// <summary>How a file's data passes through the operating system's page cache.</summary>
public enum FileCaching
{
    /// <summary>Through the page cache, as <see cref="FileStream"/> does.</summary>
    Cached = 0,

    /// <summary>
    /// Through the page cache, and dropped behind the transfer: RWF_DONTCACHE where the file system takes it (Linux 6.14), else
    /// POSIX_FADV_DONTNEED. For data that is read or written once. 64-bit Linux only; elsewhere the file is opened cached, and
    /// <see cref="OpenFile.CachingReason"/> says so.
    /// </summary>
    Uncached = 1,

    /// <summary>
    /// Past the page cache: O_DIRECT. 64-bit Linux only; elsewhere the file is opened cached, and <see cref="OpenFile.CachingReason"/>
    /// says so. The caller needs no alignment.
    /// </summary>
    Direct = 2,
}
