using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Where a path leads: a folder, open, and a name in it. The kernel goes the way to the folder; from there on nothing that is done to
/// names above it leads elsewhere.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TargetLocation : IDisposable
{
    private const int MaxLinks = 40;
    private const uint Sticky = 0x200;
    private const uint OthersMayWrite = 0x2;

    private TargetLocation(int folderFd, byte[] name, string folder)
    {
        FolderFd = folderFd;
        Path = NodePath.In(folderFd, name, folder);
    }

    /// <summary>The folder, to name what is in it (O_PATH): without the right to list it.</summary>
    public int FolderFd { get; }

    public NodePath Path { get; }

    /// <summary>Gets a value that indicates whether nothing had the name when the path was resolved.</summary>
    public bool IsFree { get; private set; }

    /// <summary>A full path with what its last name leads to, where that is a symbolic link: the link stays one.</summary>
    public static TargetLocation Resolve(string path, string verb)
    {
        TargetLocation at = Open(path, verb);
        try
        {
            int links = 0;
            for (; ; links++)
            {
                int node = PathCalls.Open(at.Path, PathCalls.PathOnly | PathCalls.NoFollowFlag);
                if (node == -Errno.ENOENT)
                {
                    at.IsFree = true;
                    break;
                }

                PathErrors.ThrowIfFailed(node, verb, path);
                using Descriptor opened = new(node);
                PathErrors.ThrowIfFailed(Libc.Stat(node, StatxMask.BasicStats, out Statx stat), verb, path);
                if ((stat.Mode & Statx.TypeMask) != Statx.TypeLink)
                {
                    break;
                }

                PathErrors.ThrowIfFailed(links == MaxLinks ? -Errno.ELOOP : 0, verb, path);
                at.ThrowIfPlanted(stat, verb);
                TargetLocation next = at.Follow(node, verb, path);
                at.Dispose();
                at = next;
            }

            if (links > 0)
            {
                at.ThrowIfNameless(path, verb);
            }

            return at;
        }
        catch
        {
            at.Dispose();
            throw;
        }
    }

    /// <summary>A full path as it is: a link that has its last name is not followed.</summary>
    public static TargetLocation Open(string path, string verb)
    {
        string name = System.IO.Path.GetFileName(path);
        if (name.Length == 0)
        {
            throw new UnauthorizedAccessException($"{verb} '{path}' failed: it is a folder.");
        }

        string folder = System.IO.Path.GetDirectoryName(path)!;
        int fd = PathCalls.Open(PathCalls.ToKernel(folder), PathCalls.PathOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, verb, path);
        return new TargetLocation(fd, PathCalls.ToKernel(name), folder);
    }

    /// <summary>Whether a folder is this one's folder, or above it.</summary>
    public bool IsInside(in Statx folder)
    {
        Descriptor at = new(PathCalls.OpenAt(FolderFd, ".\0"u8, PathCalls.PathOnly | PathCalls.DirectoryFlag));
        try
        {
            Statx below = default;
            while (at.Fd >= 0 && Libc.Stat(at.Fd, StatxMask.BasicStats, out Statx stat) == 0 && !stat.IsSame(below))
            {
                if (stat.IsSame(folder))
                {
                    return true;
                }

                below = stat;
                Descriptor above = new(PathCalls.OpenAt(at.Fd, "..\0"u8, PathCalls.PathOnly | PathCalls.DirectoryFlag));
                at.Dispose();
                at = above;
            }

            return false;
        }
        finally
        {
            at.Dispose();
        }
    }

    /// <summary>
    /// Makes the folder's names durable; by way of the whole file system where the folder may not be opened (mode 0300).
    /// </summary>
    /// <param name="fd">Something open on the same file system, and not by O_PATH; -1 where there is nothing.</param>
    public void Flush(int fd = -1)
    {
        using Descriptor folder = new(PathCalls.OpenAt(FolderFd, ".\0"u8, PathCalls.ReadOnly | PathCalls.DirectoryFlag));
        int result = folder.Fd < 0 ? FlushFileSystem(fd) : Libc.Flush(folder.Fd);
        PathErrors.ThrowIfFailed(OpenFile.IsUnflushable(-result) ? 0 : result, "Writing the folder to the disk of", Path.Text);
    }

    /// <summary>
    /// As the kernel with fs.protected_symlinks and fs.protected_regular, be they on or off: in a folder like /tmp only links and files of
    /// one's own, or of the folder's owner, are used.
    /// </summary>
    public void ThrowIfPlanted(in Statx node, string verb)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(FolderFd, StatxMask.BasicStats, out Statx folder), verb, Path.Text);
        bool isShared = (folder.Mode & Sticky) != 0 && (folder.Mode & OthersMayWrite) != 0;
        if (isShared && node.Uid != NodeCalls.EffectiveUser && node.Uid != folder.Uid)
        {
            string kind = (node.Mode & Statx.TypeMask) switch
            {
                Statx.TypeLink => "link",
                Statx.TypeDirectory => "folder",
                _ => "file",
            };
            throw new UnauthorizedAccessException(
                $"{verb} '{Path.Text}' failed: it is another user's {kind} in a folder that everybody may write to.");
        }
    }

    public void Dispose() => PathCalls.Close(FolderFd);

    private int FlushFileSystem(int fd)
    {
        if (fd >= 0)
        {
            return CopyCalls.FlushFileSystem(fd);
        }

        // Whoever has just made a name here may make a file.
        using TemporaryFile file = TemporaryFile.Create(Path, ModeBits.OwnerReadWrite);
        return CopyCalls.FlushFileSystem(file.Descriptor);
    }

    /// <summary>
    /// Follows a link, which is open, one step: what it says is taken from the link that was looked at, and not from what has its name now.
    /// </summary>
    private TargetLocation Follow(int link, string verb, string path)
    {
        byte[] content = NodeCalls.ReadSymbolicLink(NodePath.In(link, [0], ""), out int errno)
            ?? throw PathErrors.Create(errno, verb, path);
        ReadOnlySpan<byte> text = content.AsSpan(0, content.Length - 1);
        int slash = text.LastIndexOf((byte)'/');
        byte[] name = [.. text[(slash + 1)..], 0];
        if (name is [0] or [(byte)'.', 0] or [(byte)'.', (byte)'.', 0])
        {
            throw new UnauthorizedAccessException($"{verb} '{path}' failed: it is a folder.");
        }

        byte[] folder = slash < 0 ? [.. ".\0"u8] : [.. text[..Math.Max(slash, 1)], 0];
        int fd = PathCalls.OpenAt(FolderFd, folder, PathCalls.PathOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, verb, path);
        string above = System.IO.Path.GetDirectoryName(Path.Text) ?? "/";
        return new TargetLocation(fd, name, System.IO.Path.Combine(above, NodePath.Decode(folder.AsSpan(0, folder.Length - 1))));
    }

    /// <summary>Some links lead where their text does not: those of /proc, to a file whose name is gone.</summary>
    private void ThrowIfNameless(string path, string verb)
    {
        NodePath whole = NodePath.Of(path);
        if (NodeCalls.Stat(Path, followsLinks: false, StatxMask.Type, out _) == -Errno.ENOENT
            && NodeCalls.Stat(whole, followsLinks: true, StatxMask.Type, out _) == 0
            && NodeCalls.Stat(Path, followsLinks: false, StatxMask.Type, out _) == -Errno.ENOENT)
        {
            throw new IOException($"{verb} '{path}' failed: it leads to a file that has no name.");
        }
    }
}
