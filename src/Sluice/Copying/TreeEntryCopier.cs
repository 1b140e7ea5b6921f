using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Copies what is in the folders of a tree: small files by a read and a write, the others as alone. Thread-safe.</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeEntryCopier(
    CopyOptions options, CopyMeter meter, CopyFailures failures, bool isNewTree, CancellationToken cancellationToken)
{
    private readonly NodeCopier _nodes = new(options, isNewTree, cancellationToken);
    private readonly Lock _lock = new();
    private readonly HardLinkCopier _hardLinks = new(options, failures, cancellationToken);
    private readonly long[] _bytesByMethod = new long[Enum.GetValues<CopyMethod>().Length];
    private readonly uint _umask = Umask.Read();
    private long _resumedBytes;
    private int _depth;
    private int _changedFiles;

    /// <summary>
    /// Whether the permissions of what is made are something else than those that are asked for and the umask leaves: a folder's default
    /// access list comes in between.
    /// </summary>
    public bool SetsModes { get; set; }

    public CopyResult Result()
    {
        long[] bytes = _bytesByMethod;
        CopyMethod most = (CopyMethod)Array.IndexOf(bytes, bytes.Max());
        return new CopyResult
        {
            Bytes = meter.Bytes,
            ResumedBytes = _resumedBytes,
            Files = meter.Files,
            ChangedFiles = _changedFiles,
            UnchangedFiles = meter.UnchangedFiles,
            Method = most == CopyMethod.Auto ? CopyMethod.Buffered : most,
            MethodReason = options.Method == CopyMethod.Auto ? "each file by what is cheapest for it" : "it was asked for",
            Depth = most == CopyMethod.Direct ? _depth : 0,
        };
    }

    /// <summary>Copies a group; throws only for what ends the whole copy.</summary>
    public void Copy(TreeGroup group)
    {
        foreach ((byte[] name, byte type) in group.Entries)
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                CopyEntry(group.Folder, name, type);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures.Add(group.Folder.From(name).Text, e);
            }
        }
    }

    /// <inheritdoc cref="HardLinkCopier.Copy"/>
    public void CopyHardLinks(TreeRoot fromRoot, TreeRoot toRoot) => _hardLinks.Copy(fromRoot, toRoot, this);

    /// <summary>A symbolic link, as one.</summary>
    public void CopyLink(in NodePath from, in NodePath to, bool mayReplace) => Note(_nodes.CopyLink(from, to, mayReplace));

    /// <inheritdoc cref="NodeCopier.AddName"/>
    public void AddName(in NodePath copied, in Statx copy, in NodePath from, in Statx stat, in NodePath to, bool mayReplace) =>
        Note(_nodes.AddName(copied, copy, from, stat, to, mayReplace));

    /// <summary>The first of several names of something; gives what the copy is, where that is known for sure.</summary>
    public Statx? CopyFirst(in NodePath from, in NodePath to, in Statx stat, bool mayReplace)
    {
        switch (stat.Mode & Statx.TypeMask)
        {
            case Statx.TypeRegular:
                return CopyAlone(from, to, mayReplace);
            case Statx.TypeLink:
                CopyLink(from, to, mayReplace);
                return null;
            default:
                Note(_nodes.MakeNode(from, to, stat, mayReplace));
                return null;
        }
    }

    /// <summary>
    /// Whether an entry may take the place of what has its name in the copy. In a new tree nothing has, but for what an earlier copy left
    /// under that very name.
    /// </summary>
    private bool MayReplace(TreeFolder folder, byte[] name) => isNewTree ? folder.Left?.Take(name) == true : options.Overwrite;

    /// <summary>Counts what has no bytes to copy.</summary>
    private void Note(bool isMade)
    {
        meter.Find(0);
        if (isMade)
        {
            meter.EndFile();
        }
        else
        {
            meter.EndUnchanged();
        }
    }

    private void CopyEntry(TreeFolder folder, byte[] name, byte type)
    {
        (NodePath from, NodePath to) = (folder.From(name), folder.To(name));
        if (options.IsFinish)
        {
            FinishEntry(folder, from, to);
            return;
        }

        if (type != DirectoryReader.TypeFile)
        {
            CopyNode(folder, type, from, to);
            return;
        }

        using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, out Statx stat);
        if (options.PreserveMetadata && stat.NLink > 1)
        {
            _hardLinks.Add(folder, name, stat, MayReplace(folder, name));
        }
        else if (isNewTree)
        {
            CopyNew(folder, opened.Fd, stat, from, to);
        }
        else
        {
            CopyAlone(from, to, options.Overwrite);
        }
    }

    /// <summary>What a shard has left: looked at; and what has several names is copied with the other ones of the tree.</summary>
    private void FinishEntry(TreeFolder folder, in NodePath from, in NodePath to)
    {
        PathErrors.ThrowIfFailed(
            NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx stat), "Looking at the source", from.Text);
        if (options.PreserveMetadata && stat.NLink > 1)
        {
            _hardLinks.Add(folder, from.Name, stat, MayReplace(folder, from.Name));
            return;
        }

        TreeCheck.ThrowIfNoCopy(from, stat, to);
        Note(isMade: false);
    }

    /// <summary>Links; and FIFOs, sockets and devices, which are made anew, as cp -r does; nothing is opened.</summary>
    private void CopyNode(TreeFolder folder, byte type, in NodePath from, in NodePath to)
    {
        if (type == DirectoryReader.TypeLink && !options.PreserveMetadata)
        {
            CopyLink(from, to, MayReplace(folder, from.Name));
            return;
        }

        int result = NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx stat);
        PathErrors.ThrowIfFailed(result, "Looking at the source", from.Text);

        if ((stat.Mode & Statx.TypeMask) is Statx.TypeRegular or Statx.TypeDirectory)
        {
            throw new IOException($"Copying '{from.Text}' failed: something else was put in its place meanwhile.");
        }

        if (options.PreserveMetadata && stat.NLink > 1)
        {
            _hardLinks.Add(folder, from.Name, stat, MayReplace(folder, from.Name));
        }
        else if (type == DirectoryReader.TypeLink)
        {
            CopyLink(from, to, MayReplace(folder, from.Name));
        }
        else
        {
            Note(_nodes.MakeNode(from, to, stat, MayReplace(folder, from.Name)));
        }
    }

    /// <summary>With all the care of a single copy: a temporary name, and whatever is at the target looked at.</summary>
    private Statx? CopyAlone(in NodePath from, in NodePath to, bool mayReplace)
    {
        bool mustBeFree = isNewTree && !mayReplace && options.SkipUnchanged;
        bool isFree = !mustBeFree || NodeCalls.Stat(to, followsLinks: false, StatxMask.Type, out _) == -Errno.ENOENT;
        PathErrors.ThrowIfFailed(isFree ? 0 : -Errno.EEXIST, $"Copying '{from.Text}' to", to.Text);
        FileCopier alone = new(options, meter, cancellationToken)
        {
            FollowsLinks = false,
            Overwrite = mayReplace,
            ComparesFound = options.Verify || options.IsFinish,
        };
        CopyResult result = alone.Copy(from, to);
        Interlocked.Add(ref _changedFiles, result.ChangedFiles);
        if (result.UnchangedFiles == 0)
        {
            Book(result.Method, result.Bytes, result.ResumedBytes, result.Depth);
        }

        return alone.Made;
    }

    /// <summary>Into a tree that nobody sees yet: under its own name at once.</summary>
    private void CopyNew(TreeFolder folder, int fromFd, in Statx stat, in NodePath from, in NodePath to)
    {
        const int make = PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive;
        long length = (long)stat.Size;
        meter.Find(length);

        // Where metadata is kept, the file is its owner's alone until it has it: our group may be another than the source's.
        uint mode = options.PreserveMetadata ? ModeBits.OwnerReadWrite
            : (uint?)options.UnixCreateMode ?? NodeMetadata.PlainMode(fromFd, stat);
        int toFd = PathCalls.Open(to, make, mode);
        if (toFd == -Errno.EEXIST && MayReplace(folder, from.Name))
        {
            if (IsThere(folder, fromFd, stat, from, to))
            {
                meter.Add(length);
                meter.EndFile();
                Book(CopyMethod.Buffered, length, length, 0);
                return;
            }

            _ = NodeCalls.Unlink(to); // If it stays, the next call fails.
            toFd = PathCalls.Open(to, make, mode);
        }

        SmallTransfer.ThrowIfNotWritten(toFd, from, to);
        using Descriptor made = new(toFd);
        try
        {
            (CopyMethod method, int depth) = (CopyMethod.Buffered, 0);
            bool isSmall = length is > 0 and <= SmallTransfer.MaxBytes && options.Method is CopyMethod.Auto or CopyMethod.Buffered;
            if (!isSmall || FileTransfer.MayHaveHoles(stat))
            {
                FileTransfer transfer = new(fromFd, toFd, from.Text, to.Text, stat, options, meter, cancellationToken);
                transfer.Run(0);
                (method, length, depth) = (transfer.Method, transfer.Length, transfer.Depth);
            }
            else
            {
                length = SmallTransfer.Run(fromFd, toFd, (int)length, from, to);
                meter.AddMoved(length, cancellationToken);
                meter.Correct(length - (long)stat.Size);
            }

            SetMetadata(fromFd, stat, toFd, mode, to.Text);
            if (FileCopier.IsChanged(fromFd, stat, from))
            {
                Interlocked.Increment(ref _changedFiles);
            }

            Settle(folder, fromFd, toFd, from, to);
            WrittenFile.ThrowIfFailed(PathCalls.CloseDuplicate(toFd), to.Text);
            meter.EndFile();
            Book(method, length, 0, depth);
        }
        catch
        {
            // Half a file has no place in a tree that gets its name nevertheless.
            _ = NodeCalls.Unlink(to); // The error of the copy is reported.
            throw;
        }
    }

    /// <summary>What is to be on the disk, and is not when its file system is flushed at the end, or is read back from there.</summary>
    private void Settle(TreeFolder folder, int fromFd, int toFd, in NodePath from, in NodePath to)
    {
        int result = folder.FlushesEach ? Libc.Flush(toFd) : options.Verify ? Libc.FlushData(toFd) : 0;
        PathErrors.ThrowIfFailed(result, "Writing to the disk", to.Text);
        if (options.Verify)
        {
            ContentComparer.Verify(fromFd, from.Text, toFd, to.Text, cancellationToken);
        }
    }

    /// <summary>Permissions that neither the umask nor an access list has touched are right since the file was made.</summary>
    private void SetMetadata(int fromFd, in Statx stat, int toFd, uint mode, string target)
    {
        if (options.PreserveMetadata)
        {
            NodeMetadata.Preserve(fromFd, stat, toFd, target);
        }
        else if (options.UnixCreateMode is null && (SetsModes || (mode & _umask) != 0))
        {
            FileCopier.SetPlainMetadata(fromFd, stat, toFd, options, target);
        }
        else
        {
            NodeMetadata.SetPlainTimes(toFd, stat, target);
        }
    }

    /// <summary>What was made by a copy with other options has other permissions.</summary>
    private void SetMetadataOfLeftover(int fromFd, in Statx stat, int toFd, string target)
    {
        if (options.PreserveMetadata)
        {
            NodeMetadata.Preserve(fromFd, stat, toFd, target);
            return;
        }

        uint mode = (uint?)options.UnixCreateMode & ~_umask ?? NodeMetadata.PlainMode(fromFd, stat);
        NodeMetadata.SetPlainMode(toFd, mode, target);
        NodeMetadata.SetPlainTimes(toFd, stat, target);
    }

    /// <summary>
    /// Whether an earlier copy left this file, the same to the last byte; with the source's metadata now, which that copy may not have
    /// come to. Not what others may have put there, who may have it open, if it is to have more rights than they.
    /// </summary>
    private bool IsThere(TreeFolder folder, int fromFd, in Statx stat, in NodePath from, in NodePath to)
    {
        using Descriptor opened = new(PathCalls.Open(to, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking));
        int fd = opened.Fd;
        bool isThere = fd >= 0
            && Libc.Stat(fd, StatxMask.BasicStats, out Statx there) == 0
            && (there.Mode & Statx.TypeMask) == Statx.TypeRegular
            && there.Size == stat.Size
            && there.NLink == 1
            && (options.PreserveMetadata ? FinalRights.Of(fromFd, stat).MayGoTo(there.Uid) : there.Uid == NodeCalls.EffectiveUser)
            && ContentComparer.FirstDifference(fromFd, fd, (long)stat.Size, cancellationToken) == (long)stat.Size;
        if (isThere)
        {
            SetMetadataOfLeftover(fromFd, stat, fd, to.Text);
            Settle(folder, fromFd, fd, from, to);
        }

        return isThere;
    }

    private void Book(CopyMethod method, long bytes, long resumed, int depth)
    {
        failures.Count(bytes);
        Interlocked.Add(ref _bytesByMethod[(int)method], Math.Max(bytes, 1));
        Interlocked.Add(ref _resumedBytes, resumed);
        lock (_lock)
        {
            _depth = Math.Max(_depth, depth);
        }
    }
}
