using System.Runtime.ExceptionServices;
using Sluice.Memory;

namespace Sluice.Log;

/// <summary>A thread that waits. Each thread has one.</summary>
#pragma warning disable CA1001 // Nobody asks the semaphore for a wait handle, and only that would have to be disposed.
internal sealed class SyncWaiter : LogWaiter
#pragma warning restore CA1001
{
    private const int Pending = 0;
    private const int Parked = 1;
    private const int Done = 2;

    /// <summary>About 3 us, where a second processor may be writing just now.</summary>
    private const int Spins = 100;

    [ThreadStatic]
    private static SyncWaiter? t_own;

    private readonly SemaphoreSlim _parking = new(0);
    private Exception? _error;
    private int _state;

    public static SyncWaiter ForThisThread => t_own ??= new SyncWaiter();

    public void Begin(long target, int ownRecords, Placed place)
    {
        (Target, OwnRecords, Place, _error) = (target, ownRecords, place, null);
        _state = Pending;
    }

    public bool IsDone => Volatile.Read(ref _state) == Done;

    public override void Complete(Exception? error)
    {
        _error = error;
        if (Interlocked.Exchange(ref _state, Done) == Parked)
        {
            _parking.Release();
        }
    }

    /// <summary>Waits for the end, and throws what it ended with.</summary>
    public void Wait()
    {
        for (int i = 0; i < Spins && Environment.ProcessorCount > 1 && !IsDone; i++)
        {
            Thread.SpinWait(1);
        }

        if (!IsDone && Interlocked.CompareExchange(ref _state, Parked, Pending) == Pending)
        {
            _parking.WaitUninterrupted();
        }

        if (_error is { } error)
        {
            _error = null;
            ExceptionDispatchInfo.Throw(error);
        }
    }
}
