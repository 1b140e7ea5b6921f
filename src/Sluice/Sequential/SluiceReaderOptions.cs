namespace Sluice;

/// <summary>Provides options for <see cref="SluiceReader"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe. The constructor of the reader checks the values.</remarks>
public sealed class SluiceReaderOptions
{
    /// <summary>
    /// The value of <see cref="Depth"/> and <see cref="RequestSize"/> that lets the reader choose: it measures the device while
    /// it reads.
    /// </summary>
    public const int Adaptive = 0;

    /// <summary>The largest value of <see cref="Depth"/>.</summary>
    public const int MaxDepth = 128;

    /// <summary>
    /// Gets a value that specifies how the data passes through the page cache of the operating system. The default is
    /// <see cref="FileCaching.Cached"/>. A reader that is created from a handle ignores this value and uses the caching of the
    /// handle.
    /// </summary>
    /// <remarks>
    /// <see cref="FileCaching.Uncached"/> and <see cref="FileCaching.Direct"/> are meant for files that are read once. A file
    /// that is read again soon has to be read from the device again, and for files of a few kilobytes both are slower.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets a value that specifies how other code may open the file while it is open. The default is
    /// <see cref="FileShare.Read"/>. A reader that is created from a handle ignores this value.
    /// </summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>
    /// Gets the offset at which reading starts, in bytes from the start of the file. The default is 0. A negative value is out of
    /// range.
    /// </summary>
    public long Offset { get; init; }

    /// <summary>
    /// Gets the number of reads to keep in flight with <see cref="FileCaching.Direct"/>, from 1 to <see cref="MaxDepth"/>. The
    /// default is <see cref="Adaptive"/>.
    /// </summary>
    /// <remarks>
    /// Without <see cref="FileCaching.Direct"/> the reader ignores this value and keeps one read in flight, because overlapping
    /// reads would defeat the read-ahead of the kernel.
    /// </remarks>
    public int Depth { get; init; } = Adaptive;

    /// <summary>
    /// Gets the size of one read, in bytes, from 1 byte to 1 GiB. With <see cref="FileCaching.Direct"/> it is rounded up to the
    /// alignment of the file. The default is <see cref="Adaptive"/>.
    /// </summary>
    public int RequestSize { get; init; } = Adaptive;

    /// <summary>
    /// Gets the object that receives the position after each block that was read, in bytes from the start of the file. The
    /// default is <see langword="null"/>.
    /// </summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// Gets the engine that performs the I/O of a reader that opens the file itself. The default is <see langword="null"/>, which
    /// selects the engine of the process. Setting it is meant for tests; see <see cref="InterceptingEngine"/>.
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
