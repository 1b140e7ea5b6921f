using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Sluice.Memory;

/// <summary>
/// A ConcurrentQueue that Thread.Interrupt breaks off nowhere: each of its members may wait, for a lock or until another thread has put in
/// what it has a place for, IsEmpty too. As with <see cref="Uninterrupted"/>, the interruption is kept. Thread-safe.
/// </summary>
internal sealed class UninterruptedQueue<T>
{
    private readonly ConcurrentQueue<T> _items = new();

    public bool IsEmpty
    {
        get
        {
            // Without Untold: what this waits with, Thread.Sleep, is told to no context.
            try
            {
                Seam.Wait();
                return _items.IsEmpty;
            }
            catch (ThreadInterruptedException)
            {
                return Again(static items => items.IsEmpty);
            }
        }
    }

    public int Count
    {
        get
        {
            using Untold untold = new();
            try
            {
                Seam.Wait();
                return _items.Count;
            }
            catch (ThreadInterruptedException)
            {
                return Again(static items => items.Count);
            }
        }
    }

    /// <summary>
    /// Needs memory where a segment is full; it has not queued where .NET's throws. Where there is no memory at this moment, it waits for
    /// some.
    /// </summary>
    public void Enqueue(T item)
    {
        using Untold untold = new();
        try
        {
            Seam.Wait();
            _items.Enqueue(item);
        }
        catch (Exception e) when (e is ThreadInterruptedException or OutOfMemoryException)
        {
            EnqueueAgain(item, e is ThreadInterruptedException);
        }
    }

    /// <summary>It has taken nothing where .NET's throws.</summary>
    public bool TryDequeue([MaybeNullWhen(false)] out T item)
    {
        using Untold untold = new();
        try
        {
            Seam.Wait();
            return _items.TryDequeue(out item);
        }
        catch (ThreadInterruptedException)
        {
            (bool isThere, item) = Again(static items => (items.TryDequeue(out T? taken), taken));
            return isThere;
        }
    }

    private TResult Again<TResult>(Func<ConcurrentQueue<T>, TResult> call)
    {
        TResult result = Uninterrupted.UntilDone(_items, call);
        Thread.CurrentThread.Interrupt();
        return result;
    }

    private void EnqueueAgain(T item, bool isInterrupted)
    {
        while (true)
        {
            try
            {
                _items.Enqueue(item);
                break;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }

        Uninterrupted.Restore(isInterrupted);
    }
}
