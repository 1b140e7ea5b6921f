namespace Sluice.Enumeration;

/// <summary>The result of one step of an enumeration. Reused for the next step. Used by one thread.</summary>
internal sealed class WalkOutput
{
    public List<EntryChunk> Chunks { get; } = [];

    public List<WalkStep> Folders { get; } = [];

    /// <summary>Removes all results and closes the directories in them.</summary>
    public void Discard()
    {
        Chunks.ForEach(static chunk => chunk.Dispose());
        Clear();
    }

    public void Clear()
    {
        Chunks.Clear();
        Folders.Clear();
    }
}
