using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// What has several names in a tree: the first is copied, the others are made names of the copy. After everything else, on one thread; the
/// folders of both trees are opened anew.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class HardLinkCopier(CopyOptions options, CopyFailures failures, CancellationToken cancellationToken)
{
    private readonly Lock _lock = new();
    private readonly List<HardLinkName> _names = [];

    /// <summary>One of its names. Thread-safe.</summary>
    /// <param name="folder">Where it is.</param>
    /// <param name="name">The name, ended by a NUL.</param>
    /// <param name="stat">What has it.</param>
    public void Add(TreeFolder folder, byte[] name, in Statx stat)
    {
        if (options.Shard is not null)
        {
            // Its other names may be other shards': a copy of the whole tree sees them all.
            return;
        }

        lock (_lock)
        {
            _names.Add(new HardLinkName(folder.Place, name, stat, folder.MayHaveEntries));
        }
    }

    /// <summary>Copies all that were added.</summary>
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
                PathErrors.ThrowIfFailed(Math.Min(Math.Min(fromFolder.Fd, toFolder.Fd), 0), "Opening the folder of", text);
                NodePath from = NodePath.In(fromFolder.Fd, node.Name, fromRoot.Text(node.Folder));
                NodePath to = NodePath.In(toFolder.Fd, node.Name, toRoot.Text(node.Folder));
                (ulong, uint, uint) number = (node.Stat.Ino, node.Stat.DevMajor, node.Stat.DevMinor);
                if (copies.TryGetValue(number, out (HardLinkName Name, Statx Copy) first) && node.IsStill(from))
                {
                    string place = toRoot.Text(first.Name.Folder);
                    using Descriptor folder = new(toRoot.Open(first.Name.Folder));
                    PathErrors.ThrowIfFailed(Math.Min(folder.Fd, 0), "Opening the folder", place);
                    entries.AddName(NodePath.In(folder.Fd, first.Name.Name, place), first.Copy, to, node.MayBeThere);
                    continue;
                }

                Statx? made = entries.CopyFirst(from, to, node.Stat, node.MayBeThere);
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
/// One of the names of what has several: its folder, its name there, ended by a NUL, and whether something may have its copy's name.
/// </summary>
[SupportedOSPlatform("linux")]
internal readonly record struct HardLinkName(TreePath Folder, byte[] Name, Statx Stat, bool MayBeThere)
{
    /// <summary>
    /// Whether a name still leads to the file that it was seen to lead to: a number may have been given to another file since.
    /// </summary>
    public bool IsStill(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx now) == 0
        && now.IsSame(Stat)
        && now.Ctime.Seconds == Stat.Ctime.Seconds && now.Ctime.Nanoseconds == Stat.Ctime.Nanoseconds;
}
