namespace Sluice;

/// <summary>Provides options for <see cref="SluiceReader"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe. The constructor of the reader checks the values.</remarks>
public sealed class SluiceReaderOptions
{
    /// <summary>
    /// Specifies that the reader chooses the setting: with <see cref="FileCaching.Direct"/> four reads of 1 MiB, and otherwise one of 256 KiB.
    /// Use this constant for <see cref="Depth"/> or <see cref="RequestSize"/>.
    /// </summary>
    public const int Adaptive = 0;

    /// <summary>The maximum value of <see cref="Depth"/>, which is 128.</summary>
    public const int MaxDepth = 128;

    /// <summary>
    /// Gets the caching mode of the file. The default is <see cref="FileCaching.Cached"/>. A reader that is created from a handle ignores
    /// this value and uses the caching mode of the handle.
    /// </summary>
    /// <remarks>
    /// <see cref="FileCaching.Uncached"/> and <see cref="FileCaching.Direct"/> are intended for large files that are read once.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets a value that specifies how other code may open the file while it is open. The default is
    /// <see cref="FileShare.Read"/>. A reader that is created from a handle ignores this value.
    /// </summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>
    /// Gets the offset at which reading starts, in bytes from the start of the file. The default is 0. The value must not be negative.
    /// </summary>
    public long Offset { get; init; }

    /// <summary>
    /// Gets the number of reads that are in progress at the same time with <see cref="FileCaching.Direct"/>, from 1 to
    /// <see cref="MaxDepth"/>. The default is <see cref="Adaptive"/>.
    /// </summary>
    /// <remarks>With other caching modes, this value is ignored, and one read is in progress at a time.</remarks>
    public int Depth { get; init; } = Adaptive;

    /// <summary>
    /// Gets the size of one read, in bytes, from 1 byte to 1 GiB. With <see cref="FileCaching.Direct"/>, the value is rounded up to the
    /// alignment of the file. The default is <see cref="Adaptive"/>.
    /// </summary>
    public int RequestSize { get; init; } = Adaptive;

    /// <summary>
    /// Gets the object that receives the position in the file, in bytes, after each read. The default is <see langword="null"/>.
    /// </summary>
    /// <remarks>
    /// The object is called by the call of the reader that receives the data. An exception that it throws is thrown to the caller.
    /// </remarks>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// Gets the engine for the file that the reader opens. The default is <see langword="null"/>, which selects the default engine. This
    /// property is intended for tests; see <see cref="InterceptingEngine"/>.
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
