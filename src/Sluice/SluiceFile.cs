using System.Text;

namespace Sluice;

/// <summary>
/// Whole files by path: the members of <see cref="File"/> that read, write, append, open, copy, move and replace, with the same
/// exceptions and encodings; batches of small files, durable replacement, copies with progress, and fast enumeration.
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

    private static void CheckText(string path, Encoding encoding)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(encoding);
    }
}
