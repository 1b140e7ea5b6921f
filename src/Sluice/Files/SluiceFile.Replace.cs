using System.Buffers;
using System.Text;
using Sluice.Copying;
using Sluice.Files;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice;

// Durable replacement.
public static partial class SluiceFile
{
    /// <summary>
    /// Replaces a file's content, or makes the file, so that a crash at any moment leaves the old content or the new one, whole; when
    /// the call returns, the new one is on the disk.
    /// </summary>
    /// <remarks>
    /// A temporary file is written beside the target, its data synchronised, its name changed to the target's, and the folder
    /// synchronised. Permissions, owner, access list and extended attributes of the old file are kept, set-user-ID and capabilities are
    /// not; where the owner cannot be kept, nothing is replaced. A symbolic link stays, and what it leads to is replaced. Other hard links
    /// keep the old content. What a killed process leaves behind is removed by <see cref="RemoveReplacementLeftovers"/>. May be called for
    /// one file from many places at once: the content is then that of the call whose rename came last.
    /// </remarks>
    /// <param name="path">The file.</param>
    /// <param name="bytes">The new content.</param>
    /// <exception cref="ArgumentException">The name is empty or no path, or an argument is null that must not be.</exception>
    /// <exception cref="UnauthorizedAccessException">Folder or file may not be written to, or the old owner cannot be kept.</exception>
    /// <exception cref="IOException">
    /// The disk is full, or reported an error; the file is a mount point; somebody took the temporary file away. The old content is there,
    /// unless the folder failed last.
    /// </exception>
    public static void ReplaceAtomically(string path, ReadOnlySpan<byte> bytes) => ReplaceAtomically(path, bytes, ReplaceOptions.Default);

    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})"/>
    /// <param name="path">The file.</param>
    /// <param name="bytes">The new content.</param>
    /// <param name="options">How the file is replaced.</param>
    public static void ReplaceAtomically(string path, ReadOnlySpan<byte> bytes, ReplaceOptions options)
    {
        using AtomicReplacement replacement = BeginReplacement(path, options);
        replacement.Handle.Write(bytes, 0);
        replacement.Commit(CancellationToken.None);
    }

    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content, which is encoded as UTF-8 without a mark.</param>
    public static void ReplaceAtomically(string path, string? contents) => ReplaceAtomically(path, contents.AsSpan(), DefaultEncoding);

    /// <inheritdoc cref="ReplaceAtomically(string, string)"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content, which is encoded as UTF-8 without a mark.</param>
    /// <param name="options">How the file is replaced.</param>
    public static void ReplaceAtomically(string path, string? contents, ReplaceOptions options) =>
        ReplaceAtomically(path, contents.AsSpan(), DefaultEncoding, options);

    /// <inheritdoc cref="ReplaceAtomically(string, string)"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents) => ReplaceAtomically(path, contents, DefaultEncoding);

    /// <inheritdoc cref="ReplaceAtomically(string, string, ReplaceOptions)"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents, ReplaceOptions options) =>
        ReplaceAtomically(path, contents, DefaultEncoding, options);

    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content.</param>
    /// <param name="encoding">How it is encoded; the encoding's mark comes first.</param>
    public static void ReplaceAtomically(string path, string? contents, Encoding encoding) =>
        ReplaceAtomically(path, contents.AsSpan(), encoding);

    /// <inheritdoc cref="ReplaceAtomically(string, string, Encoding)"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content.</param>
    /// <param name="encoding">How it is encoded; the encoding's mark comes first.</param>
    /// <param name="options">How the file is replaced.</param>
    public static void ReplaceAtomically(string path, string? contents, Encoding encoding, ReplaceOptions options) =>
        ReplaceAtomically(path, contents.AsSpan(), encoding, options);

    /// <inheritdoc cref="ReplaceAtomically(string, string, Encoding)"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents, Encoding encoding) =>
        ReplaceAtomically(path, contents, encoding, ReplaceOptions.Default);

    /// <inheritdoc cref="ReplaceAtomically(string, string, Encoding, ReplaceOptions)"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents, Encoding encoding, ReplaceOptions options)
    {
        CheckText(path, encoding);
        using AtomicReplacement replacement = BeginReplacement(path, options);
        WriteText(replacement.Handle, contents, encoding);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>As the others, for content that is made piece by piece.</summary>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})"/>
    /// <param name="path">The file.</param>
    /// <param name="write">Writes the content into the temporary file that it is given; what it throws leaves the old content.</param>
    public static void ReplaceAtomically(string path, Action<SluiceHandle> write) =>
        ReplaceAtomically(path, write, ReplaceOptions.Default);

    /// <inheritdoc cref="ReplaceAtomically(string, Action{SluiceHandle})"/>
    /// <param name="path">The file.</param>
    /// <param name="write">Writes the content into the temporary file that it is given; what it throws leaves the old content.</param>
    /// <param name="options">How the file is replaced.</param>
    public static void ReplaceAtomically(string path, Action<SluiceHandle> write, ReplaceOptions options)
    {
        ArgumentNullException.ThrowIfNull(write);
        using AtomicReplacement replacement = BeginReplacement(path, options);
        write(replacement.Handle);
        replacement.Commit(CancellationToken.None);
    }

    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})"/>
    /// <param name="path">The file.</param>
    /// <param name="bytes">The new content; the memory belongs to the call until the task has ended.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    /// <exception cref="OperationCanceledException">The call was cancelled; the old content is there.</exception>
    public static Task ReplaceAtomicallyAsync(string path, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, bytes, ReplaceOptions.Default, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="bytes">The new content; the memory belongs to the call until the task has ended.</param>
    /// <param name="options">How the file is replaced.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<byte> bytes, ReplaceOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return ReplaceAtomicallyAsync(path, (handle, token) => handle.WriteAsync(bytes, 0, token), options, cancellationToken);
    }

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content, which is encoded as UTF-8 without a mark.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(string path, string? contents, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), DefaultEncoding, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, string, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content, which is encoded as UTF-8 without a mark.</param>
    /// <param name="options">How the file is replaced.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, ReplaceOptions options, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), DefaultEncoding, options, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, string, CancellationToken)"/>
    public static Task ReplaceAtomicallyAsync(string path, ReadOnlyMemory<char> contents, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents, DefaultEncoding, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, string, ReplaceOptions, CancellationToken)"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<char> contents, ReplaceOptions options, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents, DefaultEncoding, options, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content.</param>
    /// <param name="encoding">How it is encoded; the encoding's mark comes first.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), encoding, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, string, Encoding, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="contents">The new content.</param>
    /// <param name="encoding">How it is encoded; the encoding's mark comes first.</param>
    /// <param name="options">How the file is replaced.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, Encoding encoding, ReplaceOptions options, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), encoding, options, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, string, Encoding, CancellationToken)"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<char> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents, encoding, ReplaceOptions.Default, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, string, Encoding, ReplaceOptions, CancellationToken)"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<char> contents, Encoding encoding, ReplaceOptions options, CancellationToken cancellationToken =
            default)
    {
        CheckText(path, encoding);
        ArgumentNullException.ThrowIfNull(options);
        return ReplaceAtomicallyAsync(path, Write, options, cancellationToken);

        async ValueTask Write(SluiceHandle handle, CancellationToken token)
        {
            await InlineLimit.LeaveCallerIfAboveAsync(InlineLimit.MaxBytes(encoding, contents.Length));
            using TextSink sink = new(handle, encoding, 0);
            await sink.AddAsync(contents, token).ConfigureAwait(false);
            await sink.EndAsync(token).ConfigureAwait(false);
        }
    }

    /// <summary>As the others, for content that is made piece by piece.</summary>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="write">Writes the content into the temporary file that it is given; what it throws leaves the old content.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, write, ReplaceOptions.Default, cancellationToken);

    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, Func{SluiceHandle, CancellationToken, ValueTask}, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="write">Writes the content into the temporary file that it is given; what it throws leaves the old content.</param>
    /// <param name="options">How the file is replaced.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path,
        Func<SluiceHandle, CancellationToken, ValueTask> write,
        ReplaceOptions options,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(write);
        ArgumentNullException.ThrowIfNull(options);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : AtomicReplacement.RunAsync(path, options, write, cancellationToken);
    }

    /// <summary>
    /// Removes what replacements and copies that were killed left in a folder: temporary files, and folders that carry a copy's mark
    /// or are empty. Those that are still being written are locked by their makers, and stay; so does, on file systems that other machines
    /// share, what was touched within a day.
    /// </summary>
    /// <param name="folder">The folder; those below it are not looked at.</param>
    /// <returns>What was removed.</returns>
    /// <exception cref="ArgumentException">The name is empty or no path.</exception>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    public static IReadOnlyList<string> RemoveReplacementLeftovers(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        return OperatingSystem.IsLinux() && Libc.IsSupported ? Leftovers.Remove(folder) : [];
    }

    private static AtomicReplacement BeginReplacement(string path, ReplaceOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(options);
        return AtomicReplacement.Begin(path, options);
    }

    private static void WriteText(SluiceHandle handle, ReadOnlySpan<char> contents, Encoding encoding)
    {
        const int pieceBytes = Tuning.TextSinkPieceBytes;
        byte[] bytes = ArrayPool<byte>.Shared.RentUninterrupted(pieceBytes);
        try
        {
            Encoder encoder = encoding.GetEncoder();
            handle.Write(encoding.Preamble, 0);
            long at = encoding.Preamble.Length;

            // Convert would refuse an empty text where a caller's encoder leaves it to the base class.
            for (bool isWhole = contents.IsEmpty; !isWhole;)
            {
                encoder.Convert(contents, bytes, flush: true, out int charsUsed, out int bytesUsed, out isWhole);
                handle.Write(bytes.AsSpan(0, bytesUsed), at);
                at += bytesUsed;
                contents = contents[charsUsed..];
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.ReturnUninterrupted(bytes);
        }
    }
}
