using System.Runtime.CompilerServices;

namespace Sluice.Streams;

/// <summary>
/// One operation of a stream at a time, in the order of the calls. Taking and leaving a free gate costs two interlocked instructions
/// and allocates nothing. Thread-safe; a field of its stream, never copied. Who waits for a stream is kept beside it, not in it: most
/// streams are never waited for.
/// </summary>
internal struct OperationGate
{
    private const int Free = 0;
    private const int Taken = 1;
    private const int TakenAndWaitedFor = 2;

    private static readonly ConditionalWeakTable<SluiceStream, Queue<TaskCompletionSource>> Waiters = [];

    private int _state;

    public readonly bool IsTaken => Volatile.Read(in _state) != Free;

    public bool TryEnter() => Interlocked.CompareExchange(ref _state, Taken, Free) == Free;

    /// <summary>Waits for its turn at the <paramref name="stream"/> that this is a field of.</summary>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; the gate was not entered.</exception>
    public Task EnterAsync(SluiceStream stream, CancellationToken cancellationToken)
    {
        TaskCompletionSource turn;
        Queue<TaskCompletionSource> waiters = Waiters.GetOrCreateValue(stream);
        lock (waiters)
        {
            if (TryEnter())
            {
                return Task.CompletedTask;
            }

            // Between the try above and here the holder may have left; then its state is Free and the gate is ours.
            if (Interlocked.Exchange(ref _state, TakenAndWaitedFor) == Free)
            {
                _state = waiters.Count > 0 ? TakenAndWaitedFor : Taken;
                return Task.CompletedTask;
            }

            turn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            waiters.Enqueue(turn);
        }

        return cancellationToken.CanBeCanceled ? WithCancellation(turn, cancellationToken) : turn.Task;
    }

    /// <summary>Leaves the gate to whoever has waited longest.</summary>
    public void Exit(SluiceStream stream)
    {
        if (Interlocked.CompareExchange(ref _state, Free, Taken) == Taken)
        {
            return;
        }

        // Somebody waits, so there is a queue.
        Queue<TaskCompletionSource> waiters = Waiters.GetOrCreateValue(stream);
        lock (waiters)
        {
            while (waiters.TryDequeue(out TaskCompletionSource? next))
            {
                if (waiters.Count == 0)
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
