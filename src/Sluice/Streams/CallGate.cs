namespace Sluice.Streams;

/// <summary>Admits the calls of a stream one at a time, in the order in which they enter. Thread-safe.</summary>
internal struct CallGate
{
    private const int Free = 0;
    private const int Taken = 1;

    /// <summary>A call is in progress and the queue may have waiters. Exit hands the gate to the first of them.</summary>
    private const int Awaited = 2;

    private int _state;
    private Queue<TaskCompletionSource>? _waiters;

    /// <summary>Returns true if a call is in progress.</summary>
    public readonly bool IsTaken => _state != Free;

    public bool TryEnter() => Interlocked.CompareExchange(ref _state, Taken, Free) == Free;

    public void Enter()
    {
        if (!TryEnter() && Enqueue() is { } waiter)
        {
            try
            {
                waiter.Task.GetAwaiter().GetResult();
            }
            catch
            {
                // The wait was interrupted.
                if (!waiter.TrySetCanceled())
                {
                    Exit();
                }

                throw;
            }
        }
    }

    /// <param name="cancellationToken">Cancels the wait. It is not checked if the gate is free.</param>
    public ValueTask EnterAsync(CancellationToken cancellationToken) =>
        TryEnter() || Enqueue() is not { } waiter ? ValueTask.CompletedTask : WaitAsync(waiter, cancellationToken);

    public void Exit()
    {
        if (Interlocked.CompareExchange(ref _state, Free, Taken) != Taken)
        {
            HandOver();
        }
    }

    private static async ValueTask WaitAsync(TaskCompletionSource waiter, CancellationToken cancellationToken)
    {
        using (cancellationToken.UnsafeRegister(static (waiter, token) => ((TaskCompletionSource)waiter!).TrySetCanceled(token), waiter))
        {
            await waiter.Task.ConfigureAwait(false);
        }
    }

    /// <summary>Returns a task that completes when the caller has the gate, or null if it has the gate already.</summary>
    private TaskCompletionSource? Enqueue()
    {
        Queue<TaskCompletionSource> waiters = LazyInitializer.EnsureInitialized(ref _waiters);
        lock (waiters)
        {
            if (Interlocked.Exchange(ref _state, Awaited) == Free)
            {
                return null;
            }

            var waiter = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            waiters.Enqueue(waiter);
            return waiter;
        }
    }

    private void HandOver()
    {
        Queue<TaskCompletionSource> waiters = _waiters!;
        lock (waiters)
        {
            while (waiters.TryDequeue(out TaskCompletionSource? waiter))
            {
                if (waiter.TrySetResult())
                {
                    return;
                }
            }

            Volatile.Write(ref _state, Free);
        }
    }
}
