using System.Collections;

namespace Sluice.Enumeration;

/// <summary>
/// A walk as an enumeration. The walk that was begun when it was made, for its exceptions, serves the first enumerator; others begin
/// their own. One that is never enumerated is ended by the collector.
/// </summary>
internal sealed class Restartable<T>(FolderWalk first, Func<FolderWalk?> start, Func<EntryChunk, IReadOnlyList<T>> select) : IEnumerable<T>
{
    private FolderWalk? _first = first;

    ~Restartable() => Interlocked.Exchange(ref _first, null)?.Abandon();

    public IEnumerator<T> GetEnumerator() =>
        Walk(Interlocked.Exchange(ref _first, null) ?? start() ?? throw new DirectoryNotFoundException("The folder is gone."));

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private IEnumerator<T> Walk(FolderWalk walk)
    {
        using FolderWalk _ = walk;
        foreach (EntryChunk chunk in walk.FirstChunks)
        {
            foreach (T item in select(chunk))
            {
                yield return item;
            }
        }

        // Blocks this thread, as a synchronous enumeration does; the workers never wait for it but in their queue.
        while (walk.Chunks.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
        {
            while (walk.Chunks.TryRead(out EntryChunk? chunk))
            {
                foreach (T item in select(chunk))
                {
                    yield return item;
                }
            }
        }
    }
}
