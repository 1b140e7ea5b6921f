namespace Sluice.Engines;

/// <summary>Keeps some unused rings of one kind. Thread-safe.</summary>
/// <param name="maxKept">The maximum number of rings that are kept.</param>
/// <param name="create">Creates a ring; returns null if there can be none.</param>
internal sealed class RingPool<T>(int maxKept, Func<T?> create)
    where T : BorrowedRing
{
    private readonly Lock _lock = new();
    private readonly Stack<T> _kept = new(maxKept);

    /// <summary>Returns a kept or new ring that only the caller uses until <see cref="Return"/>; null if none can be created.</summary>
    public T? TryRent()
    {
        lock (_lock)
        {
            if (_kept.TryPop(out T? kept))
            {
                return kept;
            }
        }

        return create();
    }

    /// <summary>Keeps a ring in which nothing is in flight, or disposes it if it is refused or enough are kept.</summary>
    public void Return(T ring)
    {
        lock (_lock)
        {
            if (ring.Refusal == 0 && _kept.Count < maxKept)
            {
                _kept.Push(ring);
                return;
            }
        }

        ring.Dispose();
    }
}
