using System.Text;

namespace Sluice;

/// <summary>
/// Provides all static methods of <see cref="File"/>, and additional methods for batches of small files, atomic replacement, copying and
/// fast enumeration.
/// </summary>
/// <remarks>
/// <para>The methods of <see cref="File"/> have the same behavior, exceptions and encodings here, so that a program can declare <c>using
/// File = Sluice.SluiceFile;</c>. Methods that open a file return a <see cref="SluiceStream"/> instead of a <see cref="FileStream"/>, or a
/// <see cref="SluiceHandle"/> instead of a <see cref="Microsoft.Win32.SafeHandles.SafeFileHandle"/>.</para>
/// <para>Asynchronous methods that read, write or append a whole file open the file on the calling thread. They may also copy up to 1 MiB
/// to or from the page cache on that thread.</para>
/// <para>All members are thread-safe.</para>
/// </remarks>
public static partial class SluiceFile
{
    /// <summary>As .NET: text is written without a mark, and what is no text is an error.</summary>
    private static readonly UTF8Encoding DefaultEncoding = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Opens a file and returns a handle for it.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">
    /// A value that specifies whether the file is opened, created or overwritten. The default is <see cref="FileMode.Open"/>.
    /// </param>
    /// <param name="access">
    /// The operations that can be performed on the file. The default is <see cref="FileAccess.Read"/>.
    /// </param>
    /// <param name="share">
    /// A value that specifies how other code may open the file while it is open. The default is <see cref="FileShare.Read"/>.
    /// </param>
    /// <param name="options">Additional options. The default is <see cref="FileOptions.None"/>.</param>
    /// <param name="preallocationSize">
    /// The number of bytes of disk space to reserve when the file is created or overwritten. The default is 0, which reserves
    /// none.
    /// </param>
    /// <returns>A handle for the file.</returns>
    /// <inheritdoc cref="File.OpenHandle" path="/exception"/>
    public static SluiceHandle OpenHandle(
        string path,
        FileMode mode = FileMode.Open,
        FileAccess access = FileAccess.Read,
        FileShare share = FileShare.Read,
        FileOptions options = FileOptions.None,
        long preallocationSize = 0) =>
        SluiceHandle.Open(path, mode, access, share, options, preallocationSize);

    /// <summary>
    /// Opens the null device: <c>/dev/null</c> on Unix, <c>NUL</c> on Windows. Data that is written to it is discarded, and a read returns
    /// no data. This method behaves like <c>File.OpenNullHandle</c> of .NET 11.
    /// </summary>
    /// <returns>A handle that is open for reading and writing.</returns>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public static SluiceHandle OpenNullHandle() => SluiceHandle.Open(
        OperatingSystem.IsWindows() ? "NUL" : "/dev/null", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);

    /// <summary>
    /// Creates or overwrites a file and opens it for reading and writing with <see cref="FileShare.None"/>. The stream adapts the size of
    /// its buffer.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Create(string)" path="/exception"/>
    public static SluiceStream Create(string path) => new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None);

    /// <summary>
    /// Creates or overwrites a file, with the specified buffer size, and opens it for reading and writing with
    /// <see cref="FileShare.None"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="bufferSize">The size of the stream's buffer, in bytes. 0 or 1 disables buffering.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Create(string, int)" path="/exception"/>
    public static SluiceStream Create(string path, int bufferSize) => Create(path, bufferSize, FileOptions.None);

    /// <summary>
    /// Creates or overwrites a file, with the specified buffer size and options, and opens it for reading and writing with
    /// <see cref="FileShare.None"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="bufferSize">The size of the stream's buffer, in bytes. 0 or 1 disables buffering.</param>
    /// <param name="options">Additional options for the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Create(string, int, FileOptions)" path="/exception"/>
    public static SluiceStream Create(string path, int bufferSize, FileOptions options) =>
        new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None, bufferSize, options);

    /// <summary>
    /// Opens a file with <see cref="FileShare.None"/>, for reading and writing, or only for writing with
    /// <see cref="FileMode.Append"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">A value that specifies whether the file is opened, created or overwritten.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileMode)" path="/exception"/>
    public static SluiceStream Open(string path, FileMode mode) =>
        Open(path, mode, mode == FileMode.Append ? FileAccess.Write : FileAccess.ReadWrite, FileShare.None);

    /// <summary>Opens a file with the specified mode and access, and with <see cref="FileShare.None"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">A value that specifies whether the file is opened, created or overwritten.</param>
    /// <param name="access">The operations that can be performed on the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileMode, FileAccess)" path="/exception"/>
    public static SluiceStream Open(string path, FileMode mode, FileAccess access) => Open(path, mode, access, FileShare.None);

    /// <summary>Opens a file with the specified mode, access and sharing.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">A value that specifies whether the file is opened, created or overwritten.</param>
    /// <param name="access">The operations that can be performed on the file.</param>
    /// <param name="share">A value that specifies how other code may open the file while it is open.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileMode, FileAccess, FileShare)" path="/exception"/>
    public static SluiceStream Open(string path, FileMode mode, FileAccess access, FileShare share) => new(path, mode, access, share);

    /// <summary>Opens a file with the options of <see cref="FileStream"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options for the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileStreamOptions)" path="/exception"/>
    public static SluiceStream Open(string path, FileStreamOptions options) => new(path, options);

    /// <summary>Opens a file with the specified options, which include the caching mode.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options for the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.Open(string, FileStreamOptions)" path="/exception"/>
    public static SluiceStream Open(string path, SluiceOptions options) => new(path, options);

    /// <summary>Opens an existing file for reading, with <see cref="FileShare.Read"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A stream over the file.</returns>
    /// <inheritdoc cref="File.OpenRead(string)" path="/exception"/>
    public static SluiceStream OpenRead(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.Read);

    /// <summary>
    /// Opens a file for writing, with <see cref="FileShare.None"/>. The file is created if it does not exist; an existing file
    /// keeps its content until it is overwritten.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A stream over the file, positioned at its start.</returns>
    /// <inheritdoc cref="File.OpenWrite(string)" path="/exception"/>
    public static SluiceStream OpenWrite(string path) => new(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.None);

    /// <summary>
    /// Opens an existing file for reading text. The encoding is detected from the byte order mark at the start of the file; without a mark,
    /// it is UTF-8.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A reader over the file.</returns>
    /// <inheritdoc cref="File.OpenText(string)" path="/exception"/>
    public static StreamReader OpenText(string path) => new(OpenRead(path), Encoding.UTF8, detectEncodingFromByteOrderMarks: true);

    /// <summary>Creates or overwrites a file for writing UTF-8 text without a byte order mark.</summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A writer over the file.</returns>
    /// <inheritdoc cref="File.CreateText(string)" path="/exception"/>
    public static StreamWriter CreateText(string path) =>
        new(new SluiceStream(path, FileMode.Create, FileAccess.Write, FileShare.Read), DefaultEncoding);

    /// <summary>
    /// Opens a file for appending UTF-8 text without a byte order mark. The file is created if it does not exist.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <returns>A writer over the file, positioned at its end.</returns>
    /// <inheritdoc cref="File.AppendText(string)" path="/exception"/>
    public static StreamWriter AppendText(string path) =>
        new(new SluiceStream(path, FileMode.Append, FileAccess.Write, FileShare.Read), DefaultEncoding);

    private static void CheckText(string path, Encoding encoding)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(encoding);
    }
}
