namespace Sluice;

/// <summary>Specifies how the bytes of a file are transferred to its copy.</summary>
public enum CopyMethod
{
    /// <summary>The fastest method that works. This is the default.</summary>
    /// <remarks>
    /// Blocks are shared if the file system supports it. Otherwise, for a file of at least 512 MiB that is mostly not in the page
    /// cache, the copy compares methods: it copies some parts with <see cref="Direct"/> and some through the page cache, and the
    /// rest with the faster of the two. The page cache is chosen only if it is more than 5 percent faster. With
    /// <see cref="CopyOptions.FlushToDisk"/> only variants of <see cref="Direct"/> are compared.
    /// <see cref="CopyResult.MethodReason"/> contains the measured rates. All other files are copied through the page cache.
    /// </remarks>
    Auto,

    /// <summary>
    /// The copy shares the blocks of the source until one of the two files is written to. The file system must support the
    /// FICLONE operation of ioctl_ficlone(2), as btrfs, XFS and bcachefs do. Linux only.
    /// </summary>
    Reflink,

    /// <summary>The bytes bypass the page cache (O_DIRECT), with several reads and writes in flight. Linux only.</summary>
    /// <remarks>
    /// The requests are made through io_uring, or by several threads if io_uring is not available. This method is slow for small
    /// files and for files that are in the page cache, because each request waits for the device.
    /// </remarks>
    Direct,

    /// <summary>The kernel copies the bytes through the page cache with copy_file_range(2). Linux only.</summary>
    CopyFileRange,

    /// <summary>The bytes are read and written through the page cache.</summary>
    Buffered,
}
