using System.Runtime.Versioning;
using System.Text;
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

    /// <summary>What an earlier copy has left in the copy's folder; null where nothing was there.</summary>
    public LeftNames? Left { get; init; }

    /// <summary>Whether each file that is copied here is written to the disk by itself.</summary>
    public bool FlushesEach { get; init; }

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

/// <summary>
/// The names in a folder of a new tree that an earlier copy has left. Whatever else has a name there was made by this copy, also where its
/// name is another one: a file system may take two names of the source for one (vfat, SMB, folders that fold the case). Thread-safe, but
/// for <see cref="Add"/>.
/// </summary>
internal sealed class LeftNames
{
    private readonly Lock _lock = new();
    private readonly HashSet<string> _names = new(StringComparer.Ordinal);

    /// <param name="name">Ends with a NUL, as in <see cref="Take"/>.</param>
    public void Add(byte[] name) => _names.Add(Encoding.Latin1.GetString(name));

    /// <summary>Whether a name is one of them, to the last byte; it is not again, since this copy puts its own there.</summary>
    public bool Take(byte[] name)
    {
        lock (_lock)
        {
            return _names.Remove(Encoding.Latin1.GetString(name));
        }
    }
}
