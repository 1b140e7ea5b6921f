namespace Sluice;

/// <summary>How the bytes of a file get into its copy.</summary>
public enum CopyMethod
{
    /// <summary>
    /// The cheapest way that works: the others in this order, direct only for files that are not in memory and are as large as a
    /// sixteenth of it (1 GiB at most, 32 MiB at least), or an eighth of that where the copy is to be durable.
    /// </summary>
    Auto,

    /// <summary>The copy shares the blocks of the source until one of them is written to (FICLONE: btrfs, xfs, bcachefs).</summary>
    Reflink,

    /// <summary>Past the page cache, with several reads and writes outstanding: on a ring, or by threads where there is none.</summary>
    Direct,

    /// <summary>Within the kernel (copy_file_range), through the page cache.</summary>
    CopyFileRange,

    /// <summary>Read and written through the page cache.</summary>
    Buffered,
}
