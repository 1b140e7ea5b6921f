using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies one file. The copy is created at the target's name, or, if it is atomic or replaces a file, in a temporary file that is renamed
/// to the target at the end. Blocks the calling thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class FileCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
{
    private const int SourceFlags = PathCalls.ReadOnly | PathCalls.NonBlocking;

    /// <summary>
    /// The location of the target of <see cref="Copy(string, string, bool)"/>; null in a tree, which flushes its folders itself.
    /// </summary>
    private TargetLocation? _location;

    /// <summary>
    /// Gets a value that indicates whether a source that is a symbolic link is followed. In a tree it is not: the source has become a link
    /// since it was enumerated.
    /// </summary>
    public bool FollowsLinks { get; init; } = true;

    /// <summary>Gets a value that indicates whether a file may exist at the target's name.</summary>
    public bool MayExist { get; init; } = true;

    /// <summary>Gets the first error with which the target's file system refused metadata. The copy has its name nevertheless.</summary>
    public Exception? Refused { get; private set; }

    /// <summary>Gets the state of the file that was copied in a tree, or null if the existing file was kept.</summary>
    public Statx? Made { get; private set; }

    private bool Overwrites => options.Overwrite && MayExist;

    private bool FlushesFolder => options.FlushToDisk && _location is not null;

    /// <summary>
    /// Returns true if the bytes must be on the disk before the file gets its name: if the file is verified, because it is read back from
    /// the disk; or if the copy must be durable and is a single file, if a later run would skip it because of its length and time although
    /// a power failure prevented the flush of the tree, or if the flush of the file system at the end does not include the file.
    /// </summary>
    private bool FlushesFirst(int fd) => options.Verify || (options.FlushToDisk
        && (_location is not null || options.Shard is not null || options.SkipUnchanged || RemoteFileSystem.MustFlushEach(fd)));

    /// <summary>Copies a file by its full path. A symbolic link at the target is followed.</summary>
    /// <returns>
    /// The result, or null if <paramref name="onlySmall"/> is true and the source is not small. Nothing is copied in this case.
    /// </returns>
    public CopyResult? Copy(string source, string target, bool onlySmall)
    {
        NodePath from = NodePath.Of(source);
        using Descriptor opened = OpenSource(from, FollowsLinks, out Statx stat);
        if (onlySmall && !FileTransfer.IsSmall(stat))
        {
            return null;
        }

        bool makesTarget = !options.Atomic && !options.FlushToDisk && !options.Resume;

        // Creating the target shows whether the name is taken. With SkipUnchanged, an existing file is compared first.
        if (makesTarget && !options.SkipUnchanged && TryMake(opened.Fd, stat, from, NodePath.Of(target)) is { } made)
        {
            return made;
        }

        using TargetLocation location = TargetLocation.Resolve(target, $"Copying '{source}' to");
        _location = location;
        return makesTarget && location.IsFree && TryMake(opened.Fd, stat, from, location.Path) is { } linked
            ? linked
            : Copy(opened.Fd, stat, from, location.Path);
    }

    /// <summary>Copies a file of a tree.</summary>
    public CopyResult Copy(in NodePath from, in NodePath to)
    {
        using Descriptor opened = OpenSource(from, FollowsLinks, out Statx stat);
        return Copy(opened.Fd, stat, from, to);
    }

    private CopyResult Copy(int fromFd, in Statx before, in NodePath from, in NodePath to)
    {
        (string source, string target) = (from.Text, to.Text);
        if (options.SkipUnchanged && MayExist && IsUnchanged(before, to))
        {
            if (options.FlushToDisk)
            {
                FlushSkipped(to);
            }

            meter.Find(0);
            meter.EndUnchanged();
            return new CopyResult { UnchangedFiles = 1, MethodReason = "it exists with the same length and time" };
        }

        using OldFile? old = FindTarget(source, before, to);
        long length = (long)before.Size;
        meter.Find(length);

        // Until the permissions are set, only the owner has access, because the group may differ from that of the source.
        uint mode = old is null && options.UnixCreateMode is { } asked ? (uint)asked : ModeBits.OwnerReadWrite;
        bool isFound = false;
        using TemporaryFile temporary = options.Resume && !TemporaryName.IsReservedNameInUse(from)
            ? TemporaryFile.CreateOrFind(to, mode, before, RightsOf(fromFd, before, old, to), out isFound)
            : TemporaryFile.Create(to, mode);
        try
        {
            if (isFound && old is null && options.UnixCreateMode is not null)
            {
                // The file may come from an earlier copy with another UnixCreateMode.
                PathErrors.ThrowIfFailed(
                    NodeCalls.SetMode(temporary.Descriptor, mode & ~Umask.Read()), "Setting the permissions of", target);
            }

            long begin = isFound ? FindResumeOffset(fromFd, temporary.Descriptor, length, target) : 0;
            FileTransfer transfer = new(fromFd, temporary.Descriptor, source, target, before, options, meter, cancellationToken);
            transfer.Run(begin);
            Refused = SetMetadata(fromFd, before, old, temporary.Descriptor, target);
            bool isChanged = IsChanged(fromFd, before, from);
            Finish(fromFd, source, temporary, to, transfer.Length);
            meter.EndFile();
            return transfer.Result(begin, isChanged);
        }
        catch
        {
            temporary.Keep();
            throw;
        }
    }

    /// <summary>
    /// Makes a file that is skipped durable: an earlier copy may not have been. Where a tree is copied, its file system is flushed at the
    /// end, unless each file has to be flushed there.
    /// </summary>
    private void FlushSkipped(in NodePath to)
    {
        if (_location is null && !RemoteFileSystem.MustFlushEach(to.FolderFd))
        {
            return;
        }

        using Descriptor file = new(PathCalls.OpenNonBlocking(to, PathCalls.ReadOnly | PathCalls.NoFollowFlag));
        PathErrors.ThrowIfFailed(file.Fd, "Opening", to.Text);
        PathErrors.ThrowIfFailed(Libc.Flush(file.Fd), "Writing to the disk", to.Text);
        _location?.Flush(file.Fd);
    }

    /// <summary>Opens a regular file for copying. As in .NET, this fails if another program has opened it without sharing.</summary>
    public static Descriptor OpenSource(in NodePath from, bool followsLinks, out Statx stat)
    {
        int fd = PathCalls.OpenNonBlocking(from, PathCalls.ReadOnly | (followsLinks ? 0 : PathCalls.NoFollowFlag));
        PathErrors.ThrowIfFailed(fd, "Opening the source", from.Text);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out stat), "Looking at the source", from.Text);
            if ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular)
            {
                string verb = $"Copying '{from.Text}' failed:";
                throw (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory
                    ? new UnauthorizedAccessException($"{verb} it is a folder, and a recursive copy was not requested.")
                    : new IOException($"{verb} it is no plain file.");
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

    /// <summary>Copies into a new file at the target's name, or returns null if the name is taken.</summary>
    private CopyResult? TryMake(int fromFd, in Statx before, in NodePath from, in NodePath to)
    {
        NewFileCopier copier = new(options, meter, cancellationToken) { LocksTarget = true };
        CopyResult? result = copier.TryCopy(fromFd, before, from, to, out Exception? refused);
        Refused = refused;
        return result;
    }

    /// <summary>Returns true if source and target are two regular files with the same length and time.</summary>
    private static bool IsUnchanged(in Statx from, in NodePath to) =>
        (from.Mode & Statx.TypeMask) == Statx.TypeRegular
        && NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == Statx.TypeRegular
        && !there.IsSame(from)
        && there.HasLengthAndTimeOf(from);

    /// <summary>Returns true if the source was written to since <paramref name="before"/> was read.</summary>
    public static bool IsChanged(int fromFd, in Statx before, in NodePath source)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(fromFd, StatxMask.BasicStats, out Statx after), "Looking at the source", source.Text);
        return !after.HasLengthAndTimeOf(before);
    }

    /// <summary>
    /// Returns the offset at which the copy resumes, and truncates the earlier copy there. Later bytes may come from another version of the
    /// source, and would remain where the source has holes.
    /// </summary>
    private long FindResumeOffset(int fromFd, int leftFd, long length, string target)
    {
        long begin = ContentComparer.FirstDifference(fromFd, leftFd, length, cancellationToken);
        PathErrors.ThrowIfFailed(PathCalls.SetLength(leftFd, begin), "Cutting what an earlier copy left of", target);
        meter.Add(begin);
        return begin;
    }

    /// <summary>Returns the file at the target, or null if there is none. Throws an exception if it must not be replaced.</summary>
    private OldFile? FindTarget(string source, in Statx from, in NodePath to)
    {
        string verb = $"Copying '{source}' to";
        bool isLink = false;
        OldFile? old = _location?.IsFree == true && !Overwrites ? null : OldFile.TryFind(to, verb, out isLink);
        try
        {
            if (old?.Stat.IsSame(from) == true)
            {
                throw new IOException($"'{source}' and '{to.Text}' are the same file.");
            }

            if ((old is not null || isLink) && !Overwrites)
            {
                throw new IOException($"Copying '{source}' to '{to.Text}' failed: the target is there already.");
            }

            if (old is not null)
            {
                _location?.ThrowIfPlanted(old.Stat, verb);
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
            throw new IOException(
                $"The process cannot access the file '{path}' because it is being used by another process.", Errno.EAGAIN);
        }
    }

    /// <summary>
    /// Sets the times of the source and, on a new file, its permissions, as File.Copy, unless others were requested. A file that is replaced
    /// keeps its owner and permissions: those of the source were given to the source's group. Returns what the file system refuses.
    /// </summary>
    private Exception? SetMetadata(int fromFd, in Statx from, OldFile? old, int toFd, string target)
    {
        if (options.PreserveMetadata)
        {
            Exception? refused = NodeMetadata.Preserve(fromFd, from, toFd, target);
            Exception? untimed = NodeMetadata.SetTimes(toFd, from, target);
            return refused ?? untimed;
        }

        Exception? unset = null;
        if (old is not null)
        {
            NodeMetadata.Inherit(old.Descriptor, old.Stat, toFd, old.Stat.Mode & ModeBits.All, mustHaveOwner: false, target);
        }
        else if (options.UnixCreateMode is null)
        {
            unset = NodeMetadata.SetPlainMode(toFd, NodeMetadata.PlainMode(fromFd, from), target);
        }

        Exception? late = NodeMetadata.SetPlainTimes(toFd, from, target);
        return unset ?? late;
    }

    /// <summary>Returns the rights that <see cref="SetMetadata"/> sets, if the process is permitted to set them.</summary>
    private FinalRights RightsOf(int fromFd, in Statx from, OldFile? old, in NodePath to)
    {
        if (options.PreserveMetadata)
        {
            return FinalRights.Of(fromFd, from);
        }

        if (old is not null)
        {
            return new FinalRights(old.Stat.Uid, old.Stat.Gid, old.Stat.Mode & ModeBits.All, NodeMetadata.AccessListOf(old.Descriptor));
        }

        uint mode = (uint?)options.UnixCreateMode ?? NodeMetadata.PlainMode(fromFd, from);
        bool isFolders = Libc.Stat(to.FolderFd, StatxMask.BasicStats, out Statx folder) == 0 && (folder.Mode & ModeBits.SetGroup) != 0;
        return new FinalRights(
            NodeCalls.EffectiveUser, isFolders ? folder.Gid : NodeCalls.EffectiveGroup, mode, NodeMetadata.DefaultAccessListOf(to.FolderFd));
    }

    private void Finish(int fromFd, string source, TemporaryFile temporary, in NodePath to, long length)
    {
        if (FlushesFolder)
        {
            temporary.GiveName();
        }

        if (FlushesFirst(temporary.Descriptor))
        {
            PathErrors.ThrowIfFailed(Libc.Flush(temporary.Descriptor), "Writing to the disk", to.Text);
        }

        if (options.Verify)
        {
            ContentComparer.Verify(fromFd, source, temporary.Descriptor, to.Text, length, cancellationToken);
        }

        if (_location is null)
        {
            PathErrors.ThrowIfFailed(Libc.Stat(temporary.Descriptor, StatxMask.BasicStats, out Statx made), "Looking at", to.Text);
            Made = made;
        }

        // The close of a duplicate reports delayed errors of the writes before the file gets the target's name.
        WrittenFile.ThrowIfFailed(PathCalls.CloseDuplicate(temporary.Descriptor), to.Text);
        cancellationToken.ThrowIfCancellationRequested();
        if (Overwrites)
        {
            temporary.ReplaceTarget();
        }
        else
        {
            temporary.NameTarget();
        }

        if (FlushesFolder)
        {
            _location!.Flush(temporary.Descriptor);
        }
    }
}
