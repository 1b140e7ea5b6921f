using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Makes what has no bytes to copy: symbolic links, further names of a file, FIFOs, sockets and devices. What has the name already
/// stays until its successor is whole. Thread-safe.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class NodeCopier(CopyOptions options, CopyMeter meter, bool isNewTree)
{
    public void CopyLink(in NodePath from, in NodePath to)
    {
        byte[]? content = NodeCalls.ReadSymbolicLink(from, out int errno);
        if (content is null)
        {
            throw PathErrors.Create(errno, "Reading the link", from.Text);
        }

        ThrowIfSame(from, to);
        Make(to, "Making the link", path => NodeCalls.MakeSymbolicLink(content, path), from);
        Count();
    }

    public void MakeNode(in NodePath from, in NodePath to, in Statx stat)
    {
        Statx like = stat;
        Make(to, $"Making the {NodeCalls.KindOf(stat)}", path => NodeCalls.MakeNode(path, like), from);
        Count();
    }

    /// <summary>Another name for what has been copied.</summary>
    public void AddName(in NodePath copied, in NodePath to)
    {
        NodePath first = copied;
        Make(to, "Linking", path => NodeCalls.Link(first, path), metadata: null);
        meter.EndFile();
    }

    /// <summary>
    /// Makes something where nothing has the name; where something has, and may be replaced, in a folder of its own, from which it is
    /// renamed: a replacement that fails, or is killed, leaves what was there. What gets metadata too is made there in any case, unless
    /// nobody else comes into its folder: else that might be given to what others have put in its place.
    /// </summary>
    private void Make(in NodePath to, string verb, Func<NodePath, int> make, NodePath? metadata)
    {
        metadata = options.PreserveMetadata ? metadata : null;
        bool mayReplace = options.Overwrite || isNewTree;
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
            throw PathErrors.Create(result, verb, to.Text);
        }
    }

    private static int MakeAside(in NodePath to, Func<NodePath, int> make, NodePath? metadata, bool mayReplace)
    {
        using TemporaryFolder aside = TemporaryFolder.Create(to, resumes: false);
        NodePath made = NodePath.In(aside.Descriptor, [.. "new\0"u8], aside.Text);
        int result = make(made);
        if (result == 0 && metadata is { } source)
        {
            Preserve(source, made);
        }

        return result < 0 ? result : mayReplace ? NodeCalls.Rename(made, to) : CopyCalls.RenameNew(made, to);
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

    private void Count()
    {
        meter.Find(0);
        meter.EndFile();
    }
}
