using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies a file into a new file at the target's name. The new file gets the times of its source last, so that a later run with <see
/// cref="CopyOptions.SkipUnchanged"/> does not skip a file that a killed process left incomplete. If the copy fails, the new file is
/// removed. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class NewFileCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
{
    /// <summary>Gets a value that indicates whether .NET programs cannot open the new file before it is complete.</summary>
    public bool LocksTarget { get; init; }

    /// <summary>Creates and fills the file.</summary>
    /// <param name="fromFd">The open source.</param>
    /// <param name="stat">The state of the source.</param>
    /// <param name="from">The path of the source, for errors.</param>
    /// <param name="to">The name of the new file. A symbolic link at this name is not followed.</param>
    /// <param name="refused">The first error with which the target's file system refused metadata. The file stays.</param>
    /// <returns>The result, or null if the name is taken or, for a target given by its path, its directory does not exist.</returns>
    /// <exception cref="IOException">The copy failed, and the new file was removed.</exception>
    public CopyResult? TryCopy(int fromFd, in Statx stat, in NodePath from, in NodePath to, out Exception? refused)
    {
        refused = null;

        // The group of the new file may differ from the source's: only the owner has access until the metadata is set.
        uint mode = options.PreserveMetadata ? ModeBits.OwnerReadWrite
            : (uint?)options.UnixCreateMode ?? NodeMetadata.PlainMode(fromFd, stat);
        int toFd = PathCalls.Open(
            to, PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive | PathCalls.NoFollowFlag, mode);
        bool isPath = to.FolderFd == PathCalls.CurrentFolder;
        if (toFd == -Errno.EEXIST || (toFd == -Errno.ENOENT && isPath))
        {
            return null;
        }

        if (toFd < 0)
        {
            throw PathErrors.Create(toFd, $"Copying '{from.Text}' to", to.Text);
        }

        using Descriptor made = new(toFd, LocksTarget && PathCalls.TryLockExclusive(toFd) == 0);
        try
        {
            meter.Find((long)stat.Size);
            FileTransfer transfer = new(fromFd, toFd, from.Text, to.Text, stat, options, meter, cancellationToken);
            transfer.Run(0);
            refused = options.PreserveMetadata ? NodeMetadata.Preserve(fromFd, stat, toFd, to.Text)
                : options.UnixCreateMode is null ? NodeMetadata.SetPlainMode(toFd, mode, to.Text)
                : null;
            bool isChanged = FileCopier.IsChanged(fromFd, stat, from);

            // A later run skips a file with the times of its source, also after a power failure. A verified file is read back from the
            // disk.
            bool isFlushedFirst = options.Verify || (options.FlushToDisk && (options.SkipUnchanged || options.Shard is not null));
            PathErrors.ThrowIfFailed(isFlushedFirst ? Libc.FlushData(toFd) : 0, "Writing to the disk", to.Text);
            if (options.Verify)
            {
                ContentComparer.Verify(fromFd, from.Text, toFd, to.Text, transfer.Length, cancellationToken);
            }

            // The close of a duplicate reports delayed errors of the writes before the file has its times.
            WrittenFile.ThrowIfFailed(PathCalls.CloseDuplicate(toFd), to.Text);
            cancellationToken.ThrowIfCancellationRequested();
            Exception? untimed = options.PreserveMetadata
                ? NodeMetadata.SetTimes(toFd, stat, to.Text)
                : NodeMetadata.SetPlainTimes(toFd, stat, to.Text);
            refused ??= untimed;
            bool isFlushedEach = options.FlushToDisk && RemoteFileSystem.MustFlushEach(toFd);
            PathErrors.ThrowIfFailed(isFlushedEach ? Libc.Flush(toFd) : 0, "Writing to the disk", to.Text);
            meter.EndFile();
            return transfer.Result(resumedBytes: 0, isChanged);
        }
        catch
        {
            Remove(to, toFd);
            throw;
        }
    }

    /// <summary>Removes the new file, unless its name refers to another file now.</summary>
    private static void Remove(in NodePath name, int fd)
    {
        NodePath at = name;
        int folderFd = -1;
        if (name.FolderFd == PathCalls.CurrentFolder)
        {
            // Opens the directory, so that the name that is compared is the one that is removed even if directories above it are renamed.
            folderFd = PathCalls.Open(
                PathCalls.ToKernel(Path.GetDirectoryName(name.Text)!), PathCalls.PathOnly | PathCalls.DirectoryFlag);
            at = NodePath.In(folderFd, [.. name.Leaf, 0], "");
        }

        using Descriptor folder = new(folderFd);
        if (TemporaryName.LeadsTo(at, fd))
        {
            _ = NodeCalls.Unlink(at); // The error of the copy is reported.
        }
    }
}
