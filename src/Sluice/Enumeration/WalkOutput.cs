namespace Sluice.Enumeration;

/// <summary>What one step of a walk has found; used again for the next. For one thread.</summary>
internal sealed class WalkOutput
{
    public List<EntryChunk> Chunks { get; } = [];

    public List<WalkStep> Folders { get; } = [];

    /// <summary>Forgets everything; what is still here is closed.</summary>
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
