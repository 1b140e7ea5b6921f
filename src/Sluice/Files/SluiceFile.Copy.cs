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

    /// <summary>
    /// Copies a file, or a tree of folders, by the cheapest way that works: shared blocks, direct I/O with several requests
    /// outstanding, within the kernel, or through the page cache. Holes stay holes.
    /// </summary>
    /// <remarks>
    /// The copy is made beside the target and gets its name when it is whole: one that fails, is cancelled, or whose process is killed,
    /// leaves nothing under the target's name, unless it was the folder's own flush to the disk, at the very end, that failed; or, on file
    /// systems that can neither rename without replacing nor give second names (some of FUSE), the process was killed just then.
    /// Permissions and times are the source's, as with <see cref="File.Copy(string, string)"/>;
    /// a target that is replaced keeps its owner and attributes, and other names of it keep the old content. A source that is written
    /// meanwhile is copied as it was read (<see cref="CopyResult.ChangedFiles"/>). What fails inside a tree ends the copy, and a new tree
    /// is not there then; with <see cref="CopyOptions.ContinueOnError"/> the rest is copied first, and a new tree stays without
    /// what failed; on Linux a disk that is full or read-only, or a quota that is used up, ends the copy in any case.
    /// </remarks>
    /// <param name="sourceFileName">The file or folder.</param>
    /// <param name="destFileName">What the copy is to be called; not the folder to put it into.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the copy and removes what there is of it, unless it is to be resumed.</param>
    /// <exception cref="ArgumentException">A name is empty, or options contradict each other.</exception>
    /// <exception cref="FileNotFoundException">There is no source.</exception>
    /// <exception cref="DirectoryNotFoundException">A folder of source or target is not there.</exception>
    /// <exception cref="PlatformNotSupportedException">An option or a method is one of Linux alone.</exception>
    /// <exception cref="UnauthorizedAccessException">Source or target may not be used so.</exception>
    /// <exception cref="FileBatchException">Files or folders inside a tree failed; it carries all of them.</exception>
    /// <exception cref="IOException">
    /// The target is there already, or is the source; the disk is full; somebody has source or target for himself; what was read back
    /// differs.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// The copy was cancelled; its inner exception is a <see cref="FileBatchException"/> where something inside a tree had failed before.
    /// </exception>
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
    /// Ends the copy of a tree in shards (<see cref="CopyOptions.Shard"/>), once, when all shards have ended: looks whether everything is
    /// there, of its kind and with the length and the time of its source, and then gives files that were copied in ranges
    /// (<see cref="CopyOptions.SplitBytes"/>) their names, makes files that have several, and gives the folders what
    /// <see cref="CopyOptions.PreserveMetadata"/> keeps of them. Where something is missing it changes nothing, and where one
    /// of those files fails, no folder; the shard is run again, and then this. What killed shards left under temporary names is removed by
    /// the rules of <see cref="RemoveReplacementLeftovers"/>.
    /// </summary>
    /// <param name="sourceFileName">The folder that was copied.</param>
    /// <param name="destFileName">The copy.</param>
    /// <param name="options">Those of the shards, without <see cref="CopyOptions.Shard"/> and <see cref="CopyOptions.Verify"/>.</param>
    /// <param name="cancellationToken">Ends it; it may be done again.</param>
    /// <returns>
    /// What was there is counted by <see cref="CopyResult.UnchangedFiles"/>; <see cref="CopyResult.Files"/> are names of files that have
    /// several, and files that were copied in ranges.
    /// </returns>
    /// <exception cref="ArgumentException">A name is empty, or options contradict each other.</exception>
    /// <exception cref="DirectoryNotFoundException">There is no source, or no copy.</exception>
    /// <exception cref="FileBatchException">Something is missing, or failed; it carries all of it, or the first.</exception>
    /// <exception cref="IOException">The source is no folder, or is the target.</exception>
    public static Task<CopyResult> FinishCopyAsync(
        string sourceFileName, string destFileName, CopyOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sourceFileName);
        return CopyAsync(sourceFileName, destFileName, (options ?? new CopyOptions()).ToFinish(), cancellationToken);
    }
}
