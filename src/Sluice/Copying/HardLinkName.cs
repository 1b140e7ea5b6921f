using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// One of the names of what has several: its folder, and its name there, ended by a NUL.
/// </summary>
[SupportedOSPlatform("linux")]
internal readonly record struct HardLinkName(TreePath Folder, byte[] Name, Statx Stat)
{
    /// <summary>
    /// Those first that are in the copy already: a shard has copied one that had no other names then, or a FinishCopyAsync that was
    /// killed has come so far. The others become names of these.
    /// </summary>
    public static IEnumerable<HardLinkName> FoundFirst(IEnumerable<HardLinkName> names, TreeRoot copy) =>
        names.OrderBy(n => n.IsIn(copy) ? 0 : 1);

    private bool IsIn(TreeRoot copy)
    {
        using Descriptor folder = new(copy.Open(Folder));
        return folder.Fd >= 0
            && NodeCalls.Stat(NodePath.In(folder.Fd, Name, ""), followsLinks: false, StatxMask.Type, out _) == 0;
    }
}
