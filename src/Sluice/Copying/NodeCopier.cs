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
internal sealed class NodeCopier(CopyOptions options, CopyFailures failures)
{
    /// <summary>False where what is there stays, because it is the same (<see cref="CopyOptions.SkipUnchanged"/>).</summary>
    /// <param name="from">The link.</param>
    /// <param name="to">Its copy.</param>
    /// <param name="mayBeThere">Whether something may have the copy's name already.</param>
    public bool CopyLink(in NodePath from, in NodePath to, bool mayBeThere)
    {
        byte[]? content = NodeCalls.ReadSymbolicLink(from, out int errno);
        if (content is null)
        {
            throw PathErrors.Create(errno, "Reading the link", from.Text);
        }

        ThrowIfSame(from, to);
        return Make(path => IsLinkThere(content, path), from, to, "Making the link",
            path => NodeCalls.MakeSymbolicLink(content, path), options.PreserveMetadata, mayBeThere);
    }

    /// <inheritdoc cref="CopyLink"/>
    public bool MakeNode(in NodePath from, in NodePath to, in Statx stat, bool mayBeThere)
    {
        Statx like = stat;
        return Make(path => IsNodeThere(like, path), from, to, $"Making the {NodeCalls.KindOf(stat)}",
            path => NodeCalls.MakeNode(path, like), options.PreserveMetadata, mayBeThere);
    }

    /// <summary>Another name for what has been copied.</summary>
    /// <param name="copied">A name that it has.</param>
    /// <param name="copy">What it is: others may have given that name to something else since.</param>
    /// <param name="to">The other name.</param>
    /// <param name="mayBeThere">As in <see cref="CopyLink"/>.</param>
    /// <exception cref="IOException">It has lost that name, or cannot get the other one.</exception>
    public bool AddName(in NodePath copied, in Statx copy, in NodePath to, bool mayBeThere)
    {
        (NodePath first, Statx made) = (copied, copy);
        using Descriptor held = new(PathCalls.Open(copied, PathCalls.PathOnly | PathCalls.NoFollowFlag));
        int fd = held.Fd;
        PathErrors.ThrowIfFailed(Math.Min(fd, 0), "Looking at the copy", copied.Text);
        PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx there), "Looking at the copy", copied.Text);
        if (!there.IsSame(copy))
        {
            throw new IOException($"Linking '{to.Text}' failed: something else was put in the place of '{copied.Text}' meanwhile.");
        }

        return Make(IsThere, copied, to, "Linking", Link, hasMetadata: false, mayBeThere);

        bool IsThere(NodePath path) =>
            NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx other) == 0 && other.IsSame(made);

        // By what is held, and not by a name that may lead to something else by now; where there is no /proc nothing else is left. What has
        // lost its last name gets none either (ENOENT), and its name is another's.
        int Link(NodePath path)
        {
            int result = NodeCalls.LinkOpened(fd, path);
            bool isNamed = Libc.Stat(fd, StatxMask.BasicStats, out Statx now) == 0 && now.NLink > 0;
            return result == -Errno.ENOENT && isNamed ? NodeCalls.Link(first, path) : result;
        }
    }

    private bool Make(
        Func<NodePath, bool> isThere, in NodePath from, in NodePath to, string verb, Func<NodePath, int> make, bool hasMetadata,
        bool mayBeThere)
    {
        int result = make(to);
        if (result == -Errno.EEXIST && mayBeThere)
        {
            if (options.SkipUnchanged && isThere(to))
            {
                return false;
            }

            result = options.Overwrite ? Replace(from, to, make, hasMetadata) : result;
        }
        else if (result == 0 && hasMetadata)
        {
            Preserve(from, to);
        }

        if (result < 0)
        {
            // A folder is replaced by nothing, whatever may be.
            throw PathErrors.Create(result == -Errno.EEXIST && IsFolder(to) ? -Errno.EISDIR : result, verb, to.Text);
        }

        return true;
    }

    /// <summary>
    /// Makes something beside what it is to replace, and renames it: what fails, or is killed, leaves what was there.
    /// </summary>
    private int Replace(in NodePath from, in NodePath to, Func<NodePath, int> make, bool hasMetadata)
    {
        NodePath made = TemporaryName.Random(to);
        int result = make(made);
        if (result == 0 && hasMetadata)
        {
            Preserve(from, made);
        }

        if (result == 0)
        {
            result = NodeCalls.Rename(made, to);

            // Two names of one file both stay after a rename.
            _ = NodeCalls.Unlink(made); // The result of the rename is reported.
        }

        return result;
    }

    private static bool IsFolder(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == Statx.TypeDirectory;

    private static bool IsLinkThere(byte[] content, in NodePath to) =>
        NodeCalls.ReadSymbolicLink(to, out _) is { } there && there.AsSpan().SequenceEqual(content);

    private static bool IsNodeThere(in Statx from, in NodePath to) =>
        NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) == 0
        && (there.Mode & Statx.TypeMask) == (from.Mode & Statx.TypeMask)
        && !there.IsSame(from)
        && (there.RdevMajor, there.RdevMinor) == (from.RdevMajor, from.RdevMinor);

    /// <summary>
    /// Gives what was just made its metadata, or removes it. By descriptors, so that links are not followed and nodes are not opened; what
    /// somebody has put in its place gets none.
    /// </summary>
    private void Preserve(in NodePath source, in NodePath made)
    {
        const int flags = PathCalls.PathOnly;
        using Descriptor from = new(PathCalls.Open(source, flags | PathCalls.NoFollowFlag));
        using Descriptor to = new(PathCalls.Open(made, flags | PathCalls.NoFollowFlag));
        try
        {
            PathErrors.ThrowIfFailed(Math.Min(from.Fd, 0), "Looking at the source", source.Text);
            PathErrors.ThrowIfFailed(Math.Min(to.Fd, 0), "Looking at", made.Text);
            PathErrors.ThrowIfFailed(Libc.Stat(from.Fd, StatxMask.BasicStats, out Statx stat), "Looking at the source", source.Text);
            PathErrors.ThrowIfFailed(Libc.Stat(to.Fd, StatxMask.BasicStats, out Statx there), "Looking at", made.Text);
            if ((stat.Mode & Statx.TypeMask) != (there.Mode & Statx.TypeMask)
                || (stat.RdevMajor, stat.RdevMinor) != (there.RdevMajor, there.RdevMinor)
                || there.NLink != 1)
            {
                throw new IOException($"Copying '{source.Text}' to '{made.Text}' failed: one of them was replaced meanwhile.");
            }

            Exception? refused = NodeMetadata.Preserve(from.Fd, stat, to.Fd, made.Text);
            Exception? untimed = NodeMetadata.SetTimes(to.Fd, stat, made.Text);
            failures.AddRefusal(source.Text, refused ?? untimed);
        }
        catch
        {
            if (to.Fd >= 0 && TemporaryName.LeadsTo(made, to.Fd))
            {
                _ = NodeCalls.Unlink(made); // What failed before is reported.
            }

            throw;
        }
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
