using System.Threading.Tasks.Sources;

namespace Sluice.Log.Appending;

/// <summary>An asynchronous wait, which is also the source of its task. It is reused after its task has returned the result.</summary>
internal sealed class AsyncWaiter : LogWaiter, IValueTaskSource<long>, IValueTaskSource, IThreadPoolWorkItem
{
    private const int MaxKept = 4096;

    private static readonly Lock PoolLock = new();
    private static AsyncWaiter? s_kept;
    private static int s_count;

    private ManualResetValueTaskSourceCore<long> _core;
    private Exception? _error;
    private long _result;

    /// <summary>Returns an unused waiter whose task returns the sequence number <paramref name="result"/>.</summary>
    public static AsyncWaiter Rent(long target, int ownRecords, in PageReservation reserved, long result)
    {
        AsyncWaiter? waiter = null;
        lock (PoolLock)
        {
            if (s_kept is not null)
            {
                waiter = s_kept;
                s_kept = (AsyncWaiter?)waiter.Next;
                s_count--;
            }
        }

        waiter ??= new AsyncWaiter();
        (waiter.Target, waiter.OwnRecords, waiter.Reservation) = (target, ownRecords, reserved);
        (waiter._result, waiter._error, waiter.Next) = (result, null, null);
        return waiter;
    }

    public ValueTask<long> Task => new(this, _core.Version);

    public ValueTask PlainTask => new(this, _core.Version);

    public override bool TryEnd(Exception? error)
    {
        _error = error;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return true;
    }

    public override void Wake()
    {
    }

    /// <summary>Runs on a pool thread, where the caller's continuation may run.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        if (_error is { } error)
        {
            _core.SetException(error);
        }
        else
        {
            _core.SetResult(_result);
        }
    }

    long IValueTaskSource<long>.GetResult(short token) => TakeResult(token);

    void IValueTaskSource.GetResult(short token) => TakeResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private long TakeResult(short token)
    {
        // The core throws for a token of an earlier use. The exceptions here keep an object in use out of the pool.
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The append has not ended: await it, or turn it into a Task.");
        }

        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _core.Reset();
            _error = null;
            Return();
        }
    }

    private void Return()
    {
        lock (PoolLock)
        {
            if (s_count < MaxKept)
            {
                Next = s_kept;
                s_kept = this;
                s_count++;
            }
        }
    }
}
