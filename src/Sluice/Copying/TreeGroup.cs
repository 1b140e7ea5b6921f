using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>Some entries of one folder that one thread copies: names that end with a NUL, and their types (DT_*).</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeGroup(TreeFolder folder)
{
    public const int MaxEntries = Tuning.TreeGroupMaxEntries;

    /// <summary>A new group, with a reference to its folder that its copier releases.</summary>
    public static TreeGroup In(TreeFolder folder)
    {
        folder.AddReference();
        return new TreeGroup(folder);
    }

    public TreeFolder Folder => folder;

    public List<(byte[] Name, byte Type)> Entries { get; } = new(MaxEntries);
}
