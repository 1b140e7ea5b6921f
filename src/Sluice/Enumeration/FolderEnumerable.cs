using System.Collections;

namespace Sluice.Enumeration;

/// <summary>
/// A walk as an enumeration. The root was opened when this was made, for its exceptions, and serves the first enumerator; others open
/// it anew. Nothing is read before an enumerator is asked for its first element.
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
