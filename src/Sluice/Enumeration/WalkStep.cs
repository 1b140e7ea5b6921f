using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>What a walk has to do next: read the next piece of a folder, or ask for the details of a chunk.</summary>
internal sealed class WalkStep
{
    public WalkStep(string fullPath, string shownPath, int depth)
    {
        FullPath = fullPath;
        ShownPrefix = shownPath.Length == 0 || Path.EndsInDirectorySeparator(shownPath)
            ? shownPath
            : shownPath + Path.DirectorySeparatorChar;
        Depth = depth;
    }

    public WalkStep(EntryChunk chunk)
        : this("", "", 0) => Entries = chunk;

    public EntryChunk? Entries { get; }

    public string FullPath { get; }

    /// <summary>The folder as results show it, below what the caller named, with a separator.</summary>
    public string ShownPrefix { get; }

    /// <summary>How many levels of folders may come below.</summary>
    public int Depth { get; }

    /// <summary>The open folder; null before it is opened and when it has been read.</summary>
    public DirectoryReader? Reader { get; set; }

    public WalkStep Below(ReadOnlySpan<char> name) => new(Path.Join(FullPath, name), string.Concat(ShownPrefix, name), Depth - 1);

    /// <summary>
    /// Whether an entry is a folder. A link counts as what it leads to; asked by the whole path, so that the kernel ends loops where it
    /// does for .NET.
    /// </summary>
    public bool IsFolder(ReadOnlySpan<char> name, byte type) => type switch
    {
        DirectoryReader.TypeDirectory => true,
        DirectoryReader.TypeLink or DirectoryReader.TypeUnknown =>
            NodeCalls.Stat(PathCalls.ToKernel(Path.Join(FullPath, name)), followsLinks: true, StatxMask.Type, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory,
        _ => false,
    };

    /// <summary>Closes what it holds.</summary>
    public void Close()
    {
        Entries?.Dispose();
        Reader?.Release();
        Reader = null;
    }
}
