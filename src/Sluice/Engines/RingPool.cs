using System.Runtime.Loader;

namespace Sluice.Engines;

/// <summary>A few rings of one kind, kept between their borrowers. Thread-safe.</summary>
internal sealed class RingPool<T>
    where T : BorrowedRing
{
    private readonly Lock _lock = new();
    private readonly Stack<T> _kept;
    private readonly Func<T?> _create;
    private int _maxKept;

    /// <summary>Keeps at most <paramref name="maxKept"/>; <paramref name="create"/> makes one, or null where rings are refused.</summary>
    public RingPool(int maxKept, Func<T?> create)
    {
        _maxKept = maxKept;
        _kept = new Stack<T>(maxKept);
        _create = create;
        RingPools.Add(CloseKept);
    }

    /// <summary>A ring for the caller alone until <see cref="Return"/>; null where rings are refused.</summary>
    public T? TryRent()
    {
        using (_lock.EnterScope())
        {
            if (_kept.TryPop(out T? kept))
            {
                return kept;
            }
        }

        return _create();
    }

    /// <summary>Takes a ring back, in which nothing may be in flight.</summary>
    public void Return(T ring)
    {
        // Whoever comes from here has memory, a root and a reference to give back: an interruption must not stop it half-way.
        using (_lock.EnterScope())
        {
            if (ring.Refusal == 0 && _kept.Count < _maxKept)
            {
                _kept.Push(ring);
                return;
            }
        }

        ring.Dispose();
    }

    private void CloseKept()
    {
        using (_lock.EnterScope())
        {
            _maxKept = 0;
            while (_kept.TryPop(out T? ring))
            {
                ring.Dispose();
            }
        }
    }
}

/// <summary>All pools of rings.</summary>
internal static class RingPools
{
    // No bag of .NET's: that hangs what is added on the thread, which would hold a load context until it ends.
    private static readonly Lock ClosersLock = new();
    private static Action? s_closers;

    /// <summary>Closes the rings that nobody has borrowed, and all others when they come back.</summary>
    public static void Close()
    {
        using (ClosersLock.EnterScope())
        {
            s_closers?.Invoke();
        }
    }

    public static void Add(Action close)
    {
        using (ClosersLock.EnterScope())
        {
            s_closers += close;
        }
    }
}

/// <summary>The end of the library in a load context that can be collected; elsewhere it has none.</summary>
internal static class LibraryUnload
{
    /// <summary>Has that done when the context is being unloaded: what .NET or a thread has of the library would hold it.</summary>
    public static void Register(Action close)
    {
        if (typeof(LibraryUnload).Assembly.IsCollectible)
        {
            AddTo(close);
        }
    }

    private static void AddTo(Action close)
    {
        if (AssemblyLoadContext.GetLoadContext(typeof(LibraryUnload).Assembly) is { } context)
        {
            context.Unloading += _ => close();
        }
    }
}
