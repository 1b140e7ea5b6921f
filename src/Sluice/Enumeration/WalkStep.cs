using Sluice.Interop;

namespace Sluice.Enumeration;

/// <summary>What a walk has to do next: read a folder, or ask for the details of a chunk.</summary>
internal sealed class WalkStep
{
    public WalkStep(string fullPath, string shownPath, int depth)
    {
        FullPath = fullPath;
        ShownPath = shownPath;
        ShownPrefix = shownPath.Length == 0 || Path.EndsInDirectorySeparator(shownPath) ? shownPath : shownPath + Path.DirectorySeparatorChar;
        Depth = depth;
    }

    public WalkStep(EntryChunk chunk)
        : this("", "", 0) => Chunk = chunk;

    public EntryChunk? Chunk { get; }

    public string FullPath { get; }

    /// <summary>The path as results show it: below what the caller named.</summary>
    public string ShownPath { get; }

    public string ShownPrefix { get; }

    /// <summary>How many levels of folders may come below.</summary>
    public int Depth { get; }

    /// <summary>The open folder; null before it is opened.</summary>
    public DirectoryReader? Reader { get; set; }

    public WalkStep Below(ReadOnlySpan<char> name) => new(Path.Join(FullPath, name), string.Concat(ShownPrefix, name), Depth - 1);
}
