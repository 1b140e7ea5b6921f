namespace Sluice;

/// <summary>How a file's data passes through the operating system's page cache.</summary>
public enum FileCaching
{
    /// <summary>Through the page cache, as <see cref="FileStream"/> does.</summary>
    Cached = 0,

    /// <summary>
    /// Through the page cache, and dropped behind the transfer: RWF_DONTCACHE where the file system takes it (Linux 6.14), else
    /// POSIX_FADV_DONTNEED. For data that is read or written once.
    /// </summary>
    Uncached = 1,

    /// <summary>
    /// Past the page cache: O_DIRECT on Linux, FILE_FLAG_NO_BUFFERING on Windows, F_NOCACHE on macOS. The caller needs no alignment.
    /// </summary>
    Direct = 2,
}
