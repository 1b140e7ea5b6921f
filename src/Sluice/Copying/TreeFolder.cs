using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>A directory of the source and its copy. Both stay open until the last group of their files has been copied.</summary>
/// <param name="path">The path in the tree.</param>
/// <param name="from">The source directory. It is released with this object.</param>
/// <param name="toFd">The target directory. It is closed with this object.</param>
/// <param name="fromText">The path of the source, for messages.</param>
/// <param name="toText">The path of the copy, for messages.</param>
[SupportedOSPlatform("linux")]
internal sealed class TreeFolder(TreePath path, DirectoryReader from, int toFd, string fromText, string toText)
{
    private int _references = 1;

    public TreePath Path => path;

    public DirectoryReader Reader => from;

    public string FromText => fromText;

    /// <summary>
    /// Gets a value that indicates whether an entry may already exist in the target directory. If it is false, an existing entry is an
    /// error: the file system does not distinguish two names of the source (vfat, SMB, case-insensitive directories), or another process
    /// created it.
    /// </summary>
    public bool MayHaveEntries { get; init; }

    public NodePath From(byte[] name) => NodePath.In(from.Descriptor, name, fromText);

    public NodePath To(byte[] name) => NodePath.In(toFd, name, toText);

    /// <summary>Returns true if the caller excludes an entry of this directory.</summary>
    /// <param name="exclude">The caller's method. Its argument is the path of the entry relative to the root of the tree.</param>
    /// <param name="name">The name without a terminating NUL.</param>
    public bool IsExcluded(Func<string, bool>? exclude, ReadOnlySpan<byte> name) =>
        exclude is not null && exclude(NodePath.Decode(path.Below(name).ToBytes()));

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

/// <summary>Entries of one directory that one thread copies: their names, with terminating NULs, and their types (DT_*).</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeGroup(TreeFolder folder)
{
    /// <summary>
    /// The maximum number of entries of a group. Most directories have fewer, and threads that create files in the same directory wait for
    /// each other (0012).
    /// </summary>
    public const int MaxEntries = 256;

    public TreeFolder Folder => folder;

    public List<(byte[] Name, byte Type)> Entries { get; } = new(MaxEntries);
}
