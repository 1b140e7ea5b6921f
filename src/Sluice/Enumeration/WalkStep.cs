using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Enumeration;

/// <summary>A step of an enumeration: read the next piece of a directory, or the metadata of a chunk.</summary>
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

    /// <summary>Gets the path of the directory as it appears in the results, with a trailing separator.</summary>
    public string ShownPrefix { get; }

    /// <summary>Gets the maximum depth of subdirectories below this directory.</summary>
    public int Depth { get; }

    /// <summary>Gets or sets the open directory; null before it is opened and after it has been read.</summary>
    public DirectoryReader? Reader { get; set; }

    public WalkStep Below(ReadOnlySpan<char> name) => new(Path.Join(FullPath, name), string.Concat(ShownPrefix, name), Depth - 1);

    /// <summary>
    /// Returns true if an entry is a directory or a link to one. Links are resolved by their full path, so that the kernel detects loops at
    /// the same depth as for .NET.
    /// </summary>
    public bool IsFolder(ReadOnlySpan<char> name, byte type) => type switch
    {
        DirectoryReader.TypeDirectory => true,
        DirectoryReader.TypeLink or DirectoryReader.TypeUnknown =>
            NodeCalls.Stat(PathCalls.ToKernel(Path.Join(FullPath, name)), followsLinks: true, StatxMask.Type, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory,
        _ => false,
    };

    /// <summary>Closes the directory, and disposes the entries.</summary>
    public void Close()
    {
        Entries?.Dispose();
        Reader?.Release();
        Reader = null;
    }
}
