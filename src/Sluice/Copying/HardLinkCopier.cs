using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies files with several hard links: the first link is copied as a file, the others become hard links to the copy. Runs after all other
/// entries, on one thread, and opens the directories again.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class HardLinkCopier(CopyOptions options, CopyFailures failures, CancellationToken cancellationToken)
{
    private readonly Lock _lock = new();
    private readonly List<HardLinkName> _names = [];

    /// <summary>Adds one link, unless the copy is a shard. Thread-safe.</summary>
    /// <param name="folder">The directory that contains the link.</param>
    /// <param name="name">The name, with a terminating NUL.</param>
    /// <param name="stat">The state of the file.</param>
    public void Add(TreeFolder folder, byte[] name, in Statx stat)
    {
        if (options.Shard is not null)
        {
            // Other links may belong to other shards. The final copy of the whole tree creates all links.
            return;
        }

        lock (_lock)
        {
            _names.Add(new HardLinkName(folder.Path, name, stat, folder.MayHaveEntries));
        }
    }

    /// <summary>Copies all links that were added.</summary>
    public void Copy(TreeRoot fromRoot, TreeRoot toRoot, TreeEntryCopier entries)
    {
        Dictionary<(ulong, uint, uint), (HardLinkName Name, Statx Copy)> copies = [];
        foreach (HardLinkName node in _names)
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return;
            }

            string text = Path.Join(fromRoot.Text(node.Folder), NodePath.Decode(node.Name.AsSpan(0, node.Name.Length - 1)));
            using Descriptor fromFolder = new(fromRoot.Open(node.Folder));
            using Descriptor toFolder = new(toRoot.Open(node.Folder));
            try
            {
                PathErrors.ThrowIfFailed(Math.Min(fromFolder.Fd, toFolder.Fd), "Opening the folder of", text);
                NodePath from = NodePath.In(fromFolder.Fd, node.Name, fromRoot.Text(node.Folder));
                NodePath to = NodePath.In(toFolder.Fd, node.Name, toRoot.Text(node.Folder));
                (ulong, uint, uint) number = (node.Stat.Ino, node.Stat.DevMajor, node.Stat.DevMinor);
                if (copies.TryGetValue(number, out (HardLinkName Name, Statx Copy) first) && node.IsStillAt(from))
                {
                    string firstFolder = toRoot.Text(first.Name.Folder);
                    using Descriptor folder = new(toRoot.Open(first.Name.Folder));
                    PathErrors.ThrowIfFailed(folder.Fd, "Opening the folder", firstFolder);
                    entries.AddHardLink(NodePath.In(folder.Fd, first.Name.Name, firstFolder), first.Copy, to, node.MayExist);
                    continue;
                }

                Statx? made = entries.CopyFirst(from, to, node.Stat, node.MayExist);
                int result = NodeCalls.Stat(to, followsLinks: false, StatxMask.BasicStats, out Statx found);
                PathErrors.ThrowIfFailed(made is null ? result : 0, "Looking at the copy", to.Text);
                copies[number] = (node, made ?? found);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures.Add(text, e);
            }
        }
    }
}

/// <summary>
/// One link of a file with several hard links: its directory, its name with a terminating NUL, and whether the target may already exist.
/// </summary>
[SupportedOSPlatform("linux")]
internal readonly record struct HardLinkName(TreePath Folder, byte[] Name, Statx Stat, bool MayExist)
{
    /// <summary>Returns true if the name still refers to the same file. The inode number may have been reused.</summary>
    public bool IsStillAt(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx now) == 0
        && now.IsSame(Stat)
        && now.Ctime.Seconds == Stat.Ctime.Seconds && now.Ctime.Nanoseconds == Stat.Ctime.Nanoseconds;
}
