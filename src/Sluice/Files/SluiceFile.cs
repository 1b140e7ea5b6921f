using System.Text;

namespace Sluice;

/// <summary>
/// Files by path: every member of <see cref="File"/>, with the same exceptions and encodings, so that
/// <c>using File = Sluice.SluiceFile;</c> compiles; batches of small files, durable replacement, copies with progress, and fast
/// enumeration.
/// </summary>
/// <remarks>
/// Thread-safe. Where .NET's own member is as fast as it can be, it is called. A member without documentation of its own behaves
/// as the member of <see cref="File"/> with the same name and parameters.
/// </remarks>
public static partial class SluiceFile
{
    /// <summary>As .NET: text is written without a mark, and what is no text is an error.</summary>
    private static readonly UTF8Encoding DefaultEncoding = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Opens a file as <see cref="File.OpenHandle"/> does.</summary>
    /// <inheritdoc cref="SluiceHandle.Open(string, FileMode, FileAccess, FileShare, FileOptions, long, FileCaching)"/>
    public static SluiceHandle OpenHandle(
        string path,
        FileMode mode = FileMode.Open,
        FileAccess access = FileAccess.Read,
        FileShare share = FileShare.Read,
        FileOptions options = FileOptions.None,
        long preallocationSize = 0) =>
        SluiceHandle.Open(path, mode, access, share, options, preallocationSize);

    /// <summary>Makes or empties a file, open for reading and writing, for itself alone.</summary>
    public static SluiceStream Create(string path) => new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None);

    /// <summary>Makes or empties a file, open for reading and writing, for itself alone.</summary>
    /// <param name="path">The file.</param>
    /// <param name="bufferSize">Bytes of the stream's buffer.</param>
    public static SluiceStream Create(string path, int bufferSize) => Create(path, bufferSize, FileOptions.None);

    /// <inheritdoc cref="Create(string, int)"/>
    /// <param name="path">The file.</param>
    /// <param name="bufferSize">Bytes of the stream's buffer.</param>
    /// <param name="options">Further options.</param>
    public static SluiceStream Create(string path, int bufferSize, FileOptions options) =>
        new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None, bufferSize, options);

    /// <summary>Opens a file for itself alone.</summary>
    public static SluiceStream Open(string path, FileMode mode) =>
        Open(path, mode, mode == FileMode.Append ? FileAccess.Write : FileAccess.ReadWrite, FileShare.None);

    /// <summary>Opens a file for itself alone.</summary>
    public static SluiceStream Open(string path, FileMode mode, FileAccess access) => Open(path, mode, access, FileShare.None);

    /// <summary>Opens a file.</summary>
    public static SluiceStream Open(string path, FileMode mode, FileAccess access, FileShare share) => new(path, mode, access, share);

    /// <summary>Opens a file with .NET's own options.</summary>
    public static SluiceStream Open(string path, FileStreamOptions options) => new(path, options);

    /// <summary>Opens a file, and says how its data passes through the page cache.</summary>
    public static SluiceStream Open(string path, SluiceOptions options) => new(path, options);

    /// <summary>Opens a file for reading, shared for reading.</summary>
    public static SluiceStream OpenRead(string path) => new(path, FileMode.Open, FileAccess.Read, FileShare.Read);

    /// <summary>Opens a file for writing, for itself alone; makes it if it is not there, and keeps what it holds.</summary>
    public static SluiceStream OpenWrite(string path) => new(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.None);

    /// <summary>Opens a file to read it as UTF-8, or as the encoding that its mark names.</summary>
    public static StreamReader OpenText(string path) => new(OpenRead(path), Encoding.UTF8, detectEncodingFromByteOrderMarks: true);

    /// <summary>Makes or empties a file to write UTF-8 into it, without a mark.</summary>
    public static StreamWriter CreateText(string path) =>
        new(new SluiceStream(path, FileMode.Create, FileAccess.Write, FileShare.Read), DefaultEncoding);

    /// <summary>Opens or makes a file to write UTF-8 at its end.</summary>
    public static StreamWriter AppendText(string path) =>
        new(new SluiceStream(path, FileMode.Append, FileAccess.Write, FileShare.Read), DefaultEncoding);

    private static void CheckText(string path, Encoding encoding)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(encoding);
    }
}
