namespace Sluice;

/// <summary>Specifies how the data of a file passes through the page cache of the operating system.</summary>
public enum FileCaching
{
    /// <summary>The data passes through the page cache, as with <see cref="FileStream"/>.</summary>
    Cached = 0,

    /// <summary>The data passes through the page cache and is dropped from the cache after the transfer.</summary>
    /// <remarks>
    /// <para>
    /// This mode is intended for data that is read or written once. It uses RWF_DONTCACHE if the kernel (Linux 6.14) and the file system
    /// support it, and otherwise POSIX_FADV_DONTNEED. It requires 64-bit Linux; on other systems the file is opened with
    /// <see cref="Cached"/>, and <see cref="OpenFile.CachingReason"/> contains the reason.
    /// </para>
    /// <para>
    /// This mode is slower than <see cref="Cached"/> for data that is accessed again, also for a <see cref="SluiceStream"/> that is flushed
    /// or moves its position often. Data that <see cref="SluiceHandle.Append"/> writes stays in the page cache.
    /// </para>
    /// </remarks>
    Uncached = 1,

    /// <summary>The data bypasses the page cache (O_DIRECT).</summary>
    /// <remarks>
    /// <para>
    /// Memory, offsets and lengths need not be aligned. This mode requires 64-bit Linux and a file system that supports O_DIRECT.
    /// Otherwise, the file is opened with <see cref="Cached"/>, and <see cref="OpenFile.CachingReason"/> contains the reason.
    /// </para>
    /// <para>
    /// Small transfers are slow in this mode. Reads wait for the device. The parts of a write that do not fill a whole page go through the
    /// page cache, with O_DIRECT turned off for that call; <see cref="OpenFile.EdgeTransfers"/> counts these transfers. Use
    /// <see cref="Cached"/> for a program that seeks or flushes after small transfers.
    /// </para>
    /// <para>
    /// Within a process, Sluice serializes conflicting transfers. No other process, memory mapping or handle with another mode should
    /// write to the same pages at the same time: the kernel may lose one of the writes, and then the next flush fails with EIO (open(2),
    /// NOTES).
    /// </para>
    /// </remarks>
    Direct = 2,
}
