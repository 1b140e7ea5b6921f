namespace Sluice.Cli.Bench.Streams;

/// <summary>How a stream is opened, for either side. The options objects are made once: they are not what is measured.</summary>
internal sealed class StreamOpening(string path, FileMode mode, FileAccess access, long lengthBytes)
{
    private const int DotNetBufferBytes = 4096;

    public string Path { get; } = path;

    public FileMode Mode { get; } = mode;

    public FileAccess Access { get; } = access;

    /// <summary>What a reader finds and a writer writes.</summary>
    public long LengthBytes { get; } = lengthBytes;

    public FileShare Share { get; init; } = FileShare.Read;

    public bool Asynchronous { get; init; }

    /// <summary>Null: the type's own default, which is 4096 for FileStream and adaptive for SluiceStream.</summary>
    public int? BufferSizeBytes { get; init; }

    public long PreallocationSizeBytes { get; init; }

    public FileCaching Caching { get; init; } = FileCaching.Cached;

    public FileStreamOptions DotNet => field ??= new FileStreamOptions
    {
        Mode = Mode,
        Access = Access,
        Share = Share,
        Options = Options,
        PreallocationSize = PreallocationSizeBytes,
        BufferSize = BufferSizeBytes ?? DotNetBufferBytes,
    };

    public SluiceOptions Sluice => field ??= new SluiceOptions
    {
        Mode = Mode,
        Access = Access,
        Share = Share,
        Options = Options,
        PreallocationSize = PreallocationSizeBytes,
        BufferSize = BufferSizeBytes ?? SluiceOptions.Adaptive,
        Caching = Caching,
    };

    private FileOptions Options => Asynchronous ? FileOptions.Asynchronous : FileOptions.None;

    public static StreamOpening Reading(string path, long lengthBytes, bool asynchronous = false, int? bufferSizeBytes = null) =>
        new(path, FileMode.Open, FileAccess.Read, lengthBytes) { Asynchronous = asynchronous, BufferSizeBytes = bufferSizeBytes };

    /// <summary>Makes the file, or empties it, as FileMode.Create does.</summary>
    public static StreamOpening Writing(string path, long lengthBytes, bool asynchronous = false, int? bufferSizeBytes = null) =>
        new(path, FileMode.Create, FileAccess.Write, lengthBytes) { Asynchronous = asynchronous, BufferSizeBytes = bufferSizeBytes };
}
