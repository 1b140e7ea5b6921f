namespace Sluice;

/// <summary>How a file's data passes through the operating system's page cache.</summary>
public enum FileCaching
{
    /// <summary>Through the page cache, as <see cref="FileStream"/> does.</summary>
    Cached = 0,

    /// <summary>
    /// Through the page cache, and dropped behind the transfer: RWF_DONTCACHE where the file system takes it (Linux 6.14), else
    /// POSIX_FADV_DONTNEED. For data that is read or written once. 64-bit Linux only; elsewhere the file is opened cached, and
    /// <see cref="OpenFile.CachingReason"/> says so. Not for what is met again: a <see cref="SluiceStream"/> that goes to and fro, or is
    /// flushed again and again, leaves such pages in the cache for a while (on ext4 and xfs, 2 MiB at most), and is slower than a
    /// cached one all the same. What is appended (<see cref="SluiceHandle.Append"/>) stays in the cache too, since the next append
    /// meets its last page again.
    /// </summary>
    Uncached = 1,

    /// <summary>
    /// Past the page cache: O_DIRECT. 64-bit Linux only; elsewhere the file is opened cached, and <see cref="OpenFile.CachingReason"/>
    /// says so. The caller needs no alignment. Not for many small transfers: each that is no whole block goes through the page cache, with
    /// O_DIRECT taken off for it (a write), or waits for the device (a read). A <see cref="SluiceStream"/> that goes to and fro, or is
    /// flushed again and again, has the page cache keep what it meets again for a while (on ext4 and xfs, 2 MiB at most);
    /// <see cref="OpenFile.EdgeTransfers"/> counts both. Transfers of direct handles of one process are kept apart where they must be. A
    /// handle that is not direct, a mapping or another process is to write to no page of the file meanwhile: the kernel may lose one of two
    /// such writes, and says so by EIO of the next flush (open(2), NOTES).
    /// </summary>
    Direct = 2,
}
