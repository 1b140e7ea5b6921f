using System.Text;

namespace Sluice;

/// <summary>Provides options for <see cref="SluiceWriter"/>.</summary>
/// <remarks>This type is immutable and therefore thread-safe. The constructor of the writer checks the values.</remarks>
public sealed class SluiceWriterOptions
{
    /// <summary>
    /// The value of <see cref="Depth"/> and <see cref="RequestSize"/> that lets the writer choose: it measures the device while
    /// it writes.
    /// </summary>
    public const int Adaptive = 0;

    private static readonly UTF8Encoding s_utf8 = new(encoderShouldEmitUTF8Identifier: false);

    /// <summary>
    /// Gets a value that specifies whether the file is created, overwritten or opened. The default is
    /// <see cref="FileMode.Create"/>.
    /// </summary>
    /// <remarks>
    /// With <see cref="FileMode.Append"/>, writing starts at the end of the file, unless <see cref="Offset"/> is set. This is
    /// also the case for a writer that is created from a handle; such a writer ignores all other values.
    /// </remarks>
    public FileMode Mode { get; init; } = FileMode.Create;

    /// <summary>
    /// Gets a value that specifies how the data passes through the page cache of the operating system. The default is
    /// <see cref="FileCaching.Cached"/>. A writer that is created from a handle ignores this value and uses the caching of the
    /// handle.
    /// </summary>
    /// <remarks>
    /// <see cref="FileCaching.Uncached"/> and <see cref="FileCaching.Direct"/> are meant for large files that are not read soon.
    /// A writer that is flushed often is slower with them.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets a value that specifies how other code may open the file while it is open. The default is
    /// <see cref="FileShare.Read"/>. A writer that is created from a handle ignores this value.
    /// </summary>
    public FileShare Share { get; init; } = FileShare.Read;

    /// <summary>
    /// Gets the offset at which writing starts, in bytes from the start of the file. The default is <see langword="null"/>:
    /// writing starts at the end of the file with <see cref="FileMode.Append"/>, and otherwise at offset 0. A negative value is
    /// out of range.
    /// </summary>
    public long? Offset { get; init; }

    /// <summary>
    /// Gets the number of writes to keep in flight with <see cref="FileCaching.Direct"/>, from 1 to
    /// <see cref="SluiceReaderOptions.MaxDepth"/>. The default is <see cref="Adaptive"/>.
    /// </summary>
    /// <remarks>
    /// Without <see cref="FileCaching.Direct"/> the writer ignores this value and writes one block at a time, because such a
    /// write only copies the bytes into the page cache.
    /// </remarks>
    public int Depth { get; init; } = Adaptive;

    /// <summary>
    /// Gets the size of one write, in bytes, from 1 byte to 1 GiB. With <see cref="FileCaching.Direct"/> it is rounded up to
    /// whole pages. The default is <see cref="Adaptive"/>.
    /// </summary>
    public int RequestSize { get; init; } = Adaptive;

    /// <summary>
    /// Gets the number of bytes for which disk space is reserved when the writer is created. The default is 0: no space is
    /// reserved at that time. A negative value is out of range.
    /// </summary>
    /// <remarks>
    /// <para>With <see cref="FileCaching.Direct"/>, reserved space that was not used is released when the writer completes. With
    /// the other caching modes it stays allocated behind the end of the file until the file is truncated or overwritten, as with
    /// <see cref="FileStreamOptions.PreallocationSize"/>. A writer with <see cref="FileCaching.Direct"/> reserves further space
    /// while it writes, whatever this value is.</para>
    /// <para>On operating systems other than Linux, the value takes effect only for a writer that opens the file itself, with
    /// <see cref="FileMode.Create"/> or <see cref="FileMode.CreateNew"/>.</para>
    /// </remarks>
    public long PreallocationSize { get; init; }

    /// <summary>
    /// Gets the permissions to give to a file that is created. The umask of the process still applies. The default is
    /// <see langword="null"/>, which gives the file the permissions that .NET gives to new files. A writer that is created from a
    /// handle ignores this value.
    /// </summary>
    /// <remarks>
    /// The value is ignored on Windows. On other operating systems, the constructor of the writer throws an
    /// <see cref="ArgumentException"/> if the value is set and <see cref="Mode"/> does not create files.
    /// </remarks>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>
    /// Gets a value that indicates whether completing the file waits until the device has the data, as fdatasync(2) does. The
    /// default is <see langword="false"/>.
    /// </summary>
    public bool FlushToDisk { get; init; }

    /// <summary>
    /// Gets the encoding of <see cref="SluiceWriter.Write(ReadOnlySpan{char}, CancellationToken)"/> and its companions for lines and for
    /// asynchronous use. The default is UTF-8 without a preamble (byte order mark) that replaces a lone surrogate by U+FFFD.
    /// </summary>
    /// <remarks>
    /// The encoding's preamble is written in front of the first text if that begins the file or the pipe, as <see cref="StreamWriter"/>
    /// does. <see cref="StreamWriter"/>'s own default throws an <see cref="EncoderFallbackException"/> for a lone surrogate; for that, set
    /// <c>new UTF8Encoding(false, throwOnInvalidBytes: true)</c>.
    /// </remarks>
    public Encoding Encoding { get; init; } = s_utf8;

    /// <summary>
    /// Gets the line terminator that <see cref="SluiceWriter.WriteLine(ReadOnlySpan{char}, CancellationToken)"/> appends. The default is
    /// <see cref="Environment.NewLine"/>, as with <see cref="TextWriter.NewLine"/>.
    /// </summary>
    public string NewLine { get; init; } = Environment.NewLine;

    /// <summary>
    /// Gets the object that receives the offset up to which the operating system has the file, in bytes from the start of the
    /// file, after each block. The default is <see langword="null"/>.
    /// </summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// Gets the engine that performs the I/O of a writer that opens the file itself. The default is <see langword="null"/>, which
    /// selects the engine of the process. Setting it is meant for tests; see <see cref="InterceptingEngine"/>.
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
