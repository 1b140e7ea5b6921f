namespace Sluice;

/// <summary>How to open a file: <see cref="FileStreamOptions"/>, and what Sluice adds. Immutable, and therefore thread-safe.</summary>
public sealed class SluiceOptions
{
    /// <summary>The value of <see cref="BufferSize"/> that lets a stream size its buffer itself.</summary>
    public const int Adaptive = -1;

    /// <summary>Which file may be there, and what happens to it.</summary>
    public FileMode Mode { get; init; } = FileMode.Open;

    /// <summary>Reading, writing or both.</summary>
    public FileAccess Access { get; init; } = FileAccess.Read;

    /// <summary>What others may do with the file meanwhile (an advisory lock on Unix, as in .NET).</summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>Further options, as in .NET.</summary>
    public FileOptions Options { get; init; }

    /// <summary>Bytes to reserve when the file is made; 0 for none. As in .NET, only for a mode that makes or empties a file.</summary>
    public long PreallocationSize { get; init; }

    /// <summary>Bytes of a stream's buffer; 0 and 1 for none; <see cref="Adaptive"/> for one that sizes itself.</summary>
    public int BufferSize { get; init; } = Adaptive;

    /// <summary>
    /// Permissions of a file that is made, subject to the umask; null for .NET's own. Ignored on Windows; elsewhere a mode that makes no
    /// file is refused with it (<see cref="ArgumentException"/>).
    /// </summary>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>
    /// How the data passes through the page cache. Not cached is for data that is passed once, or that the program caches itself: small
    /// transfers, and what is met again, are slower so (<see cref="FileCaching"/> says by what).
    /// </summary>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>The engine that carries this handle's transfers; null for the process's own. For tests: see
    /// <see cref="InterceptingEngine"/>.</summary>
    public IoEngine? Engine { get; init; }

    /// <summary>Takes over every setting of .NET's own options.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static implicit operator SluiceOptions(FileStreamOptions options) => FromFileStreamOptions(options);

    /// <summary>Takes over every setting of .NET's own options.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static SluiceOptions FromFileStreamOptions(FileStreamOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return new SluiceOptions
        {
            Mode = options.Mode,
            Access = options.Access,
            Share = options.Share,
            Options = options.Options,
            PreallocationSize = options.PreallocationSize,
            BufferSize = options.BufferSize,
            UnixCreateMode = OperatingSystem.IsWindows() ? null : options.UnixCreateMode,
        };
    }
}
