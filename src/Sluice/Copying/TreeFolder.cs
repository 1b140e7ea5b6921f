using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>A folder of the source and its copy, both open until the last group of their files has been copied.</summary>
/// <param name="place">Where it is in the tree.</param>
/// <param name="from">The source's folder; released with this.</param>
/// <param name="toFd">The copy's folder; closed with this.</param>
/// <param name="fromText">The source's path, for people.</param>
/// <param name="toText">The copy's path, for people.</param>
[SupportedOSPlatform("linux")]
internal sealed class TreeFolder(TreePath place, DirectoryReader from, int toFd, string fromText, string toText)
{
    private int _references = 1;

    public TreePath Place => place;

    public DirectoryReader Reader => from;

    public string FromText => fromText;

    /// <summary>
    /// Whether an entry may be in the copy's folder already. If not, it is an error: the file system takes two names of the source for one
    /// (vfat, SMB, folders that fold the case), or somebody else has made it.
    /// </summary>
    public bool MayHaveEntries { get; init; }

    public NodePath From(byte[] name) => NodePath.In(from.Descriptor, name, fromText);

    public NodePath To(byte[] name) => NodePath.In(toFd, name, toText);

    /// <summary>Whether the caller leaves an entry of this folder out.</summary>
    /// <param name="exclude">Asked with the entry's path from the root of the tree.</param>
    /// <param name="name">Without a NUL.</param>
    public bool IsLeftOut(Func<string, bool>? exclude, ReadOnlySpan<byte> name) =>
        exclude is not null && exclude(NodePath.Decode(place.Below(name).ToBytes()));

    public void AddReference() => Interlocked.Increment(ref _references);

    public void Release()
    {
        if (Interlocked.Decrement(ref _references) == 0)
        {
            from.Release();
            PathCalls.Close(toFd);
        }
    }
}

/// <summary>Some entries of one folder that one thread copies: names that end with a NUL, and their types (DT_*).</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeGroup(TreeFolder folder)
{
    /// <summary>
    /// Entries of such a group: as many as most folders have, since two threads that create files in one folder wait for each other (0012).
    /// </summary>
    public const int MaxEntries = 256;

    public TreeFolder Folder => folder;

    public List<(byte[] Name, byte Type)> Entries { get; } = new(MaxEntries);
}
