using Sluice.Copying;
using Sluice.Interop;

namespace Sluice;

/// <summary>Durable replacement.</summary>
public static partial class SluiceFile
{
    /// <summary>
    /// Replaces a file's content, or makes the file, so that a crash at any moment leaves the old content or the new one, whole; when
    /// the task has ended, the new one is on the disk.
    /// </summary>
    /// <remarks>
    /// A temporary file is written beside the target (<c>.name.sluice-tmp</c>), its data synchronised, its name changed to the
    /// target's, and the folder synchronised. Permissions, owner and extended attributes of the old file are kept; where the owner
    /// cannot be, nothing is replaced. A symbolic link stays, and what it leads to is replaced. Other hard links keep the old
    /// content. What a killed process leaves behind is removed by the next replacement of the same file, and by
    /// <see cref="RemoveReplacementLeftovers"/>. May be called for one file from many places at once: one of them wins last.
    /// </remarks>
    /// <param name="path">The file.</param>
    /// <param name="content">The new content; the memory belongs to the call until the task has ended.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    /// <exception cref="UnauthorizedAccessException">The folder may not be written to, or the old owner cannot be kept.</exception>
    /// <exception cref="IOException">The disk is full, or reported an error; the old content is there, unless the folder failed last.</exception>
    public static Task ReplaceAtomicallyAsync(string path, ReadOnlyMemory<byte> content, CancellationToken cancellationToken = default) =>
        ReplaceAtomicallyAsync(path, (handle, token) => handle.WriteAsync(content, 0, token), cancellationToken);

    /// <summary>As the other, for content that is made piece by piece.</summary>
    /// <inheritdoc cref="ReplaceAtomicallyAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/>
    /// <param name="path">The file.</param>
    /// <param name="write">Writes the content into the temporary file that it is given; what it throws leaves the old content.</param>
    /// <param name="cancellationToken">Leaves the old content, if it comes before the new one has the target's name.</param>
    public static Task ReplaceAtomicallyAsync(
        string path, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(write);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : AtomicReplacement.RunAsync(path, write, cancellationToken);
    }

    /// <summary>
    /// Removes the temporary files of replacements and copies that killed processes left in a folder. Those that are still being
    /// written are locked by their makers, and stay.
    /// </summary>
    /// <param name="folder">The folder; those below it are not looked at.</param>
    /// <returns>What was removed.</returns>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    public static IReadOnlyList<string> RemoveReplacementLeftovers(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        return OperatingSystem.IsLinux() && Libc.IsSupported ? TemporaryFile.RemoveLeftovers(folder) : [];
    }
}
