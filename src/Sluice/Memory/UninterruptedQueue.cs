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
                return Again(0, isInterrupted: true, static (items, _) => items.IsEmpty);
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
            catch (Exception e) when (e is ThreadInterruptedException or OutOfMemoryException)
            {
                return Again(0, e is ThreadInterruptedException, static (items, _) => items.Count);
            }
        }
    }

    /// <summary>Needs memory where a segment is full, and waits for it where there is none at this moment.</summary>
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
            // It has not queued where it throws.
            _ = Again(item, e is ThreadInterruptedException, static (items, item) =>
            {
                items.Enqueue(item);
                return true;
            });
        }
    }

    public bool TryDequeue([MaybeNullWhen(false)] out T item)
    {
        using Untold untold = new();
        try
        {
            Seam.Wait();
            return _items.TryDequeue(out item);
        }
        catch (Exception e) when (e is ThreadInterruptedException or OutOfMemoryException)
        {
            // It has taken nothing where it throws.
            (bool isThere, item) = Again(0, e is ThreadInterruptedException, static (items, _) => (items.TryDequeue(out T? taken), taken));
            return isThere;
        }
    }

    private TResult Again<TArgument, TResult>(
        TArgument argument, bool isInterrupted, Func<ConcurrentQueue<T>, TArgument, TResult> call)
    {
        while (true)
        {
            try
            {
                TResult result = call(_items, argument);
                Uninterrupted.Restore(isInterrupted);
                return result;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                // .NET's locks need some as well where they are waited for.
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }
    }
}
