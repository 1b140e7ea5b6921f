using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Interop;
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
    private const uint AllPermissionBits = 0xFFF;
    private const uint OwnerAll = 0x1C0;

    public void CopyLink(in NodePath from, in NodePath to)
    {
        byte[]? content = NodeCalls.ReadSymbolicLink(from, out int errno);
        if (content is null)
        {
            throw PathErrors.Create(errno, "Reading the link", from.Text);
        }

        ThrowIfSame(from, to);
        NodePath source = from;
        Make(to, "Making the link", path =>
        {
            int result = NodeCalls.MakeSymbolicLink(content, path);
            if (result == 0 && options.KeepsMetadata && NodeCalls.Stat(source, followsLinks: false, StatxMask.BasicStats, out Statx stat) == 0)
            {
                // As cp: an owner that may not be given stays ours.
                _ = NodeCalls.SetOwner(path, stat.Uid, stat.Gid);
                result = NodeCalls.CopyExtendedAttributes(source, path);
                _ = NodeCalls.SetTimes(path, stat);
            }

            return result;
        });
        Count();
    }

    public void MakeNode(in NodePath from, in NodePath to, in Statx stat)
    {
        Statx like = stat;
        NodePath source = from;
        Make(to, $"Making the {NodeCalls.KindOf(stat)}", path =>
        {
            int result = NodeCalls.MakeNode(path, like);
            if (result == 0 && options.KeepsMetadata)
            {
                // As with links: an owner that may not be given stays ours. The mode after it, since a change of owner takes bits away.
                _ = NodeCalls.SetOwner(path, like.Uid, like.Gid);
                result = NodeCalls.CopyExtendedAttributes(source, path);
                result = result < 0 ? result : NodeCalls.SetMode(path, like.Mode & AllPermissionBits);
                _ = NodeCalls.SetTimes(path, like);
            }

            return result;
        });
        Count();
    }

    /// <summary>Another name for what has been copied.</summary>
    public void AddName(in NodePath copied, in NodePath to)
    {
        NodePath first = copied;
        Make(to, "Linking", path => NodeCalls.Link(first, path));
        meter.EndFile();
    }

    /// <summary>
    /// Makes something where nothing has the name; where something has, and may be replaced, in a folder of its own, from which it is
    /// renamed: a replacement that fails, or is killed, leaves what was there.
    /// </summary>
    private void Make(in NodePath to, string verb, Func<NodePath, int> make)
    {
        int result = make(to);
        if (result == -Errno.EEXIST && (options.Overwrites || isNewTree))
        {
            using TemporaryFolder aside = TemporaryFolder.Create(to, OwnerAll, resumes: false);
            NodePath made = NodePath.In(aside.Descriptor, [.. "new\0"u8], aside.Path);
            result = make(made);
            result = result < 0 ? result : NodeCalls.Rename(made, to);
        }

        if (result < 0)
        {
            throw PathErrors.Create(result, verb, to.Text);
        }
    }

    /// <summary>A link that replaced itself, or what it leads to, would lead nowhere.</summary>
    private static void ThrowIfSame(in NodePath from, in NodePath to)
    {
        if (NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx there) < 0)
        {
            return;
        }

        bool isLink = NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx link) == 0 && IsSame(link, there);
        if (isLink || (NodeCalls.Stat(from, followsLinks: true, StatxMask.BasicStats, out Statx led) == 0 && IsSame(led, there)))
        {
            throw new IOException($"'{from.Text}' and '{to.Text}' are the same file.");
        }
    }

    private static bool IsSame(in Statx one, in Statx other) =>
        one.Ino == other.Ino && one.DevMajor == other.DevMajor && one.DevMinor == other.DevMinor;

    private void Count()
    {
        meter.Find(0);
        meter.EndFile();
    }
}
