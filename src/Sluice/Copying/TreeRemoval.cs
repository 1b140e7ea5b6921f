using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Removes trees: any names, of any depth, and never through a link.</summary>
[SupportedOSPlatform("linux")]
internal static class TreeRemoval
{
    /// <summary>Removes a folder with all that is below it; 0, or the first negative errno.</summary>
    public static int Remove(in NodePath folder)
    {
        int fd = PathCalls.Open(folder, TreeRoot.FolderFlags);
        int result = Empty(fd, folder.Text);
        return result < 0 ? result : NodeCalls.RemoveDirectory(folder);
    }

    /// <summary>Removes what is in a folder, and closes it; 0, or the first negative errno.</summary>
    /// <param name="fd">The folder; where it could not be opened, the negative errno, which is the answer then.</param>
    /// <param name="text">Its path, for people.</param>
    public static int Empty(int fd, string text)
    {
        if (fd < 0)
        {
            return fd;
        }

        using TreeRoot root = new(fd, text);
        Stack<(TreePath Folder, bool IsEmpty)> due = new();
        due.Push((TreePath.Root, false));
        int first = 0;
        while (due.TryPop(out (TreePath Folder, bool IsEmpty) next))
        {
            int result = next.IsEmpty ? RemoveFolder(root, next.Folder) : RemoveEntries(root, next.Folder, due);
            first = first == 0 ? Math.Min(result, 0) : first;
        }

        return first;
    }

    private static int RemoveFolder(TreeRoot root, TreePath folder)
    {
        int parent = root.OpenParent(folder, out byte[] name);
        if (parent < 0)
        {
            return parent;
        }

        int result = NodeCalls.RemoveDirectory(NodePath.In(parent, name, ""));
        PathCalls.Close(parent);
        return result;
    }

    private static int RemoveEntries(TreeRoot root, TreePath folder, Stack<(TreePath Folder, bool IsEmpty)> due)
    {
        int fd = root.Open(folder);
        if (fd < 0)
        {
            fd = OpenAllowed(root, folder, fd);
            if (fd < 0)
            {
                return fd;
            }
        }

        Allow(fd);
        if (!folder.IsRoot)
        {
            due.Push((folder, true));
        }

        // The names first: what is removed while a folder is read may hide others.
        DirectoryReader reader = DirectoryReader.Of(fd);
        List<(byte[] Name, byte Type)> entries = [];
        int result;
        while ((result = reader.Refill()) > 0)
        {
            while (reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
            {
                entries.Add(([.. name, 0], type));
            }
        }

        foreach ((byte[] name, byte type) in entries)
        {
            int removed = type == DirectoryReader.TypeDirectory ? -Errno.EISDIR : NodeCalls.Unlink(NodePath.In(fd, name, ""));
            if (removed == -Errno.EISDIR)
            {
                due.Push((folder.Below(name.AsSpan(0, name.Length - 1)), false));
            }
            else
            {
                result = result < 0 ? result : removed;
            }
        }

        reader.Release();
        return result;
    }

    /// <summary>A copy may have come to a folder's own mode, which may keep us out.</summary>
    private static int OpenAllowed(TreeRoot root, TreePath folder, int error)
    {
        if (error != -Errno.EACCES || folder.IsRoot)
        {
            return error;
        }

        int parent = root.OpenParent(folder, out byte[] name);
        if (parent < 0)
        {
            return parent;
        }

        // O_PATH needs no permission.
        int node = PathCalls.OpenAt(parent, name, TreeRoot.FolderFlags | PathCalls.PathOnly);
        int result = node < 0 ? node : NodeCalls.SetMode(node, ModeBits.OwnerAll);
        result = result < 0 ? result : PathCalls.OpenAt(parent, name, TreeRoot.FolderFlags);
        if (node >= 0)
        {
            PathCalls.Close(node);
        }

        PathCalls.Close(parent);
        return result;
    }

    private static void Allow(int fd)
    {
        if (Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && (stat.Mode & ModeBits.OwnerAll) != ModeBits.OwnerAll)
        {
            _ = NodeCalls.SetMode(fd, (stat.Mode & ModeBits.All) | ModeBits.OwnerAll); // What then cannot be removed is reported.
        }
    }
}
