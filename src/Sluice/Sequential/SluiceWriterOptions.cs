using System.Text;

namespace Sluice;

/// <summary>Provides options for <see cref="SluiceWriter"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe. The constructor of the writer checks the values.</remarks>
public sealed class SluiceWriterOptions
{
    /// <summary>
    /// Specifies that the writer chooses the setting: with <see cref="FileCaching.Direct"/> four writes of 1 MiB, and otherwise one of 256 KiB.
    /// Use this constant for <see cref="Depth"/> or <see cref="RequestSize"/>.
    /// </summary>
    public const int Adaptive = 0;

    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false);

    /// <summary>
    /// Gets the mode that determines whether the file is created, overwritten or opened. The default is <see cref="FileMode.Create"/>.
    /// </summary>
    /// <remarks>
    /// With <see cref="FileMode.Append"/>, writing starts at the end of the file, unless <see cref="Offset"/> is set. A writer that is
    /// created from a handle ignores all values except <see cref="FileMode.Append"/>.
    /// </remarks>
    public FileMode Mode { get; init; } = FileMode.Create;

    /// <summary>
    /// Gets the caching mode of the file. The default is <see cref="FileCaching.Cached"/>. A writer that is created from a handle ignores
    /// this value and uses the caching mode of the handle.
    /// </summary>
    /// <remarks>
    /// <see cref="FileCaching.Uncached"/> and <see cref="FileCaching.Direct"/> are intended for large files that are not read again soon.
    /// Frequent flushes are slow with these modes.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets a value that specifies how other code may open the file while it is open. The default is
    /// <see cref="FileShare.Read"/>. A writer that is created from a handle ignores this value.
    /// </summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>
    /// Gets the offset at which writing starts, in bytes from the start of the file. The default is <see langword="null"/>: writing starts
    /// at the end of the file with <see cref="FileMode.Append"/>, and otherwise at offset 0. The value must not be negative.
    /// </summary>
    public long? Offset { get; init; }

    /// <summary>
    /// Gets the number of writes that are in progress at the same time with <see cref="FileCaching.Direct"/>, from 1 to
    /// <see cref="SluiceReaderOptions.MaxDepth"/>. The default is <see cref="Adaptive"/>.
    /// </summary>
    /// <remarks>With other caching modes, this value is ignored, and one write is in progress at a time.</remarks>
    public int Depth { get; init; } = Adaptive;

    /// <summary>
    /// Gets the size of one write, in bytes, from 1 byte to 1 GiB. With <see cref="FileCaching.Direct"/>, the value is rounded up to whole
    /// pages. The default is <see cref="Adaptive"/>.
    /// </summary>
    public int RequestSize { get; init; } = Adaptive;

    /// <summary>
    /// Gets the number of bytes of disk space to reserve when the writer is created. The default is 0, which reserves none. The value must
    /// not be negative.
    /// </summary>
    /// <remarks>
    /// <para>With <see cref="FileCaching.Direct"/>, reserved space that was not used is released when the writer completes. With other
    /// caching modes, this space stays allocated until the file is truncated or overwritten, as with
    /// <see cref="FileStreamOptions.PreallocationSize"/>.</para>
    /// <para>On operating systems other than Linux, the value is ignored if the writer is created from a handle or if <see cref="Mode"/> is
    /// not <see cref="FileMode.Create"/> or <see cref="FileMode.CreateNew"/>.</para>
    /// </remarks>
    public long PreallocationSize { get; init; }

    /// <summary>
    /// Gets the permissions of a file that is created, before the umask of the process is applied. The default is <see langword="null"/>,
    /// which stands for the default of .NET. A writer that is created from a handle ignores this value.
    /// </summary>
    /// <remarks>
    /// The value is ignored on Windows. On other operating systems, the constructor of the writer throws an
    /// <see cref="ArgumentException"/> if the value is set and <see cref="Mode"/> does not create files.
    /// </remarks>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the data is flushed to the disk (fdatasync(2)) when the file is completed. The default is
    /// <see langword="false"/>.
    /// </summary>
    public bool FlushToDisk { get; init; }

    /// <summary>
    /// Gets the encoding in which text is written. The default is UTF-8 without a byte order mark, which replaces a lone surrogate with
    /// U+FFFD.
    /// </summary>
    /// <remarks>
    /// The preamble of the encoding is written before the first text, if that is written at the start of the file. The default encoding of
    /// <see cref="StreamWriter"/> throws an <see cref="EncoderFallbackException"/> for a lone surrogate. To get this behavior, use a
    /// <see cref="UTF8Encoding"/> with <c>throwOnInvalidBytes</c> set to <see langword="true"/>.
    /// </remarks>
    public Encoding Encoding { get; init; } = s_utf8;

    /// <summary>
    /// Gets the line terminator that <see cref="SluiceWriter.WriteLine(ReadOnlySpan{char}, CancellationToken)"/> appends. The default is
    /// <see cref="Environment.NewLine"/>, as with <see cref="TextWriter.NewLine"/>.
    /// </summary>
    public string NewLine { get; init; } = Environment.NewLine;

    /// <summary>
    /// Gets the object that receives the offset up to which data has been passed to the operating system, in bytes, after each write. The
    /// default is <see langword="null"/>.
    /// </summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// Gets the engine for the file that the writer opens. The default is <see langword="null"/>, which selects the default engine. This
    /// property is intended for tests; see <see cref="InterceptingEngine"/>.
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
        ArgumentNullException.ThrowIfNull(Encoding);
        ArgumentNullException.ThrowIfNull(NewLine);
    }
}
