using System.Collections;

namespace Sluice.Enumeration;

/// <summary>
/// An enumeration of a directory tree. The root was opened before, so that the call reports errors, and is used by the first enumerator;
/// others open it again. Nothing is read before the first element is requested.
/// </summary>
internal sealed class FolderEnumerable<T>(FolderQuery query, FolderWalk first, Func<EntryChunk, int, T> select) : IEnumerable<T>
{
    private FolderWalk? _first = first;

    public IEnumerator<T> GetEnumerator() => Walk(Interlocked.Exchange(ref _first, null) ?? FolderWalk.Open(query));

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private IEnumerator<T> Walk(FolderWalk walk)
    {
        using FolderWalk _ = walk;
        while (walk.Next() is { } chunk)
        {
            using EntryChunk held = chunk;
            for (int i = 0; i < chunk.Count; i++)
            {
                yield return select(chunk, i);
            }
        }
    }
}
