namespace Sluice;

/// <summary>How the bytes of a file get into its copy.</summary>
public enum CopyMethod
{
    /// <summary>
    /// The fastest way that works. Blocks are shared where the file system shares them. Of a file of 512 MiB or more that is not in memory,
    /// parts are copied directly and through the page cache, and the rest by what was faster: directly, unless the cache gains more than a
    /// twentieth; a copy that is to be durable compares direct ways alone (<see cref="CopyResult.MethodReason"/> has the figures). All else
    /// goes through the page cache.
    /// </summary>
    Auto,

    /// <summary>The copy shares the blocks of the source until one of them is written to (FICLONE: btrfs, xfs, bcachefs).</summary>
    Reflink,

    /// <summary>
    /// Past the page cache, with several reads and writes outstanding: on a ring, or by threads where there is none. Not for small files,
    /// nor for what is in the page cache: each request waits for the device.
    /// </summary>
    Direct,

    /// <summary>Within the kernel (copy_file_range), through the page cache.</summary>
    CopyFileRange,

    /// <summary>Read and written through the page cache.</summary>
    Buffered,
}
