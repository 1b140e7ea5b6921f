namespace Sluice;

/// <summary>How a <see cref="SluiceReader"/> reads. Immutable, and therefore thread-safe.</summary>
public sealed class SluiceReaderOptions
{
    /// <summary>
    /// The value of <see cref="Depth"/> and <see cref="RequestSize"/> that lets the reader find the best for this device.
    /// </summary>
    public const int Adaptive = 0;

    /// <summary>The largest <see cref="Depth"/>.</summary>
    public const int MaxDepth = 128;

    /// <summary>
    /// How the data passes through the page cache; for readers that open the file themselves. Not cached is for files that are read once:
    /// one that is read again soon comes from the device again, and one of a few kilobytes is slower so.
    /// </summary>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>What others may do with the file meanwhile; for readers that open the file themselves.</summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>Where to begin, in bytes from the start of the file.</summary>
    public long Offset { get; init; }

    /// <summary>
    /// How many direct reads to keep in flight, 1 to <see cref="MaxDepth"/>, or <see cref="Adaptive"/>. Cached and uncached reads go one at
    /// a time: overlapping ones would defeat the kernel's own read-ahead.
    /// </summary>
    public int Depth { get; init; } = Adaptive;

    /// <summary>Bytes of one read, at most 1 GiB and rounded up to what direct I/O asks for, or <see cref="Adaptive"/>.</summary>
    public int RequestSize { get; init; } = Adaptive;

    /// <summary>Told the position, in bytes from the start of the file, after each block.</summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// The engine of readers that open the file themselves; null for the process's own. For tests: see <see cref="InterceptingEngine"/>.
    /// </summary>
    public IoEngine? Engine { get; init; }

    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(Offset);
        ArgumentOutOfRangeException.ThrowIfNegative(Depth);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Depth, MaxDepth);
        ArgumentOutOfRangeException.ThrowIfNegative(RequestSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(RequestSize, 1 << 30);
    }
}
