namespace Sluice;

/// <summary>How a <see cref="SluiceWriter"/> writes. Immutable, and therefore thread-safe.</summary>
public sealed class SluiceWriterOptions
{
    /// <summary>
    /// The value of <see cref="Depth"/> and <see cref="RequestSize"/> that lets the writer find the best for this device.
    /// </summary>
    public const int Adaptive = 0;

    /// <summary>Which file may be there, and what happens to it; for writers that open the file themselves.</summary>
    public FileMode Mode { get; init; } = FileMode.Create;

    /// <summary>
    /// How the data passes through the page cache; for writers that open the file themselves. Not cached is for large files that nobody
    /// reads soon: a writer that is flushed a little at a time is slower so.
    /// </summary>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>What others may do with the file meanwhile; for writers that open the file themselves.</summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>
    /// Where to begin, in bytes from the start of the file; null for its start, or its end with <see cref="FileMode.Append"/>.
    /// </summary>
    public long? Offset { get; init; }

    /// <summary>
    /// How many direct writes to keep in flight, 1 to <see cref="SluiceReaderOptions.MaxDepth"/>, or <see cref="Adaptive"/>. Cached writes
    /// are copies and go one at a time.
    /// </summary>
    public int Depth { get; init; } = Adaptive;

    /// <summary>Bytes of one write, at most 1 GiB and rounded up to whole pages where direct, or <see cref="Adaptive"/>.</summary>
    public int RequestSize { get; init; } = Adaptive;

    /// <summary>
    /// Bytes that will be written, if known: their space is reserved at the start. What is not written of it a direct writer cuts off at
    /// the end; a cached one leaves it behind the end of the file, as <see cref="FileStreamOptions.PreallocationSize"/> does, until the
    /// file is cut or made anew. Without it, direct writers reserve as they go. Elsewhere than on Linux it takes effect for a path that is
    /// opened with <see cref="FileMode.Create"/> or <see cref="FileMode.CreateNew"/>.
    /// </summary>
    public long PreallocationSize { get; init; }

    /// <summary>
    /// Permissions of a file that is made, subject to the umask; null for .NET's own. Ignored on Windows; elsewhere a mode that makes no
    /// file is refused with it (<see cref="ArgumentException"/>). For writers that open the file themselves.
    /// </summary>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>Whether completing makes the data durable (fdatasync).</summary>
    public bool FlushToDisk { get; init; }

    /// <summary>Told how far the operating system has the file, in bytes from its start, after each block.</summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// The engine of writers that open the file themselves; null for the process's own. For tests: see <see cref="InterceptingEngine"/>.
    /// </summary>
    public IoEngine? Engine { get; init; }

    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(Offset ?? 0, nameof(Offset));
        ArgumentOutOfRangeException.ThrowIfNegative(Depth);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Depth, SluiceReaderOptions.MaxDepth);
        ArgumentOutOfRangeException.ThrowIfNegative(RequestSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(RequestSize, 1 << 30);
        ArgumentOutOfRangeException.ThrowIfNegative(PreallocationSize);
    }
}
