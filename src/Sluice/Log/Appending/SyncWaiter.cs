using System.Runtime.ExceptionServices;
using Sluice.Kernel;

namespace Sluice.Log.Appending;

/// <summary>A waiting thread. Each thread reuses one object for its waits.</summary>
internal sealed class SyncWaiter : LogWaiter
{
    private const int Pending = 0;
    private const int Parked = 1;
    private const int Done = 2;

    /// <summary>The unused waiter of the thread, so that a durable append neither allocates one nor takes a lock.</summary>
    [ThreadStatic]
    private static SyncWaiter? t_own;

    private readonly FutexWord _state = new();

    /// <summary>Used if there is no futex.</summary>
    private readonly object? _monitor = FutexWord.IsSupported ? null : new object();
    private Exception? _error;

    /// <summary>Returns an unused waiter.</summary>
    public static SyncWaiter Rent()
    {
        SyncWaiter waiter = t_own ?? new SyncWaiter();
        t_own = null;
        return waiter;
    }

    /// <summary>Keeps the waiter for this thread's next wait, unless the wait has not ended: a list may still contain the waiter.</summary>
    public void Return()
    {
        if (IsDone)
        {
            t_own = this;
        }
    }

    public bool IsDone => Volatile.Read(ref _state.Value) == Done;

    /// <param name="target">The last sequence number to wait for.</param>
    /// <param name="ownRecords">The number of the caller's own records.</param>
    /// <param name="reserved">The space of these records.</param>
    public void Begin(long target, int ownRecords, in PageReservation reserved)
    {
        (Target, OwnRecords, Reservation, _error) = (target, ownRecords, reserved, null);
        _state.Value = Pending;
    }

    public override bool TryEnd(Exception? error)
    {
        _error = error;
        return Interlocked.CompareExchange(ref _state.Value, Done, Pending) == Pending;
    }

    public override void Wake()
    {
        // From here on the thread may continue and begin another wait. A thread that is woken checks its own state.
        Volatile.Write(ref _state.Value, Done);
        if (_monitor is null)
        {
            _state.Wake();
            return;
        }

        lock (_monitor)
        {
            Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Throws the error of the wait, if there is one. Called after the wait has ended.</summary>
    public void ThrowIfFailed()
    {
        if (_error is { } error)
        {
            _error = null;
            ExceptionDispatchInfo.Throw(error);
        }
    }

    /// <summary>
    /// Sleeps until the wait has ended. A semaphore would spin first: a hundred spinning threads would take processor time from the thread
    /// that they wait for.
    /// </summary>
    public void Sleep()
    {
        if (Interlocked.CompareExchange(ref _state.Value, Parked, Pending) != Pending)
        {
            return;
        }

        if (_monitor is not null)
        {
            SleepInMonitor(_monitor);
            return;
        }

        while (!IsDone)
        {
            if (!_state.Wait(Parked))
            {
                // The system call is refused, for example by a sandbox: poll instead.
                Thread.Sleep(1);
            }
        }
    }

    private void SleepInMonitor(object monitor)
    {
        lock (monitor)
        {
            while (!IsDone)
            {
                _ = Monitor.Wait(monitor);
            }
        }
    }
}
