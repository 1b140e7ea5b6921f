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

    public void CopyLink(string from, string to)
    {
        byte[] kernelFrom = PathCalls.ToKernel(from);
        byte[]? content = NodeCalls.ReadSymbolicLink(kernelFrom, out int errno);
        PathErrors.ThrowIfFailed(errno, "Reading the link", from);
        ThrowIfSame(from, kernelFrom, to);
        Make(to, "Making the link", options.Overwrites || isNewTree, path =>
        {
            int result = NodeCalls.MakeSymbolicLink(content, path);
            if (result == 0 && options.KeepsMetadata && NodeCalls.Stat(kernelFrom, followsLinks: false, StatxMask.BasicStats, out Statx stat) == 0)
            {
                // As cp: an owner that may not be given stays ours.
                _ = NodeCalls.SetOwner(path, stat.Uid, stat.Gid);
                _ = NodeCalls.SetTimes(path, stat);
            }

            return result;
        });
        Count();
    }

    public void MakeNode(string to, in Statx stat)
    {
        Statx like = stat;
        Make(to, $"Making the {NodeCalls.KindOf(stat)}", options.Overwrites || isNewTree, path =>
        {
            int result = NodeCalls.MakeNode(path, like);
            if (result == 0 && options.KeepsMetadata)
            {
                // As with links: an owner that may not be given stays ours. The mode after it, since a change of owner takes bits away.
                _ = NodeCalls.SetOwner(path, like.Uid, like.Gid);
                PathErrors.ThrowIfFailed(NodeCalls.SetMode(path, like.Mode & AllPermissionBits), "Keeping the permissions of", to);
                _ = NodeCalls.SetTimes(path, like);
            }

            return result;
        });
        Count();
    }

    /// <summary>Another name for a file that has been copied.</summary>
    public void AddName(string copied, string to)
    {
        byte[] kernelCopied = PathCalls.ToKernel(copied);
        Make(to, "Linking", options.Overwrites || isNewTree, path => NodeCalls.Link(kernelCopied, path));
        meter.EndFile();
    }

    /// <summary>
    /// Makes something where nothing has the name; where something has, and may be replaced, in a folder of its own, from which it is
    /// renamed: a replacement that fails, or is killed, leaves what was there.
    /// </summary>
    private static void Make(string to, string verb, bool replaces, Func<byte[], int> make)
    {
        byte[] kernelTo = PathCalls.ToKernel(to);
        int result = make(kernelTo);
        if (result == -Errno.EEXIST && replaces)
        {
            using TemporaryFolder aside = TemporaryFolder.Create(to, OwnerAll, resumes: false);
            byte[] kernelAside = PathCalls.ToKernel(Path.Join(aside.Path, "new"));
            result = make(kernelAside);
            result = result < 0 ? result : NodeCalls.Rename(kernelAside, kernelTo);
        }

        PathErrors.ThrowIfFailed(result, verb, to);
    }

    /// <summary>A link that replaced itself, or what it leads to, would lead nowhere.</summary>
    private static void ThrowIfSame(string from, byte[] kernelFrom, string to)
    {
        if (NodeCalls.Stat(PathCalls.ToKernel(to), followsLinks: false, StatxMask.BasicStats, out Statx there) < 0)
        {
            return;
        }

        bool isLink = NodeCalls.Stat(kernelFrom, followsLinks: false, StatxMask.BasicStats, out Statx link) == 0 && IsSame(link, there);
        if (isLink || (NodeCalls.Stat(kernelFrom, followsLinks: true, StatxMask.BasicStats, out Statx led) == 0 && IsSame(led, there)))
        {
            throw new IOException($"'{from}' and '{to}' are the same file.");
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
