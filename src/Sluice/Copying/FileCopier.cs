using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies one file: into a new file at the target's name, or, if the copy is to appear as a whole or replaces a file, into a file beside
/// the target that gets the target's name at the end. Blocks its thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class FileCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
{
    private const int SourceFlags = PathCalls.ReadOnly | PathCalls.NonBlocking;

    /// <summary>
    /// The location of the target of <see cref="Copy(string, string, bool)"/>; null in a tree, which flushes its folders itself.
    /// </summary>
    private TargetLocation? _location;

    /// <summary>Whether a source that is a link stands for what it leads to; in a tree it has become one since it was looked at.</summary>
    public bool FollowsLinks { get; init; } = true;

    /// <summary>Gets a value that indicates whether a file may exist at the target's name.</summary>
    public bool MayBeThere { get; init; } = true;

    /// <summary>The first of the metadata that the target's file system has refused; the copy has its name all the same.</summary>
    public Exception? Refused { get; private set; }

    /// <summary>Gets the state of the file that was copied in a tree, or null if the existing file was kept.</summary>
    public Statx? Made { get; private set; }

    private bool Overwrites => options.Overwrite && MayBeThere;

    private bool FlushesFolder => options.FlushToDisk && _location is not null;

    /// <summary>
    /// Whether the bytes are on the disk before the file gets its name. They are where they are read back; and of what is to be durable,
    /// where a single file is copied, and where a later run takes a name with the right length and time for a copy that is whole, although
    /// the power went before this run came to flush the tree; or where that does not flush its files.
    /// </summary>
    private bool FlushesFirst(int fd) => options.Verify || (options.FlushToDisk
        && (_location is not null || options.Shard is not null || options.SkipUnchanged || RemoteFileSystem.MustFlushEach(fd)));

    /// <summary>Copies a file by its full path. A symbolic link at the target is followed.</summary>
    /// <returns>The result, or null, with nothing copied, if only a small file is to be copied and this is none.</returns>
    public CopyResult? Copy(string source, string target, bool onlySmall)
    {
        NodePath from = NodePath.Of(source);
        using Descriptor opened = OpenSource(from, FollowsLinks, out Statx stat);
        if (onlySmall && !FileTransfer.IsSmall(stat))
        {
            return null;
        }

        bool makesTarget = !options.Atomic && !options.FlushToDisk && !options.Resume;

        // Creating the target shows whether something has its name. A file that may be skipped is looked for first.
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
        if (options.SkipUnchanged && MayBeThere && IsThere(before, to))
        {
            meter.Find(0);
            meter.EndUnchanged();
            return new CopyResult { UnchangedFiles = 1, MethodReason = "it is there with the same length and time" };
        }

        using OldFile? old = FindTarget(source, before, to);
        long length = (long)before.Size;
        meter.Find(length);

        // Where permissions are taken over, the file is its owner's alone until it has them: our group may be another than the source's.
        uint mode = old is null && options.UnixCreateMode is { } asked ? (uint)asked : ModeBits.OwnerReadWrite;
        bool isFound = false;
        using TemporaryFile temporary = options.Resume && !TemporaryName.IsSources(from)
            ? TemporaryFile.CreateOrFind(to, mode, before, RightsOf(fromFd, before, old, to), out isFound)
            : TemporaryFile.Create(to, mode);
        try
        {
            if (isFound && old is null && options.UnixCreateMode is not null)
            {
                // It may have been made by a copy that asked for another mode.
                PathErrors.ThrowIfFailed(
                    NodeCalls.SetMode(temporary.Descriptor, mode & ~Umask.Read()), "Setting the permissions of", target);
            }

            long begin = isFound ? GoOnFrom(fromFd, temporary.Descriptor, length, target) : 0;
            FileTransfer transfer = new(fromFd, temporary.Descriptor, source, target, before, options, meter, cancellationToken);
            transfer.Run(begin);
            Refused = SetMetadata(fromFd, before, old, temporary.Descriptor, target);
            bool isChanged = IsChanged(fromFd, before, from);
            Finish(fromFd, source, temporary, to);
            meter.EndFile();
            return transfer.Result(begin, isChanged);
        }
        catch
        {
            temporary.Keep();
            throw;
        }
    }

    /// <summary>Opens a plain file to copy it, as .NET does: not while somebody else has it for himself.</summary>
    public static Descriptor OpenSource(in NodePath from, bool followsLinks, out Statx stat)
    {
        int fd = PathCalls.OpenUnwaiting(from, PathCalls.ReadOnly | (followsLinks ? 0 : PathCalls.NoFollowFlag));
        PathErrors.ThrowIfFailed(fd, "Opening the source", from.Text);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out stat), "Looking at the source", from.Text);
            if ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular)
            {
                string verb = $"Copying '{from.Text}' failed:";
                throw (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory
                    ? new UnauthorizedAccessException($"{verb} it is a folder, and a recursive copy was not asked for.")
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

    /// <summary>Copies into a new file at the target's name, or returns null if something has the name.</summary>
    private CopyResult? TryMake(int fromFd, in Statx before, in NodePath from, in NodePath to)
    {
        NewFileCopier copier = new(options, meter, cancellationToken) { LocksTarget = true };
        CopyResult? result = copier.TryCopy(fromFd, before, from, to, out Exception? refused);
        Refused = refused;
        return result;
    }

    /// <summary>Whether source and target are two plain files of one length and time.</summary>
    private static bool IsThere(in Statx from, in NodePath to) =>
        (from.Mode & Statx.TypeMask) == Statx.TypeRegular
        && NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == Statx.TypeRegular
        && !there.IsSame(from)
        && there.HasLengthAndTimeOf(from);

    /// <summary>Whether a source has been written since it was first looked at.</summary>
    public static bool IsChanged(int fromFd, in Statx before, in NodePath source)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(fromFd, StatxMask.BasicStats, out Statx after), "Looking at the source", source.Text);
        return !after.HasLengthAndTimeOf(before);
    }

    /// <summary>
    /// What is behind the first difference may be of another version of the source, and would stay where this one has holes.
    /// </summary>
    private long GoOnFrom(int fromFd, int leftFd, long length, string target)
    {
        long begin = ContentComparer.FirstDifference(fromFd, leftFd, length, cancellationToken);
        PathErrors.ThrowIfFailed(PathCalls.SetLength(leftFd, begin), "Cutting what an earlier copy left of", target);
        meter.Add(begin);
        return begin;
    }

    /// <summary>What is at the target, if it may be replaced.</summary>
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
        if (PathCalls.LockSharedNow(fd) == -Errno.EAGAIN)
        {
            throw new IOException(
                $"The process cannot access the file '{path}' because it is being used by another process.", Errno.EAGAIN);
        }
    }

    /// <summary>
    /// As File.Copy: permissions and times of the source, whatever the umask is; those that were asked for are there already. A file that is
    /// overwritten stays its owner's. Returns what the file system refuses.
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
            NodeMetadata.Inherit(old.Descriptor, old.Stat, toFd, NodeMetadata.PlainMode(fromFd, from), mustHaveOwner: false, target);
        }
        else if (options.UnixCreateMode is null)
        {
            unset = NodeMetadata.SetPlainMode(toFd, NodeMetadata.PlainMode(fromFd, from), target);
        }

        Exception? late = NodeMetadata.SetPlainTimes(toFd, from, target);
        return unset ?? late;
    }

    /// <summary>What <see cref="SetMetadata"/> gives, where it may.</summary>
    private FinalRights RightsOf(int fromFd, in Statx from, OldFile? old, in NodePath to)
    {
        if (options.PreserveMetadata)
        {
            return FinalRights.Of(fromFd, from);
        }

        uint mode = NodeMetadata.PlainMode(fromFd, from);
        if (old is not null)
        {
            return new FinalRights(old.Stat.Uid, old.Stat.Gid, mode, NodeMetadata.ListOf(old.Descriptor));
        }

        bool isFolders = Libc.Stat(to.FolderFd, StatxMask.BasicStats, out Statx folder) == 0 && (folder.Mode & ModeBits.SetGroup) != 0;
        return new FinalRights(
            NodeCalls.EffectiveUser, isFolders ? folder.Gid : NodeCalls.EffectiveGroup, (uint?)options.UnixCreateMode ?? mode,
            NodeMetadata.DefaultListOf(to.FolderFd));
    }

    private void Finish(int fromFd, string source, TemporaryFile temporary, in NodePath to)
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
            ContentComparer.Verify(fromFd, source, temporary.Descriptor, to.Text, cancellationToken);
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
