namespace Sluice.Streams;

/// <summary>
/// One operation of a stream at a time, in the order of the calls. Taking and leaving a free gate costs two interlocked instructions
/// and allocates nothing. Thread-safe; a field of its stream, never copied.
/// </summary>
internal struct OperationGate
{
    private const int Free = 0;
    private const int Taken = 1;
    private const int TakenAndWaitedFor = 2;

    private int _state;
    private Queue<TaskCompletionSource>? _waiters;

    public readonly bool IsTaken => Volatile.Read(in _state) != Free;

    public bool TryEnter() => Interlocked.CompareExchange(ref _state, Taken, Free) == Free;

    /// <summary>Waits for its turn; the stream's <paramref name="monitor"/> guards the queue.</summary>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; the gate was not entered.</exception>
    public Task EnterAsync(object monitor, CancellationToken cancellationToken)
    {
        TaskCompletionSource turn;
        lock (monitor)
        {
            if (TryEnter())
            {
                return Task.CompletedTask;
            }

            // Between the try above and here the holder may have left; then its state is Free and the gate is ours.
            if (Interlocked.Exchange(ref _state, TakenAndWaitedFor) == Free)
            {
                _state = _waiters is { Count: > 0 } ? TakenAndWaitedFor : Taken;
                return Task.CompletedTask;
            }

            turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            (_waiters ??= new Queue<TaskCompletionSource>()).Enqueue(turn);
        }

        return cancellationToken.CanBeCanceled ? WithCancellation(turn, cancellationToken) : turn.Task;
    }

    /// <summary>Leaves the gate to whoever has waited longest.</summary>
    public void Exit(object monitor)
    {
        if (Interlocked.CompareExchange(ref _state, Free, Taken) == Taken)
        {
            return;
        }

        lock (monitor)
        {
            while (_waiters!.TryDequeue(out TaskCompletionSource? next))
            {
                if (_waiters.Count == 0)
                {
                    Volatile.Write(ref _state, Taken);
                }

                // One that was cancelled meanwhile has gone its way.
                if (next.TrySetResult())
                {
                    return;
                }
            }

            Volatile.Write(ref _state, Free);
        }
    }

    private static async Task WithCancellation(TaskCompletionSource turn, CancellationToken cancellationToken)
    {
        CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((TaskCompletionSource)state!).TrySetCanceled(token), turn);
        await using (registration.ConfigureAwait(false))
        {
            await turn.Task.ConfigureAwait(false);
        }
    }
}
