namespace Sluice;

/// <summary>How a <see cref="SluiceWriter"/> writes. Not thread-safe while it is being changed.</summary>
public sealed class SluiceWriterOptions
{
    /// <summary>The value of <see cref="Depth"/> and <see cref="RequestSize"/> that lets the writer find the best for this device.</summary>
    public const int Adaptive = 0;

    /// <summary>Which file may be there, and what happens to it; for writers that open the file themselves.</summary>
    public FileMode Mode { get; set; } = FileMode.Create;

    /// <summary>How the data passes through the page cache; for writers that open the file themselves.</summary>
    public FileCaching Caching { get; set; } = FileCaching.Cached;

    /// <summary>What others may do with the file meanwhile; for writers that open the file themselves.</summary>
    public FileShare Share { get; set; } = FileShare.Read;

    /// <summary>
    /// Where to begin, in bytes from the start of the file; null for its start, or its end with <see cref="FileMode.Append"/>.
    /// </summary>
    public long? Offset { get; set; }

    /// <summary>
    /// How many direct writes to keep in flight, 1 to <see cref="SluiceReaderOptions.MaxDepth"/>, or <see cref="Adaptive"/>. Cached writes
    /// are copies and go one at a time.
    /// </summary>
    public int Depth { get; set; } = Adaptive;

    /// <summary>Bytes of one write, rounded up to whole pages where direct, or <see cref="Adaptive"/>.</summary>
    public int RequestSize { get; set; } = Adaptive;

    /// <summary>
    /// Bytes that will be written, if known: they are reserved at the start, and what was not written is given back at the end. Without
    /// it, direct writers reserve as they go, and cached ones on ext4. Elsewhere than on Linux it takes effect for a path that is opened
    /// with <see cref="FileMode.Create"/> or <see cref="FileMode.CreateNew"/>, as <see cref="FileStreamOptions.PreallocationSize"/> does.
    /// </summary>
    public long PreallocationSize { get; set; }

    /// <summary>Whether completing makes the data durable (fdatasync).</summary>
    public bool DataSync { get; set; }

    /// <summary>Told how far the operating system has the file, in bytes from its start, after each block.</summary>
    public IProgress<long>? Progress { get; set; }

    /// <summary>
    /// For calls that bring no token of their own, such as those for typed values: looked at before each block is sent off.
    /// <see cref="SluiceWriter.Position"/> then tells how many bytes were taken. Disposing is not cancelled.
    /// </summary>
    public CancellationToken CancellationToken { get; set; }

    /// <summary>The engine of writers that open the file themselves; null for the process's own. For tests: see <see cref="FaultyEngine"/>.</summary>
    public IoEngine? Engine { get; set; }

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
