using Sluice.Copying;

namespace Sluice;

// Copying, moving and replacing.
public static partial class SluiceFile
{
    /// <inheritdoc cref="File.Copy(string, string)"/>
    public static void Copy(string sourceFileName, string destFileName) => File.Copy(sourceFileName, destFileName);

    /// <inheritdoc cref="File.Copy(string, string, bool)"/>
    public static void Copy(string sourceFileName, string destFileName, bool overwrite) =>
        File.Copy(sourceFileName, destFileName, overwrite);

    /// <inheritdoc cref="File.Move(string, string)"/>
    public static void Move(string sourceFileName, string destFileName) => File.Move(sourceFileName, destFileName);

    /// <inheritdoc cref="File.Move(string, string, bool)"/>
    public static void Move(string sourceFileName, string destFileName, bool overwrite) =>
        File.Move(sourceFileName, destFileName, overwrite);

    /// <inheritdoc cref="File.Replace(string, string, string)"/>
    public static void Replace(string sourceFileName, string destinationFileName, string? destinationBackupFileName) =>
        File.Replace(sourceFileName, destinationFileName, destinationBackupFileName);

    /// <inheritdoc cref="File.Replace(string, string, string, bool)"/>
    public static void Replace(
        string sourceFileName, string destinationFileName, string? destinationBackupFileName, bool ignoreMetadataErrors) =>
        File.Replace(sourceFileName, destinationFileName, destinationBackupFileName, ignoreMetadataErrors);

    /// <summary>Asynchronously copies a file or a directory tree.</summary>
    /// <param name="sourceFileName">The path of the file or directory to copy.</param>
    /// <param name="destFileName">The path of the copy itself, not of the directory that is to contain it.</param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. A canceled copy is removed, unless <see cref="CopyOptions.Resume"/> is
    /// <see langword="true"/>.
    /// </param>
    /// <returns>A task whose result describes what was copied and which method was used.</returns>
    /// <exception cref="ArgumentException">
    /// A path is empty or is not a valid path, or the options contradict each other.
    /// </exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sourceFileName"/> or <paramref name="destFileName"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="FileNotFoundException">The source does not exist.</exception>
    /// <exception cref="DirectoryNotFoundException">
    /// A directory of the source path or of the target path does not exist.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">An option or the method is supported only on Linux.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The source cannot be read, the target cannot be written, or the source is a directory and
    /// <see cref="CopyOptions.Recurse"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="FileBatchException">
    /// Files or directories inside a tree failed. The exception contains all failures.
    /// </exception>
    /// <exception cref="IOException">
    /// The target already exists; or the target is the source; or another process uses the source or the target; or the disk is full; or,
    /// with <see cref="CopyOptions.Verify"/>, the copy differs from the source.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. If files or directories in a tree failed before, the inner exception is a
    /// <see cref="FileBatchException"/>.
    /// </exception>
    /// <remarks>
    /// <para>By default, the copy uses the fastest method that works; see <see cref="CopyMethod.Auto"/>. On Linux, holes in a
    /// file are preserved.</para>
    /// <para>The data is first written to a temporary file or directory next to the target. When the copy is complete, this file or
    /// directory is renamed to the target. If the copy fails or is canceled, or if the process is killed, the target is not created or
    /// changed. There are two cases in which this does not hold. With <see cref="CopyOptions.FlushToDisk"/>, the flush of the target's
    /// directory can fail after the rename. On FUSE file systems that support neither a rename without replacement nor hard links, an
    /// empty target file can remain if the process is killed during the rename.</para>
    /// <para>If the target is an existing directory, each file is copied in this way. Files that were copied before a failure stay.</para>
    /// <para>The copy gets the permissions and times of the source, as with <see cref="File.Copy(string, string)"/>. If a target file is
    /// replaced, its extended attributes are kept, and so is its owner if the process may set the owner. Other hard links to the target
    /// keep the old content. If a source file is written to during the copy, the copy may contain data of several versions; see
    /// <see cref="CopyResult.ChangedFiles"/>.</para>
    /// <para>By default, the copy of a tree stops at the first failure. If the target directory did not exist before the call, the partial
    /// copy is removed. With <see cref="CopyOptions.ContinueOnError"/>, all other entries are copied, and the copy is kept. Even with this
    /// option, on Linux the copy stops if the disk is full or read-only or a quota is exceeded.</para>
    /// </remarks>
    public static Task<CopyResult> CopyAsync(
        string sourceFileName, string destFileName, CopyOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(sourceFileName);
        ArgumentException.ThrowIfNullOrEmpty(destFileName);
        options ??= new CopyOptions();
        options.Check();
        string source = Path.GetFullPath(sourceFileName);
        string target = Path.GetFullPath(destFileName);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<CopyResult>(cancellationToken)
            : CopyWork.RunAsync(source, target, options, cancellationToken);
    }

    /// <summary>
    /// Asynchronously finishes the copy of a tree that several processes made with <see cref="CopyOptions.Shard"/>. Call this method once,
    /// after all shards have ended. Linux only.
    /// </summary>
    /// <param name="sourceFileName">The path of the directory that was copied.</param>
    /// <param name="destFileName">The path of the copy.</param>
    /// <param name="options">
    /// The options that were used for the shards, but without <see cref="CopyOptions.Shard"/> and <see cref="CopyOptions.Verify"/>; or
    /// <see langword="null"/> for the defaults.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. A canceled call can be repeated.</param>
    /// <returns>
    /// A task whose result describes the copy. <see cref="CopyResult.UnchangedFiles"/> is the number of entries that were already complete.
    /// <see cref="CopyResult.Files"/> is the number of additional hard links.
    /// </returns>
    /// <exception cref="ArgumentException">
    /// A path is empty or is not a valid path, the options contradict each other, or <see cref="CopyOptions.Shard"/>,
    /// <see cref="CopyOptions.Verify"/> or <see cref="CopyOptions.Resume"/> is set.
    /// </exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sourceFileName"/> or <paramref name="destFileName"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The source or the copy does not exist.</exception>
    /// <exception cref="PlatformNotSupportedException">The operating system is not Linux.</exception>
    /// <exception cref="FileBatchException">
    /// Entries are missing or failed. The exception contains all failures, or the first one if
    /// <see cref="CopyOptions.ContinueOnError"/> is <see langword="false"/>.
    /// </exception>
    /// <exception cref="IOException">The source is not a directory, or it is the same directory as the copy.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// <para>The method first checks that the copy contains every entry of the source, with the same type, length and last write time. It
    /// then creates additional hard links, and sets the permissions and times of the directories. With <see cref="CopyOptions.PreserveMetadata"/>, it also copies
    /// the other metadata of the directories.</para>
    /// <para>If an entry is missing, nothing is changed. If a file fails, no directory is changed. In both cases, run the failed shard
    /// again and then call this method again. The method also removes temporary files of killed shards, as described for
    /// <see cref="RemoveReplacementLeftovers"/>.</para>
    /// </remarks>
    public static Task<CopyResult> FinishCopyAsync(
        string sourceFileName, string destFileName, CopyOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sourceFileName);
        return CopyAsync(sourceFileName, destFileName, (options ?? new CopyOptions()).ToFinish(), cancellationToken);
    }
}
