using Sluice.Copying;

namespace Sluice;

/// <summary>Copying, moving and replacing.</summary>
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
    /// The copy is made under a temporary name beside the target (<c>.name.sluice-tmp</c>) and gets its name when it is whole: one
    /// that fails, is cancelled, or whose process is killed, leaves nothing under the target's name. A source that changes meanwhile is
    /// an error. In a tree, a file that fails is reported in <see cref="CopyResult.Failures"/>, and the rest goes on.
    /// </remarks>
    /// <param name="source">The file or folder.</param>
    /// <param name="target">What the copy is to be called; not the folder to put it into.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the copy and removes what there is of it, unless it is to be resumed.</param>
    /// <exception cref="FileNotFoundException">There is no source.</exception>
    /// <exception cref="UnauthorizedAccessException">Source or target may not be used so.</exception>
    /// <exception cref="IOException">
    /// The target is there already, or is the source; the disk is full; the source changed; what was read back differs.
    /// </exception>
    public static Task<CopyResult> CopyAsync(
        string source, string target, CopyOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(source);
        ArgumentException.ThrowIfNullOrEmpty(target);
        options ??= new CopyOptions();
        string from = Path.GetFullPath(source);
        string to = Path.GetFullPath(target);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<CopyResult>(cancellationToken);
        }

        // Most of a copy is waiting in system calls: on a thread of its own, unless it is over sooner than one would have started.
        return Task.Run(
            () => CopyWork.IsShort(from)
                ? Task.FromResult(CopyWork.Run(from, to, options, cancellationToken))
                : Task.Factory.StartNew(
                    () => CopyWork.Run(from, to, options, cancellationToken),
                    CancellationToken.None,
                    TaskCreationOptions.LongRunning,
                    TaskScheduler.Default),
            CancellationToken.None);
    }
}
