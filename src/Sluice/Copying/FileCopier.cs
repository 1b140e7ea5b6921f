using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies single files and the files of a tree. A new file is created at the target's name and removed again if its copy fails. A copy that
/// is atomic or durable, that resumes, or that replaces a file is made in a temporary file, which is renamed to the target at the end.
/// Blocks the calling thread. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class FileCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
{
    private const int SourceFlags = PathCalls.ReadOnly | PathCalls.NonBlocking;

    /// <summary>Copies a single file by its full path. A symbolic link at the target is followed.</summary>
    /// <returns>
    /// The copy, or null if <paramref name="onlySmall"/> is true and the source is not small or another process has a lease on it, so that
    /// opening it would block. Nothing is copied in this case.
    /// </returns>
    public CopiedFile? Copy(string source, string target, bool onlySmall)
    {
        NodePath from = NodePath.Of(source);
        using Descriptor opened = OpenSource(from, followsLinks: true, mayBlock: !onlySmall, out Statx stat);
        if (onlySmall && (opened.Fd < 0 || !FileTransfer.IsSmall(stat)))
        {
            return null;
        }

        bool createsTarget = !options.Atomic && !options.FlushToDisk && !options.Resume;

        // Creating the target shows whether the name is taken. With SkipUnchanged, an existing file is compared first.
        if (createsTarget && !options.SkipUnchanged && TryCreate(opened.Fd, stat, from, NodePath.Of(target), locksTarget: true) is { } made)
        {
            return made;
        }

        using TargetLocation location = TargetLocation.Resolve(target, $"Copying '{source}' to");
        return createsTarget && location.Existing is null
            && TryCreate(opened.Fd, stat, from, location.Path, locksTarget: true) is { } linked
            ? linked
            : CopyThroughTemporaryFile(opened.Fd, stat, from, location.Path, location);
    }

    /// <summary>Copies a file of a tree.</summary>
    /// <param name="fromFd">The open source.</param>
    /// <param name="before">The state of the source when it was opened.</param>
    /// <param name="from">The path of the source.</param>
    /// <param name="to">The path of the copy. A symbolic link at this name is not followed.</param>
    /// <param name="mayExist">False if an existing entry is an error.</param>
    public CopiedFile CopyTreeFile(int fromFd, in Statx before, in NodePath from, in NodePath to, bool mayExist) =>
        TryCreate(fromFd, before, from, to) is { } made ? made
            : mayExist ? CopyThroughTemporaryFile(fromFd, before, from, to)
            : throw PathErrors.Create(-Errno.EEXIST, $"Copying '{from.Text}' to", to.Text);

    /// <summary>Opens a regular file for copying. As in .NET, this fails if another program has opened it without sharing.</summary>
    /// <param name="from">The path of the source.</param>
    /// <param name="followsLinks">False to fail if the source is a link. In a tree, it may have become one since it was enumerated.</param>
    /// <param name="mayBlock">False to return -EAGAIN if another process has a lease on the file.</param>
    /// <param name="stat">The state of the source.</param>
    public static Descriptor OpenSource(in NodePath from, bool followsLinks, bool mayBlock, out Statx stat)
    {
        int flags = SourceFlags | (followsLinks ? 0 : PathCalls.NoFollowFlag);
        int fd = mayBlock ? PathCalls.OpenNonBlocking(from, flags) : PathCalls.Open(from, flags);
        if (fd == -Errno.EAGAIN && !mayBlock)
        {
            stat = default;
            return new Descriptor(fd);
        }

        PathErrors.ThrowIfFailed(fd, "Opening the source", from.Text);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out stat), "Looking at the source", from.Text);
            if ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular)
            {
                string verb = $"Copying '{from.Text}' failed:";
                throw (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory
                    ? new UnauthorizedAccessException($"{verb} it is a folder, and a recursive copy was not requested.")
                    : new IOException($"{verb} it is not a regular file.");
            }

            ThrowIfInUse(fd, from.Text);
            return new Descriptor(fd, IsLocked: true);
        }
        catch
        {
            PathCalls.Close(fd);
            throw;
        }
    }

    /// <summary>Copies into a new file at the target's name.</summary>
    /// <param name="fromFd">The open source.</param>
    /// <param name="before">The state of the source.</param>
    /// <param name="from">The path of the source, for errors.</param>
    /// <param name="to">The name of the new file. A symbolic link at this name is not followed.</param>
    /// <param name="locksTarget">True if .NET programs cannot open the new file before it is complete.</param>
    /// <returns>The copy, or null if the name is taken or, for a target given by its path, its directory does not exist.</returns>
    /// <exception cref="IOException">The copy failed, and the new file was removed.</exception>
    private CopiedFile? TryCreate(int fromFd, in Statx before, in NodePath from, in NodePath to, bool locksTarget = false)
    {
        // The group of the new file may differ from the source's: only the owner has access until the metadata is set.
        uint mode = options.PreserveMetadata ? ModeBits.OwnerReadWrite
            : (uint?)options.UnixCreateMode ?? NodeMetadata.PlainMode(fromFd, before);
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

        Descriptor file = new(toFd, locksTarget && PathCalls.TryLockExclusive(toFd) == 0);
        Statx made = default;
        bool isClosed = false;
        try
        {
            meter.AddFile((long)before.Size);
            PathErrors.ThrowIfFailed(Libc.Stat(toFd, StatxMask.BasicStats, out made), "Looking at", to.Text);
            CopiedFile copied = Fill(fromFd, before, from, toFd, made, to, options.UnixCreateMode is null ? mode : null);
            isClosed = true;
            WrittenFile.ThrowIfFailed(file.Close(), to.Text);
            meter.EndFile();
            return copied;
        }
        catch
        {
            if (isClosed || Libc.Stat(toFd, StatxMask.BasicStats, out made) == 0)
            {
                Remove(to, made);
            }

            throw;
        }
        finally
        {
            if (!isClosed)
            {
                file.Dispose();
            }
        }
    }

    /// <summary>Copies into a temporary file that is then renamed to the target, unless an unchanged target is skipped.</summary>
    /// <param name="fromFd">The open source.</param>
    /// <param name="before">The state of the source.</param>
    /// <param name="from">The path of the source.</param>
    /// <param name="to">The path of the copy.</param>
    /// <param name="location">The location of the target of a single copy; null in a tree, which flushes its directories itself.</param>
    private CopiedFile CopyThroughTemporaryFile(
        int fromFd, in Statx before, in NodePath from, in NodePath to, TargetLocation? location = null)
    {
        if (options.SkipUnchanged && IsUnchanged(before, to))
        {
            if (options.FlushToDisk)
            {
                FlushSkipped(to, location);
            }

            meter.AddFile(0);
            meter.EndUnchanged();
            return new CopiedFile(new CopyResult { UnchangedFiles = 1, MethodReason = "it exists with the same length and time" });
        }

        using OldFile? old = FindTarget(from.Text, before, to, location);
        meter.AddFile((long)before.Size);

        // Until the permissions are set, only the owner has access: the group may differ from that of the source.
        bool isFound = false;
        using TemporaryFile temporary = options.Resume && !TemporaryName.IsReservedNameInUse(from)
            ? TemporaryFile.CreateOrFind(to, before, out isFound)
            : TemporaryFile.Create(to, ModeBits.OwnerReadWrite);
        try
        {
            uint? mode = old is not null || options.PreserveMetadata ? null
                : options.UnixCreateMode is { } asked ? (uint)asked & ~Umask.Read()
                : NodeMetadata.PlainMode(fromFd, before);
            long begin = isFound ? FindResumeOffset(fromFd, temporary.Descriptor, from.Text, to.Text, (long)before.Size) : 0;
            PathErrors.ThrowIfFailed(
                Libc.Stat(temporary.Descriptor, StatxMask.BasicStats, out Statx made), "Looking at", to.Text);
            CopiedFile copied = Fill(
                fromFd, before, from, temporary.Descriptor, made, to, mode, begin, temporary, old, isSingle: location is not null);
            if (options.Overwrite)
            {
                temporary.ReplaceTarget();
            }
            else
            {
                temporary.NameTarget();
            }

            if (options.FlushToDisk)
            {
                location?.Flush(temporary.Descriptor);
            }

            meter.EndFile();
            return copied;
        }
        catch
        {
            temporary.Keep();
            throw;
        }
    }

    /// <summary>
    /// Copies content and metadata to an open file. A file at the target's name gets its times last, so that a later run with <see
    /// cref="CopyOptions.SkipUnchanged"/> does not skip a file that a killed process or a power failure has left incomplete.
    /// </summary>
    /// <param name="fromFd">The open source.</param>
    /// <param name="before">The state of the source.</param>
    /// <param name="from">The path of the source.</param>
    /// <param name="toFd">The open file to fill.</param>
    /// <param name="made">The state of that file when it was created or opened.</param>
    /// <param name="to">The path of the copy.</param>
    /// <param name="mode">The permissions to set, or null. Not used if others are preserved.</param>
    /// <param name="begin">The number of bytes that the file already has.</param>
    /// <param name="temporary">The temporary file that is filled, or null for a file at the target's name.</param>
    /// <param name="old">The file that is replaced, if any.</param>
    /// <param name="isSingle">True if no flush follows, as it does at the end of the copy of a tree.</param>
    private CopiedFile Fill(
        int fromFd, in Statx before, in NodePath from, int toFd, in Statx made, in NodePath to, uint? mode, long begin = 0,
        TemporaryFile? temporary = null, OldFile? old = null, bool isSingle = false)
    {
        string target = to.Text;
        FileTransfer transfer = new(fromFd, toFd, from.Text, target, before, options, meter, cancellationToken);
        transfer.Run(begin);
        if (options.Verify)
        {
            // Verify reads the file from the disk.
            PathErrors.ThrowIfFailed(Libc.FlushData(toFd), "Writing to the disk", target);
            ContentComparer.Verify(fromFd, from.Text, toFd, target, transfer.Length, cancellationToken);
        }

        bool isChanged = IsChanged(fromFd, before, from);
        Exception? refused = SetMetadata(fromFd, before, toFd, made, target, mode, old);
        Exception? untimed = temporary is null ? null : SetTimes(toFd, before, target);

        // A single file has no later flush. With a shard or SkipUnchanged, a later run may skip the file because of its length and time,
        // also after a power failure. On some file systems, the flush at the end of a tree does not include the file.
        if (options.FlushToDisk
            && (isSingle || options.Shard is not null || options.SkipUnchanged || RemoteFileSystem.MustFlushEach(toFd)))
        {
            temporary?.GiveName();
            PathErrors.ThrowIfFailed(Libc.Flush(toFd), "Writing to the disk", target);
        }

        if (temporary is not null)
        {
            // The close of a duplicate reports delayed errors of the writes before the file has its name.
            WrittenFile.ThrowIfFailed(PathCalls.CloseDuplicate(toFd), target);
        }

        cancellationToken.ThrowIfCancellationRequested();
        untimed ??= temporary is null ? SetTimes(toFd, before, target) : null;
        return new CopiedFile(transfer.Result(begin, isChanged), refused ?? untimed, made);
    }

    /// <summary>
    /// Makes a skipped file durable, because the earlier copy may not be. In a tree, whose file system is flushed at the end, the file is
    /// flushed only if each file must be.
    /// </summary>
    private static void FlushSkipped(in NodePath to, TargetLocation? location)
    {
        if (location is null && !RemoteFileSystem.MustFlushEach(to.FolderFd))
        {
            return;
        }

        using Descriptor file = new(PathCalls.OpenNonBlocking(to, PathCalls.ReadOnly | PathCalls.NoFollowFlag));
        PathErrors.ThrowIfFailed(file.Fd, "Opening", to.Text);
        PathErrors.ThrowIfFailed(Libc.Flush(file.Fd), "Writing to the disk", to.Text);
        location?.Flush(file.Fd);
    }

    /// <summary>Removes a new file, unless its name refers to another file now.</summary>
    private static void Remove(in NodePath name, in Statx made)
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
        if (TemporaryName.LeadsTo(at, made))
        {
            _ = NodeCalls.Unlink(at); // The error of the copy is reported.
        }
    }

    /// <summary>Returns true if source and target are two regular files with the same length and time.</summary>
    private static bool IsUnchanged(in Statx from, in NodePath to) =>
        NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == Statx.TypeRegular
        && !there.IsSame(from)
        && there.HasLengthAndTimeOf(from);

    /// <summary>Returns true if the source was written to since <paramref name="before"/> was read.</summary>
    private static bool IsChanged(int fromFd, in Statx before, in NodePath source)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(fromFd, StatxMask.BasicStats, out Statx after), "Looking at the source", source.Text);
        return !after.HasLengthAndTimeOf(before);
    }

    /// <summary>
    /// Returns the offset at which the copy resumes, and truncates the earlier copy there. Later bytes may come from another version of the
    /// source, and would remain where the source has holes.
    /// </summary>
    private long FindResumeOffset(int fromFd, int leftFd, string source, string target, long length)
    {
        long begin = ContentComparer.FirstDifference(fromFd, source, leftFd, target, length, cancellationToken);
        PathErrors.ThrowIfFailed(PathCalls.SetLength(leftFd, begin), "Cutting what an earlier copy left of", target);
        meter.Add(begin);
        return begin;
    }

    /// <summary>
    /// Returns the file at the target, or null if there is none or a symbolic link is replaced. Throws an exception if the target must not
    /// be replaced.
    /// </summary>
    private OldFile? FindTarget(string source, in Statx from, in NodePath to, TargetLocation? location)
    {
        string verb = $"Copying '{source}' to";

        // A file may have appeared since the location was resolved. Without Overwrite, naming the copy fails then.
        OldFile? old = location?.Existing ?? (location is null || options.Overwrite ? OldFile.TryFind(to, verb) : null);
        try
        {
            if (old?.Stat.IsSame(from) == true)
            {
                throw new IOException($"'{source}' and '{to.Text}' are the same file.");
            }

            if (old is not null && !options.Overwrite)
            {
                throw new IOException($"Copying '{source}' to '{to.Text}' failed: the target is there already.");
            }

            if (old is { IsLink: true })
            {
                old.Dispose();
                return null;
            }

            if (old is not null)
            {
                location?.ThrowIfPlanted(old.Stat, verb);
                OldFile.ThrowIfReadOnly(to, verb);
                using Descriptor locked = new(PathCalls.Open(to, SourceFlags | PathCalls.NoFollowFlag), IsLocked: true);
                if (locked.Fd >= 0)
                {
                    ThrowIfInUse(locked.Fd, to.Text);
                }
            }

            return old;
        }
        catch
        {
            old?.Dispose();
            throw;
        }
    }

    private static void ThrowIfInUse(int fd, string path)
    {
        if (PathCalls.TryLockShared(fd) == -Errno.EAGAIN)
        {
            throw PathErrors.InUse(path);
        }
    }

    /// <summary>
    /// Sets owner, permissions and attributes. Unless metadata is preserved, a file that is replaced keeps its owner and permissions,
    /// because those of the source were granted to the source's group. Returns the error with which the file system refused metadata, or
    /// null.
    /// </summary>
    private Exception? SetMetadata(
        int fromFd, in Statx from, int toFd, in Statx made, string target, uint? mode, OldFile? old)
    {
        if (options.PreserveMetadata)
        {
            return NodeMetadata.Preserve(fromFd, from, toFd, made, target);
        }

        if (old is not null)
        {
            NodeMetadata.Inherit(old.Descriptor, old.Stat, toFd, made, old.Stat.Mode & ModeBits.All, mustHaveOwner: false, target);
            return null;
        }

        return mode is { } plain ? NodeMetadata.SetPlainMode(toFd, made, plain, target) : null;
    }

    private Exception? SetTimes(int toFd, in Statx from, string target) => options.PreserveMetadata
        ? NodeMetadata.SetTimes(toFd, from, target)
        : NodeMetadata.SetPlainTimes(toFd, from, target);
}
