namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// The arguments for opening a SluiceStream or a FileStream. The options objects are created once, so that creating them is not measured.
/// </summary>
internal sealed class StreamOpening(string path, FileMode mode, FileAccess access, long lengthBytes)
{
    private const int DotNetBufferBytes = 4096;

    public string Path { get; } = path;

    public FileMode Mode { get; } = mode;

    public FileAccess Access { get; } = access;

    /// <summary>The expected length of a file that is read, or the length to write, in bytes.</summary>
    public long LengthBytes { get; } = lengthBytes;

    public FileShare Share { get; init; } = FileShare.Read;

    public bool Asynchronous { get; init; }

    /// <summary>The buffer size; null for the default of the type, which is 4096 for FileStream and adaptive for SluiceStream.</summary>
    public int? BufferSizeBytes { get; init; }

    public long PreallocationSizeBytes { get; init; }

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
    };

    private FileOptions Options => Asynchronous ? FileOptions.Asynchronous : FileOptions.None;

    public static StreamOpening Reading(string path, long lengthBytes, bool asynchronous = false, int? bufferSizeBytes = null) =>
        new(path, FileMode.Open, FileAccess.Read, lengthBytes) { Asynchronous = asynchronous, BufferSizeBytes = bufferSizeBytes };

    /// <summary>Returns the arguments for creating or truncating a file.</summary>
    public static StreamOpening Writing(string path, long lengthBytes, bool asynchronous = false, int? bufferSizeBytes = null) =>
        new(path, FileMode.Create, FileAccess.Write, lengthBytes) { Asynchronous = asynchronous, BufferSizeBytes = bufferSizeBytes };
}
