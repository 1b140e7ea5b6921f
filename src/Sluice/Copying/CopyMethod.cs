namespace Sluice;

/// <summary>Specifies how the bytes of a file are transferred to its copy.</summary>
public enum CopyMethod
{
    /// <summary>The fastest method that works. This is the default.</summary>
    /// <remarks>
    /// If the file system supports it, the copy shares the blocks of the source (<see cref="Reflink"/>). Otherwise, files are copied
    /// through the page cache, except files of at least 512 MiB that are mostly not in the page cache. For such a file, the copy measures
    /// <see cref="Direct"/> and the page cache on some parts, and uses the faster method for the rest.
    /// <see cref="CopyResult.MethodReason"/> contains the measured rates. With <see cref="CopyOptions.FlushToDisk"/>, such a file is always
    /// copied with <see cref="Direct"/>.
    /// </remarks>
    Auto,

    /// <summary>
    /// The copy shares the disk blocks of the source until one of the two files is written to. The file system must support FICLONE
    /// (ioctl_ficlone(2)), as btrfs, XFS and bcachefs do. Linux only.
    /// </summary>
    Reflink,

    /// <summary>
    /// The bytes bypass the page cache (O_DIRECT), and several reads and writes are in progress at the same time. Linux only.
    /// </summary>
    /// <remarks>
    /// This method is slow for small files and for files that are in the page cache, because each request waits for the device.
    /// </remarks>
    Direct,

    /// <summary>The kernel copies the bytes through the page cache with copy_file_range(2). Linux only.</summary>
    CopyFileRange,

    /// <summary>The bytes are read and written through the page cache.</summary>
    Buffered,
}
