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
    /// <param name="mayReplace">Whether the copy may take the place of what is there.</param>
    public void Add(TreeFolder folder, byte[] name, in Statx stat, bool mayReplace)
    {
        if (options.Shard is not null)
        {
            // Its other names may be other shards': whoever finishes the copy sees them all.
            return;
        }

        lock (_lock)
        {
            _names.Add(new HardLinkName(folder.Place, name, stat, mayReplace));
        }
    }

    /// <summary>Copies all that were added.</summary>
    public void Copy(TreeRoot fromRoot, TreeRoot toRoot, TreeEntryCopier entries)
    {
        Dictionary<(ulong, uint, uint), (HardLinkName Name, Statx Copy)> copies = [];
        foreach (HardLinkName node in options.IsFinish ? HardLinkName.FoundFirst(_names, toRoot) : _names)
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
                    entries.AddName(
                        NodePath.In(folder.Fd, first.Name.Name, place), first.Copy, from, node.Stat, to, node.MayReplace);
                    continue;
                }

                Statx? made = entries.CopyFirst(from, to, node.Stat, node.MayReplace);
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
/// One of the names of what has several: its folder, its name there, ended by a NUL, and whether its copy may replace what is there.
/// </summary>
[SupportedOSPlatform("linux")]
internal readonly record struct HardLinkName(TreePath Folder, byte[] Name, Statx Stat, bool MayReplace)
{
    /// <summary>
    /// Those first that are in the copy already: a shard has copied one that had no other names then, or a FinishCopyAsync that was
    /// killed has come so far. The others become names of these.
    /// </summary>
    public static IEnumerable<HardLinkName> FoundFirst(IEnumerable<HardLinkName> names, TreeRoot copy) =>
        names.OrderBy(n => n.IsIn(copy) ? 0 : 1);

    /// <summary>
    /// Whether a name still leads to the file that it was seen to lead to: a number may have been given to another file since.
    /// </summary>
    public bool IsStill(in NodePath path) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx now) == 0
        && now.IsSame(Stat)
        && now.Ctime.Seconds == Stat.Ctime.Seconds && now.Ctime.Nanoseconds == Stat.Ctime.Nanoseconds;

    private bool IsIn(TreeRoot copy)
    {
        using Descriptor folder = new(copy.Open(Folder));
        return folder.Fd >= 0
            && NodeCalls.Stat(NodePath.In(folder.Fd, Name, ""), followsLinks: false, StatxMask.Type, out _) == 0;
    }
}
