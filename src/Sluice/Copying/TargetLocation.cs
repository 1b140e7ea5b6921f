using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// The location of a target: an open directory and a name in it. Later renames and links in the path above the directory have no effect.
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

    /// <summary>
    /// Gets the descriptor of the directory. It is opened with O_PATH, which does not require permission to list the directory.
    /// </summary>
    public int FolderFd { get; }

    public NodePath Path { get; }

    /// <summary>
    /// Gets the regular file that had the name when the path was resolved, or null if nothing had it. It is closed with this object.
    /// </summary>
    public OldFile? Existing { get; private set; }

    /// <summary>
    /// Resolves a full path. If its last component is a symbolic link, the result is the location to which the link leads.
    /// </summary>
    /// <exception cref="IOException">The entry at the location is not a regular file.</exception>
    /// <exception cref="UnauthorizedAccessException">The entry at the location is a directory.</exception>
    public static TargetLocation Resolve(string path, string verb)
    {
        TargetLocation at = Open(path, verb);
        try
        {
            int links = 0;
            for (; ; links++)
            {
                OldFile? node = OldFile.TryFind(at.Path, verb);
                if (node is not { IsLink: true })
                {
                    at.Existing = node;
                    break;
                }

                using OldFile link = node;
                PathErrors.ThrowIfFailed(links == MaxLinks ? -Errno.ELOOP : 0, verb, path);
                at.ThrowIfPlanted(link.Stat, verb);
                TargetLocation next = at.Follow(link.Descriptor, verb, path);
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

    /// <summary>Opens the directory of a full path. If the last component is a symbolic link, it is not followed.</summary>
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

    /// <summary>Returns true if the location is inside the directory <paramref name="folder"/>.</summary>
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
    /// Makes the names in the directory durable. If the directory cannot be opened for reading (mode 0300), flushes the whole file system.
    /// </summary>
    /// <param name="fd">A descriptor of an open file on the same file system, not opened with O_PATH, or -1.</param>
    public void Flush(int fd = -1)
    {
        using Descriptor folder = new(PathCalls.OpenAt(FolderFd, ".\0"u8, PathCalls.ReadOnly | PathCalls.DirectoryFlag));
        int result = folder.Fd >= 0 ? Libc.Flush(folder.Fd) : fd >= 0 ? CopyCalls.FlushFileSystem(fd) : folder.Fd;
        PathErrors.ThrowIfFailed(OpenFile.IsUnflushable(-result) ? 0 : result, "Writing the folder to the disk of", Path.Text);
    }

    /// <summary>
    /// Throws an exception under the conditions of fs.protected_symlinks and fs.protected_regular, regardless of these settings: in a
    /// directory like /tmp, only links and files of the effective user or of the directory's owner are used.
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

    public void Dispose()
    {
        Existing?.Dispose();
        PathCalls.Close(FolderFd);
    }

    /// <summary>
    /// Follows an open link by one step. The content of the open link is used, because its name may refer to another entry now.
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

    /// <summary>Throws an exception if a link leads to a file without a name, as links in /proc can.</summary>
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
