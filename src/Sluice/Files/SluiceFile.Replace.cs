using System.Text;
using Sluice.Copying;
using Sluice.Files;

namespace Sluice;

// Durable replacement.
public static partial class SluiceFile
{
    /// <summary>Replaces the content of a file atomically and durably, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="bytes">The new content.</param>
    /// <exception cref="ArgumentException">The path is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException">
    /// An argument that must not be <see langword="null"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory of the file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The file or its directory cannot be written to, or the owner of the existing file cannot be preserved.
    /// </exception>
    /// <exception cref="IOException">
    /// The disk is full, the file is a mount point, the temporary file was removed by another process, or another I/O error occurred. The
    /// old content is in place, unless the error occurred in the last step, the flush of the directory.
    /// </exception>
    /// <remarks>
    /// <para>After a crash at any moment, the file has either the complete old content or the complete new content.</para>
    /// <para>The new content is written to a temporary file in the same directory. This file is flushed to the disk and renamed to the
    /// path. On Linux, the directory is then flushed too, so that the new content is durable when the call has completed. On other
    /// operating systems, the durability of the rename depends on the file system.</para>
    /// <para>On Linux, the new file gets the permissions, owner, access control list and extended attributes of the existing file. The
    /// set-user-ID and set-group-ID bits and the capabilities are not preserved. If the owner cannot be preserved, the call fails and
    /// nothing is replaced. On other operating systems, an existing file is replaced with
    /// <see cref="File.Replace(string, string, string)"/>.</para>
    /// <para>If the path is a symbolic link, the target of the link is replaced. Other hard links to the file keep the old content.
    /// If the process is killed, a temporary file whose name ends in <c>.sluice-tmp</c> may remain in the directory.</para>
    /// <para>The method is thread-safe. If several calls replace the same file, the content is that of the call that completed the
    /// replacement last.</para>
    /// </remarks>
    public static void ReplaceAtomically(string path, ReadOnlySpan<byte> bytes) => ReplaceAtomically(path, bytes, ReplaceOptions.Default);

    /// <summary>Replaces the content of a file atomically and durably, or creates the file, with the specified options.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="bytes">The new content.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<byte> bytes, ReplaceOptions options)
    {
        using AtomicReplacement replacement = BeginReplacement(path, options);
        replacement.Handle.Write(bytes, 0);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>
    /// Replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, string? contents) => ReplaceAtomically(path, contents.AsSpan(), DefaultEncoding);

    /// <summary>
    /// Replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates the file, with
    /// the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, string? contents, ReplaceOptions options) =>
        ReplaceAtomically(path, contents.AsSpan(), DefaultEncoding, options);

    /// <summary>
    /// Replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents) => ReplaceAtomically(path, contents, DefaultEncoding);

    /// <summary>
    /// Replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates the file, with
    /// the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents, ReplaceOptions options) =>
        ReplaceAtomically(path, contents, DefaultEncoding, options);

    /// <summary>
    /// Replaces the content of a file atomically and durably with text in the specified encoding, or creates the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, string? contents, Encoding encoding) =>
        ReplaceAtomically(path, contents.AsSpan(), encoding);

    /// <summary>
    /// Replaces the content of a file atomically and durably with text in the specified encoding, or creates the file, with the
    /// specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, string? contents, Encoding encoding, ReplaceOptions options) =>
        ReplaceAtomically(path, contents.AsSpan(), encoding, options);

    /// <summary>
    /// Replaces the content of a file atomically and durably with text in the specified encoding, or creates the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents, Encoding encoding) =>
        ReplaceAtomically(path, contents, encoding, ReplaceOptions.Default);

    /// <summary>
    /// Replaces the content of a file atomically and durably with text in the specified encoding, or creates the file, with the
    /// specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, ReadOnlySpan<char> contents, Encoding encoding, ReplaceOptions options)
    {
        CheckText(path, encoding);
        using AtomicReplacement replacement = BeginReplacement(path, options);
        WriteText(replacement.Handle, contents, encoding, isAppending: false);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>
    /// Replaces the content of a file atomically and durably with the data that a method writes, or creates the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="write">
    /// The method that writes the new content to the handle that is passed to it. The handle is closed after the method returns. If the
    /// method throws an exception, the old content stays in place and the exception is thrown to the caller.
    /// </param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, Action<SluiceHandle> write) =>
        ReplaceAtomically(path, write, ReplaceOptions.Default);

    /// <summary>
    /// Replaces the content of a file atomically and durably with the data that a method writes, or creates the file, with the
    /// specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="write">
    /// The method that writes the new content to the handle that is passed to it. The handle is closed after the method returns. If the
    /// method throws an exception, the old content stays in place and the exception is thrown to the caller.
    /// </param>
    /// <param name="options">The options of the replacement.</param>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomically(string, ReadOnlySpan{byte})" path="/remarks"/>
    public static void ReplaceAtomically(string path, Action<SluiceHandle> write, ReplaceOptions options)
    {
        ArgumentNullException.ThrowIfNull(write);
        using AtomicReplacement replacement = BeginReplacement(path, options);
        write(replacement.Handle);
        replacement.Commit(CancellationToken.None);
    }

    /// <summary>Asynchronously replaces the content of a file atomically and durably, or creates the file.</summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="bytes">The new content. The memory must not change until the task has completed.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <exception cref="ArgumentException">The path is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException">
    /// An argument that must not be <see langword="null"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The directory of the file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The file or its directory cannot be written to, or the owner of the existing file cannot be preserved.
    /// </exception>
    /// <exception cref="IOException">
    /// The disk is full, the file is a mount point, the temporary file was removed by another process, or another I/O error occurred. The
    /// old content is in place, unless the error occurred in the last step, the flush of the directory.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. The old content is in place.
    /// </exception>
    /// <remarks>
    /// <para>After a crash at any moment, the file has either the complete old content or the complete new content.</para>
    /// <para>The new content is written to a temporary file in the same directory. This file is flushed to the disk and renamed to the
    /// path. On Linux, the directory is then flushed too, so that the new content is durable when the call has completed. On other
    /// operating systems, the durability of the rename depends on the file system.</para>
    /// <para>On Linux, the new file gets the permissions, owner, access control list and extended attributes of the existing file. The
    /// set-user-ID and set-group-ID bits and the capabilities are not preserved. If the owner cannot be preserved, the call fails and
    /// nothing is replaced. On other operating systems, an existing file is replaced with
    /// <see cref="File.Replace(string, string, string)"/>.</para>
    /// <para>If the path is a symbolic link, the target of the link is replaced. Other hard links to the file keep the old content.
    /// If the process is killed, a temporary file whose name ends in <c>.sluice-tmp</c> may remain in the directory.</para>
    /// <para>The method is thread-safe. If several calls replace the same file, the content is that of the call that completed the
    /// replacement last.</para>
    /// </remarks>
    public static Task ReplaceAtomicallyAsync(string path, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, bytes, ReplaceOptions.Default, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably, or creates the file, with the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="bytes">The new content. The memory must not change until the task has completed.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<byte> bytes, ReplaceOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return ReplaceAtomicallyAsync(path, (handle, token) => handle.WriteAsync(bytes, 0, token), options, cancellationToken);
    }

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates
    /// the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(string path, string? contents, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), DefaultEncoding, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates
    /// the file, with the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, ReplaceOptions options, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), DefaultEncoding, options, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates
    /// the file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text. The memory must not change until the task has completed.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(string path, ReadOnlyMemory<char> contents, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents, DefaultEncoding, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with UTF-8 text without a byte order mark, or creates
    /// the file, with the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text. The memory must not change until the task has completed.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<char> contents, ReplaceOptions options, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents, DefaultEncoding, options, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with text in the specified encoding, or creates the
    /// file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), encoding, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with text in the specified encoding, or creates the
    /// file, with the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text, or <see langword="null"/> for an empty file.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, string? contents, Encoding encoding, ReplaceOptions options, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents.AsMemory(), encoding, options, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with text in the specified encoding, or creates the
    /// file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text. The memory must not change until the task has completed.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, ReadOnlyMemory<char> contents, Encoding encoding, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, contents, encoding, ReplaceOptions.Default, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with text in the specified encoding, or creates the
    /// file, with the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="contents">The new text. The memory must not change until the task has completed.</param>
    /// <param name="encoding">The encoding of the text. If the encoding has a byte order mark, the mark is written first.</param>
    /// <param name="options">The options of the replacement.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
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
            await WriteTextAsync(handle, contents, encoding, isAppending: false, token).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with the data that a method writes, or creates the
    /// file.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="write">
    /// The method that writes the new content to the handle that is passed to it. The handle is closed when the task of the method has
    /// completed. If the method fails, the old content stays in place and the exception is thrown to the caller.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
    public static Task ReplaceAtomicallyAsync(
        string path, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, write, ReplaceOptions.Default, cancellationToken);

    /// <summary>
    /// Asynchronously replaces the content of a file atomically and durably with the data that a method writes, or creates the
    /// file, with the specified options.
    /// </summary>
    /// <param name="path">The path of the file to replace or create.</param>
    /// <param name="write">
    /// The method that writes the new content to the handle that is passed to it. The handle is closed when the task of the method has
    /// completed. If the method fails, the old content stays in place and the exception is thrown to the caller.
    /// </param>
    /// <param name="options">The options of the replacement.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. The operation can be canceled until the file is replaced. If it is canceled, the old
    /// content stays in place.
    /// </param>
    /// <returns>A task that completes when the new content is durable.</returns>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)" path="/remarks"/>
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

    private static AtomicReplacement BeginReplacement(string path, ReplaceOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(options);
        return AtomicReplacement.Begin(path, options);
    }
}
