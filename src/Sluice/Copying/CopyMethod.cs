namespace Sluice;

/// <summary>Specifies how the bytes of a file are transferred to its copy.</summary>
public enum CopyMethod
{
    /// <summary>The fastest method that works. This is the default.</summary>
    /// <remarks>
    /// A file of up to 256 KiB without holes is read and written (<see cref="Buffered"/>). Otherwise, if the file system supports it, the copy shares
    /// the blocks of the source (<see cref="Reflink"/>); if not, the kernel copies the bytes (<see cref="CopyFileRange"/>), or they are read
    /// and written if the kernel refuses that.
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
