using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>Some entries of one folder that one thread copies: names that end with a NUL, and their types (DT_*).</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeGroup(TreeFolder folder)
{
    public const int MaxEntries = Tuning.TreeGroupMaxEntries;

    public TreeFolder Folder => folder;

    public List<(byte[] Name, byte Type)> Entries { get; } = new(MaxEntries);
}
