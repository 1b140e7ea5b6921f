using System.Runtime.ExceptionServices;
using Sluice.Memory;

namespace Sluice.Log;

/// <summary>A thread that waits. Each thread has one.</summary>
internal sealed class SyncWaiter : LogWaiter
{
    private const int Pending = 0;
    private const int Parked = 1;
    private const int Done = 2;

    [ThreadStatic]
    private static SyncWaiter? t_own;

    private readonly object _monitor = new();
    private Exception? _error;
    private int _state;

    public static SyncWaiter ForThisThread => t_own ??= new SyncWaiter();

    public bool IsDone => Volatile.Read(ref _state) == Done;

    public void Begin(long target, int ownRecords, Placed place)
    {
        (Target, OwnRecords, Place, _error) = (target, ownRecords, place, null);
        _state = Pending;
    }

    /// <summary>Says that the thread will sleep, and looks no more whether it could lead; false where the wait has ended.</summary>
    public bool TryPark() => Interlocked.CompareExchange(ref _state, Parked, Pending) == Pending;

    public override bool TryEnd(Exception? error)
    {
        _error = error;
        return Interlocked.CompareExchange(ref _state, Done, Pending) == Pending;
    }

    public override void Wake()
    {
        Volatile.Write(ref _state, Done);
        bool isInterrupted = false;
        Uninterrupted.Enter(_monitor, ref isInterrupted);
        Monitor.Pulse(_monitor);
        Monitor.Exit(_monitor);
        Uninterrupted.Restore(isInterrupted);
    }

    /// <summary>After the end: throws what the wait ended with.</summary>
    public void ThrowIfFailed()
    {
        if (_error is { } error)
        {
            _error = null;
            ExceptionDispatchInfo.Throw(error);
        }
    }

    /// <summary>Without the spinning of a semaphore: a hundred threads that spin take the time of the one they wait for.</summary>
    public void Sleep()
    {
        bool isInterrupted = false;
        Uninterrupted.Enter(_monitor, ref isInterrupted);
        try
        {
            while (!IsDone)
            {
                _ = Uninterrupted.Wait(_monitor, Timeout.Infinite, ref isInterrupted);
            }
        }
        finally
        {
            Monitor.Exit(_monitor);
        }

        Uninterrupted.Restore(isInterrupted);
    }
}
