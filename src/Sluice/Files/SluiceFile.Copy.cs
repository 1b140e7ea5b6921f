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

    /// <summary>Copies a file or a directory tree on the calling thread.</summary>
    /// <param name="sourceFileName">The path of the file or directory to copy.</param>
    /// <param name="destFileName">The path of the copy itself, not of the directory that is to contain it.</param>
    /// <param name="options">The options.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>What was copied and which method was used.</returns>
    /// <exception cref="ArgumentException">
    /// A path is empty or is not a valid path, or the options contradict each other.
    /// </exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sourceFileName"/>, <paramref name="destFileName"/> or <paramref name="options"/> is <see langword="null"/>.
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
    /// The copy is that of <see cref="CopyAsync"/>. A copy of a tree or with <see cref="CopyOptions.Verify"/> may use further threads.
    /// </remarks>
    public static CopyResult Copy(
        string sourceFileName, string destFileName, CopyOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        (string source, string target) = CheckCopy(sourceFileName, destFileName, options);
        cancellationToken.ThrowIfCancellationRequested();
        return CopyWork.Run(source, target, options, cancellationToken);
    }

    /// <summary>Asynchronously copies a file or a directory tree.</summary>
    /// <param name="sourceFileName">The path of the file or directory to copy.</param>
    /// <param name="destFileName">The path of the copy itself, not of the directory that is to contain it.</param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. A canceled copy of a file is removed, unless <see cref="CopyOptions.Resume"/> is
    /// <see langword="true"/>; of a tree, the files that were copied stay.
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
    /// <para>A single file of up to 256 KiB without holes is copied on the calling thread, with about 20 system calls and one buffer; a copy of
    /// anything else, one that waits for the disk (<see cref="CopyOptions.FlushToDisk"/>, <see cref="CopyOptions.Verify"/>) and one with a
    /// rate or another method run on a thread of their own.</para>
    /// <para>By default, the copy uses the fastest method that works; see <see cref="CopyMethod.Auto"/>. On Linux, holes in a
    /// file are preserved.</para>
    /// <para>A new file is created at its name and filled, as by <see cref="File.Copy(string, string)"/>. If the copy fails or is canceled,
    /// the file is removed; if the process is killed, an incomplete file remains, whose last write time is not that of the source. With
    /// <see cref="CopyOptions.Atomic"/>, <see cref="CopyOptions.FlushToDisk"/> or <see cref="CopyOptions.Resume"/>, and if an existing file
    /// is replaced, the data is first written to a temporary file next to the target, which is renamed to the target when it is complete.
    /// The target is then never incomplete. There are three cases in which this does not hold. With
    /// <see cref="CopyOptions.FlushToDisk"/>, the flush of the target's directory can fail after the rename. If the file system refuses an
    /// owner, permissions or times, the copy is complete and the exception is thrown at its end. On FUSE file systems that support neither
    /// a rename without replacement nor hard links, an empty target file can remain if the process is killed during the rename.</para>
    /// <para>A tree is copied in place: each directory and each file is created at its name in the target. If the copy of a file fails, its
    /// target is removed again; what was copied before stays. A file gets the times of its source last, so that a file which a killed
    /// process left incomplete differs from its source. To continue such a copy, repeat it with
    /// <see cref="CopyOptions.SkipUnchanged"/> and <see cref="CopyOptions.Overwrite"/>. A file that exists in the target is replaced in the
    /// way of a single file.</para>
    /// <para>The copy gets the permissions and times of the source, as with <see cref="File.Copy(string, string)"/>. If a target file is
    /// replaced, its extended attributes are kept, and so is its owner if the process may set the owner. Other hard links to the target
    /// keep the old content. If a source file is written to during the copy, the copy may contain data of several versions; see
    /// <see cref="CopyResult.ChangedFiles"/>.</para>
    /// <para>By default, the copy of a tree stops at the first failure. With <see cref="CopyOptions.ContinueOnError"/>, all other entries
    /// are copied. Even with this option, on Linux the copy stops if the disk is full or read-only or a quota is exceeded.</para>
    /// </remarks>
    public static Task<CopyResult> CopyAsync(
        string sourceFileName, string destFileName, CopyOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new CopyOptions();
        (string source, string target) = CheckCopy(sourceFileName, destFileName, options);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<CopyResult>(cancellationToken)
            : CopyWork.RunAsync(source, target, options, cancellationToken);
    }

    private static (string Source, string Target) CheckCopy(string sourceFileName, string destFileName, CopyOptions options)
    {
        ArgumentException.ThrowIfNullOrEmpty(sourceFileName);
        ArgumentException.ThrowIfNullOrEmpty(destFileName);
        options.Check();
        return (Path.GetFullPath(sourceFileName), Path.GetFullPath(destFileName));
    }
}
