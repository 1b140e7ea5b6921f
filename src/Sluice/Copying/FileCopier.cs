using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies one file: under a temporary name beside the target, which it gets when it is whole. Blocks its thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class FileCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
{
    private const uint PermissionBits = 0xFFF;
    private const uint PlainPermissionBits = 0x1FF;

    /// <summary>Whether a source that is a link stands for what it leads to; in a tree it has become one since it was looked at.</summary>
    public bool FollowsLinks { get; init; } = true;

    /// <summary>Copies and says how; the target is the file's own path, not a folder's.</summary>
    public CopyResult Copy(NodePath from, NodePath to)
    {
        (string source, string target) = (from.Text, to.Text);
        int flags = PathCalls.ReadOnly | PathCalls.NonBlocking | (FollowsLinks ? 0 : PathCalls.NoFollowFlag);
        int fromFd = PathCalls.Open(from, flags);
        PathErrors.ThrowIfFailed(fromFd, "Opening the source", source);
        using SafeFileHandle opened = new(fromFd, ownsHandle: true);
        PathErrors.ThrowIfFailed(Libc.Stat(fromFd, StatxMask.BasicStats, out Statx before), "Looking at the source", source);
        if ((before.Mode & Statx.TypeMask) != Statx.TypeRegular)
        {
            throw (before.Mode & Statx.TypeMask) == Statx.TypeDirectory
                ? new UnauthorizedAccessException($"Copying '{source}' failed: it is a folder, and a recursive copy was not asked for.")
                : new IOException($"Copying '{source}' failed: it is no plain file.");
        }

        Statx? old = CheckTarget(source, before, to);
        long length = (long)before.Size;
        meter.Find(length);
        TemporaryFile? left = options.Resumes ? TemporaryFile.TryReopen(to) : null;

        // Where metadata is kept, what the source lets its group read is not to be had by ours meanwhile.
        uint? mode = old is null && !options.KeepsMetadata ? before.Mode & PlainPermissionBits : null;
        using TemporaryFile temporary = left ?? TemporaryFile.Create(to, mode);
        try
        {
            long begin = 0;
            if (left is not null)
            {
                begin = ContentComparer.FirstDifference(fromFd, left.Descriptor, length, cancellationToken);

                // What is behind the first difference may be of another version of the source, and would stay where this one has holes.
                PathErrors.ThrowIfFailed(PathCalls.SetLength(left.Descriptor, begin), "Cutting what an earlier copy left of", target);
                meter.Add(begin);
            }

            FileTransfer transfer = new(fromFd, temporary.Descriptor, source, target, length, options, meter, cancellationToken);
            transfer.Run(begin);
            CheckSource(fromFd, from, before);
            SetMetadata(fromFd, before, old, temporary, target);
            Finish(fromFd, source, temporary, to);
            meter.EndFile();
            return new CopyResult
            {
                Bytes = transfer.Length,
                ResumedBytes = begin,
                Files = 1,
                Method = transfer.Method,
                MethodReason = transfer.Reason,
                Depth = transfer.Depth,
            };
        }
        catch
        {
            if (options.Resumes)
            {
                temporary.Keep();
            }

            throw;
        }
    }

    /// <summary>Owner, attributes, permissions and times of a copy, as far as this user may set them.</summary>
    public static void KeepMetadata(int fromFd, in Statx from, int toFd, string target)
    {
        // As cp: an owner that may not be given stays ours, and then no foreign program gets our rights.
        bool isOwner = Libc.Stat(toFd, StatxMask.BasicStats, out Statx made) == 0 && made.Uid == from.Uid && made.Gid == from.Gid;
        isOwner = isOwner || NodeCalls.SetOwner(toFd, from.Uid, from.Gid) == 0;
        if (!isOwner)
        {
            _ = NodeCalls.SetOwner(toFd, NodeCalls.AsItIs, from.Gid);
        }

        PathErrors.ThrowIfFailed(NodeCalls.CopyExtendedAttributes(fromFd, toFd), "Setting the attributes of", target);
        uint mode = from.Mode & (isOwner ? PermissionBits : PlainPermissionBits);
        PathErrors.ThrowIfFailed(NodeCalls.SetMode(toFd, mode), "Setting the permissions of", target);
        PathErrors.ThrowIfFailed(NodeCalls.SetTimes(toFd, from), "Setting the times of", target);
    }

    /// <summary>What is at the target, if it may be replaced.</summary>
    private Statx? CheckTarget(string source, in Statx from, in NodePath to)
    {
        string target = to.Text;
        int result = NodeCalls.Stat(to, followsLinks: true, StatxMask.BasicStats, out Statx old);
        if (result == -Errno.ENOENT)
        {
            return null;
        }

        PathErrors.ThrowIfFailed(result, "Looking at the target", target);
        if (old.Ino == from.Ino && old.DevMajor == from.DevMajor && old.DevMinor == from.DevMinor)
        {
            throw new IOException($"'{source}' and '{target}' are the same file.");
        }

        if ((old.Mode & Statx.TypeMask) == Statx.TypeDirectory)
        {
            throw new UnauthorizedAccessException($"Copying '{source}' to '{target}' failed: the target is a folder.");
        }

        if ((old.Mode & Statx.TypeMask) != Statx.TypeRegular)
        {
            throw new IOException($"Copying '{source}' to '{target}' failed: the target is no plain file.");
        }

        if (!options.Overwrites)
        {
            throw new IOException($"Copying '{source}' to '{target}' failed: the target is there already.");
        }

        int fd = PathCalls.Open(to, PathCalls.WriteOnly | PathCalls.NonBlocking);
        PathErrors.ThrowIfFailed(fd, "Writing to the target", target);
        PathCalls.Close(fd);
        return old;
    }

    public static void CheckSource(int fromFd, in NodePath source, in Statx before)
    {
        int result = Libc.Stat(fromFd, StatxMask.BasicStats, out Statx after);
        if (result < 0)
        {
            throw PathErrors.Create(result, "Looking at the source", source.Text);
        }

        if (after.Size != before.Size || after.Mtime.Seconds != before.Mtime.Seconds || after.Mtime.Nanoseconds != before.Mtime.Nanoseconds)
        {
            throw new IOException($"Copying '{source.Text}' failed: it was changed meanwhile.");
        }
    }

    private void SetMetadata(int fromFd, in Statx from, in Statx? old, TemporaryFile temporary, string target)
    {
        if (options.KeepsMetadata)
        {
            KeepMetadata(fromFd, from, temporary.Descriptor, target);
        }
        else if (old is { } kept)
        {
            // A file that is overwritten stays the same to its users, as with cp.
            _ = NodeCalls.SetOwner(temporary.Descriptor, kept.Uid, kept.Gid);
            PathErrors.ThrowIfFailed(NodeCalls.SetMode(temporary.Descriptor, kept.Mode & PermissionBits), "Setting the permissions of", target);
        }
    }

    private void Finish(int fromFd, string source, TemporaryFile temporary, in NodePath to)
    {
        if (options.FlushesToDisk || options.Verifies)
        {
            PathErrors.ThrowIfFailed(Libc.Flush(temporary.Descriptor, dataOnly: false), "Writing to the disk", to.Text);
        }

        if (options.Verifies)
        {
            ContentComparer.Verify(fromFd, source, temporary.Descriptor, to.Text, cancellationToken);
        }

        cancellationToken.ThrowIfCancellationRequested();
        if (options.Overwrites)
        {
            temporary.RenameTo(to);
        }
        else
        {
            temporary.RenameToNew(to);
        }

        if (options.FlushesToDisk)
        {
            FlushFolder(Path.GetDirectoryName(to.Text) ?? "/");
        }
    }

    public static void FlushFolder(string folder)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(folder), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", folder);
        int result = Libc.Flush(fd, dataOnly: false);
        PathCalls.Close(fd);
        PathErrors.ThrowIfFailed(SluiceHandle.IsUnflushable(-result) ? 0 : result, "Writing to the disk", folder);
    }
}
