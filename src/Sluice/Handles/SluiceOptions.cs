namespace Sluice;

/// <summary>Specifies how to open a file: the settings of <see cref="FileStreamOptions"/>, a caching mode and an engine.</summary>
/// <remarks>This type is immutable and therefore thread-safe. The values are checked when a file is opened with them.</remarks>
public sealed class SluiceOptions
{
    /// <summary>A value of <see cref="BufferSize"/> that makes a stream adapt the size of its buffer to the way it is used.</summary>
    public const int Adaptive = -1;

    /// <summary>
    /// Gets the mode that determines whether the file is opened, created or truncated. The default is <see cref="FileMode.Open"/>.
    /// </summary>
    public FileMode Mode { get; init; } = FileMode.Open;

    /// <summary>Gets the access for which the file is opened. The default is <see cref="FileAccess.Read"/>.</summary>
    public FileAccess Access { get; init; } = FileAccess.Read;

    /// <summary>Gets the access that others may have to the file while it is open. The default is <see cref="FileShare.Read"/>.</summary>
    /// <remarks>On Unix this is an advisory lock, as in .NET: it has no effect on programs that do not use such locks.</remarks>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>Gets additional options for opening the file. The default is <see cref="FileOptions.None"/>.</summary>
    public FileOptions Options { get; init; }

    /// <summary>Gets the number of bytes of disk space to reserve when the file is opened. The default is 0, which reserves none.</summary>
    /// <remarks>
    /// As in .NET, a value greater than 0 requires <see cref="FileMode.Create"/> or <see cref="FileMode.CreateNew"/> and access for
    /// writing. Otherwise opening the file throws an <see cref="ArgumentException"/>.
    /// </remarks>
    public long PreallocationSize { get; init; }

    /// <summary>Gets the size of the buffer of a <see cref="SluiceStream"/>, in bytes. The default is <see cref="Adaptive"/>.</summary>
    /// <remarks>0 and 1 turn buffering off. A <see cref="SluiceHandle"/> has no buffer and ignores this property.</remarks>
    public int BufferSize { get; init; } = Adaptive;

    /// <summary>
    /// Gets the permissions of a file that is created, before the process's umask is applied. The default is <see langword="null"/>, which
    /// stands for the default of .NET: read and write permission for everyone.
    /// </summary>
    /// <remarks>
    /// On Windows this property is ignored. On other operating systems, a value other than <see langword="null"/> requires a mode that can
    /// create a file. Otherwise opening the file throws an <see cref="ArgumentException"/>.
    /// </remarks>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>
    /// Gets the caching mode, which determines how data passes through the page cache. The default is <see cref="FileCaching.Cached"/>.
    /// </summary>
    /// <remarks>
    /// The other modes are intended for data that is read or written once, or that the program caches itself. They are slower for small
    /// transfers and for data that is accessed again; see <see cref="FileCaching"/>.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets the engine that performs the transfers of the file. The default is <see langword="null"/>, which selects the engine of the
    /// current context (<see cref="IoEngine.UseForCurrentContext"/>) or, if there is none, <see cref="SluiceEngines.Default"/>.
    /// </summary>
    /// <remarks>This property is intended for tests; see <see cref="InterceptingEngine"/>.</remarks>
    public IoEngine? Engine { get; init; }

    /// <summary>Creates an instance with the settings of a <see cref="FileStreamOptions"/> instance.</summary>
    /// <param name="options">The settings to copy.</param>
    /// <returns>The new instance. <see cref="Caching"/> and <see cref="Engine"/> have their default values.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is <see langword="null"/>.</exception>
    public static implicit operator SluiceOptions(FileStreamOptions options) => FromFileStreamOptions(options);

    /// <summary>Creates an instance with the settings of a <see cref="FileStreamOptions"/> instance.</summary>
    /// <param name="options">The settings to copy.</param>
    /// <returns>The new instance. <see cref="Caching"/> and <see cref="Engine"/> have their default values.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is <see langword="null"/>.</exception>
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
