using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Makes what has no bytes to copy: symbolic links, further names of a file, FIFOs, sockets and devices. What has the name already
/// stays until its successor is whole. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class NodeCopier(CopyOptions options, bool isNewTree, CancellationToken cancellationToken)
{
    /// <summary>False where what is there stays, because it is the same (<see cref="CopyOptions.SkipUnchanged"/>).</summary>
    /// <param name="from">The link.</param>
    /// <param name="to">Its copy.</param>
    /// <param name="mayReplace">Whether what has the copy's name may be replaced; in a new tree, whether anything may have it.</param>
    public bool CopyLink(in NodePath from, in NodePath to, bool mayReplace)
    {
        byte[]? content = NodeCalls.ReadSymbolicLink(from, out int errno);
        if (content is null)
        {
            throw PathErrors.Create(errno, "Reading the link", from.Text);
        }

        ThrowIfSame(from, to);
        return MakeIfNeeded(
            path => IsLinkThere(content, path), from, to, "Making the link", path => NodeCalls.MakeSymbolicLink(content, path), from,
            mayReplace);
    }

    /// <inheritdoc cref="CopyLink"/>
    public bool MakeNode(in NodePath from, in NodePath to, in Statx stat, bool mayReplace)
    {
        Statx like = stat;
        return MakeIfNeeded(
            path => IsNodeThere(like, path), from, to, $"Making the {NodeCalls.KindOf(stat)}", path => NodeCalls.MakeNode(path, like),
            from, mayReplace);
    }

    /// <summary>Another name for what has been copied.</summary>
    /// <param name="copied">A name that it has.</param>
    /// <param name="copy">What it is: others may have given that name to something else since.</param>
    /// <param name="from">The source's other name.</param>
    /// <param name="stat">What that leads to.</param>
    /// <param name="to">The other name.</param>
    /// <param name="mayReplace">As in <see cref="CopyLink"/>.</param>
    /// <exception cref="IOException">It has lost that name, or cannot get the other one.</exception>
    public bool AddName(in NodePath copied, in Statx copy, in NodePath from, in Statx stat, in NodePath to, bool mayReplace)
    {
        (NodePath first, NodePath original, Statx like) = (copied, from, stat);
        using Descriptor held = new(PathCalls.Open(copied, PathCalls.PathOnly | PathCalls.NoFollowFlag));
        int fd = held.Fd;
        PathErrors.ThrowIfFailed(Math.Min(fd, 0), "Looking at the copy", copied.Text);
        PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx there), "Looking at the copy", copied.Text);
        if (!there.IsSame(copy))
        {
            throw new IOException($"Linking '{to.Text}' failed: something else was put in the place of '{copied.Text}' meanwhile.");
        }

        if (options.KeepsOwnWork && IsThere(from, stat, to) && IsOwn(from, to))
        {
            // A shard, or a FinishCopyAsync that was killed, has copied it by itself; length and time alone anybody's file may have.
            bool isSame = IsSameFile(copied, to);
            if (!isSame && !options.Overwrite && !HasSameContent(copied, stat, to))
            {
                throw new IOException(
                    $"Linking '{to.Text}' failed: another file with the length and the time of '{from.Text}' is there already.");
            }

            int result = isSame ? 0 : MakeAside(to, Link, metadata: null, mayReplace: true);
            PathErrors.ThrowIfFailed(result, "Linking", to.Text);
            return !isSame;
        }

        return MakeIfNeeded(
            path => IsThere(original, like, path), from, to, "Linking", Link, null, mayReplace);

        // By what is held, and not by a name that may lead to something else by now; where there is no /proc nothing else is left. What has
        // lost its last name gets none either (ENOENT), and its name is another's.
        int Link(NodePath path)
        {
            int result = NodeCalls.LinkOpened(fd, path);
            bool isNamed = Libc.Stat(fd, StatxMask.BasicStats, out Statx now) == 0 && now.NLink > 0;
            return result == -Errno.ENOENT && isNamed ? NodeCalls.Link(first, path) : result;
        }
    }

    /// <summary>
    /// Whether a copy is what its source is, but for its metadata: a link that says the same, a node of one kind and number.
    /// </summary>
    public static bool IsCopy(in NodePath from, in Statx stat, in NodePath to) => (stat.Mode & Statx.TypeMask) == Statx.TypeLink
        ? NodeCalls.ReadSymbolicLink(from, out _) is { } content && IsLinkThere(content, to)
        : IsNodeThere(stat, to);

    private bool MakeIfNeeded(
        Func<NodePath, bool> isThere, in NodePath from, in NodePath to, string verb, Func<NodePath, int> make, NodePath? metadata,
        bool mayReplace)
    {
        (NodePath source, NodePath target) = (from, to);
        bool mayBeThere = mayReplace || !isNewTree;
        bool isNeeded = !((options.SkipUnchanged && mayBeThere && isThere(to)) || IsOwnWork());
        if (isNeeded)
        {
            try
            {
                Make(to, verb, make, metadata, mayReplace);
            }
            catch (IOException) when (IsOwnWork())
            {
                // The same shard runs twice, and the other one was sooner.
                isNeeded = false;
            }
        }

        return isNeeded;

        bool IsOwnWork() => options.KeepsOwnWork && isThere(target) && IsOwn(source, target);
    }

    /// <summary>
    /// Whether what is at the target is this user's, or with its metadata the source's owner's: what others have put there is no work of
    /// this copy, however like its source it is.
    /// </summary>
    private bool IsOwn(in NodePath from, in NodePath to) =>
        NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Uid == NodeCalls.EffectiveUser
            || (options.PreserveMetadata
                && NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx stat) == 0
                && there.Uid == stat.Uid));

    private static bool IsSameFile(in NodePath one, in NodePath other) =>
        NodeCalls.Stat(one, followsLinks: false, StatxMask.BasicStats, out Statx first) == 0
        && NodeCalls.Stat(other, followsLinks: false, StatxMask.BasicStats, out Statx second) == 0
        && first.IsSame(second);

    /// <summary>
    /// Whether what is to get a name holds, to the last byte, what has it now. What cannot be read is taken for something else. Links and
    /// nodes have been compared as far as they can be.
    /// </summary>
    private bool HasSameContent(in NodePath copied, in Statx stat, in NodePath to)
    {
        if ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular)
        {
            return true;
        }

        int flags = PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking;
        using Descriptor one = new(PathCalls.Open(copied, flags));
        using Descriptor other = new(PathCalls.Open(to, flags));
        long length = (long)stat.Size;
        return one.Fd >= 0 && other.Fd >= 0
            && Libc.LengthOf(one.Fd) == length
            && Libc.LengthOf(other.Fd) == length
            && ContentComparer.FirstDifference(one.Fd, other.Fd, length, cancellationToken) == length;
    }

    /// <summary>
    /// Whether what has a name is what would be made there: a plain file of one length and time, a link that says the same, a node of one
    /// kind and number.
    /// </summary>
    private static bool IsThere(in NodePath from, in Statx stat, in NodePath to) =>
        (stat.Mode & Statx.TypeMask) == Statx.TypeRegular ? FileCopier.IsThere(stat, to) : IsCopy(from, stat, to);

    private static bool IsLinkThere(byte[] content, in NodePath to) =>
        NodeCalls.ReadSymbolicLink(to, out _) is { } there && there.AsSpan().SequenceEqual(content);

    private static bool IsNodeThere(in Statx from, in NodePath to) =>
        NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == (from.Mode & Statx.TypeMask)
        && !there.IsSame(from)
        && (there.RdevMajor, there.RdevMinor) == (from.RdevMajor, from.RdevMinor);

    /// <summary>
    /// Makes something where nothing has the name; where something has, and may be replaced, in a folder of its own, from which it is
    /// renamed: a replacement that fails, or is killed, leaves what was there. What gets metadata too is made there in any case, unless
    /// nobody else comes into its folder: else that might be given to what others have put in its place.
    /// </summary>
    private void Make(in NodePath to, string verb, Func<NodePath, int> make, NodePath? metadata, bool mayReplace)
    {
        metadata = options.PreserveMetadata ? metadata : null;
        int result = metadata is null || isNewTree ? make(to) : -Errno.EEXIST;
        if (result == 0 && metadata is { } source)
        {
            Preserve(source, to);
        }
        else if (result == -Errno.EEXIST && (mayReplace || metadata is not null))
        {
            result = MakeAside(to, make, metadata, mayReplace);
        }

        if (result < 0)
        {
            // A folder is replaced by nothing, whatever may be.
            throw PathErrors.Create(result == -Errno.EEXIST && IsFolder(to) ? -Errno.EISDIR : result, verb, to.Text);
        }
    }

    private static bool IsFolder(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == Statx.TypeDirectory;

    private static int MakeAside(in NodePath to, Func<NodePath, int> make, NodePath? metadata, bool mayReplace)
    {
        using TemporaryFolder aside = TemporaryFolder.Create(to, resumes: false);
        NodePath made = NodePath.In(aside.Descriptor, [.. "new\0"u8], aside.Text);
        int result = make(made);
        if (result == 0 && metadata is { } source)
        {
            Preserve(source, made);
        }

        if (result < 0 || mayReplace)
        {
            return result < 0 ? result : NodeCalls.Rename(made, to);
        }

        result = CopyCalls.RenameNew(made, to);
        if (result is -Errno.EINVAL or -Errno.ENOSYS)
        {
            // This file system cannot rename so: a second name is refused where one is. The first goes with its folder.
            result = NodeCalls.Link(made, to);
            _ = result == 0 ? NodeCalls.Unlink(made) : 0;
        }

        return result;
    }

    /// <summary>By descriptors, so that links are not followed and nodes are not opened.</summary>
    private static void Preserve(in NodePath source, in NodePath made)
    {
        const int flags = PathCalls.PathOnly;
        using Descriptor from = new(PathCalls.Open(source, flags | PathCalls.NoFollowFlag));
        using Descriptor to = new(PathCalls.Open(made, flags | PathCalls.NoFollowFlag));
        PathErrors.ThrowIfFailed(Math.Min(from.Fd, 0), "Looking at the source", source.Text);
        PathErrors.ThrowIfFailed(Math.Min(to.Fd, 0), "Looking at", made.Text);
        PathErrors.ThrowIfFailed(Libc.Stat(from.Fd, StatxMask.BasicStats, out Statx stat), "Looking at the source", source.Text);
        PathErrors.ThrowIfFailed(Libc.Stat(to.Fd, StatxMask.BasicStats, out Statx there), "Looking at", made.Text);
        if ((stat.Mode & Statx.TypeMask) != (there.Mode & Statx.TypeMask))
        {
            throw new IOException($"Copying '{source.Text}' to '{made.Text}' failed: one of them was replaced meanwhile.");
        }

        NodeMetadata.Preserve(from.Fd, stat, to.Fd, made.Text);
    }

    /// <summary>A link that replaced itself, or what it leads to, would lead nowhere.</summary>
    private static void ThrowIfSame(in NodePath from, in NodePath to)
    {
        if (NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) < 0)
        {
            return;
        }

        bool isLink = NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx link) == 0 && link.IsSame(there);
        if (isLink || (NodeCalls.Stat(from, followsLinks: true, StatxMask.BasicStats, out Statx led) == 0 && led.IsSame(there)))
        {
            throw new IOException($"'{from.Text}' and '{to.Text}' are the same file.");
        }
    }
}
