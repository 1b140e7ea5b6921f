using Sluice.Engines;

namespace Sluice.Streams;

/// <summary>
/// A place in the queue of an <see cref="OperationGate"/>. Its outcome is decided once: called, turned away or cancelled. Who waits on a
/// thread of its own is told where that is decided; who awaits it goes on on a thread of the pool.
/// </summary>
internal sealed class GateTurn(bool isAwaited) : TaskCompletionSource, IThreadPoolWorkItem
{
    private static readonly object Called = new();

    /// <summary>Null while it waits.</summary>
    private object? _outcome;

    public bool TryCall() => TryDecide(Called);

    /// <summary>The stream is closed.</summary>
    public void TurnAway() => TryDecide(StreamErrors.Closed());

    public bool TryCancel(CancellationToken cancellationToken) => TryDecide(new OperationCanceledException(cancellationToken));

    void IThreadPoolWorkItem.Execute()
    {
        switch (_outcome)
        {
            case OperationCanceledException cancelled:
                SetCanceled(cancelled.CancellationToken);
                break;
            case Exception error:
                SetException(error);
                break;
            default:
                SetResult();
                break;
        }
    }

    private bool TryDecide(object outcome)
    {
        if (Interlocked.CompareExchange(ref _outcome, outcome, null) is not null)
        {
            return false;
        }

        if (isAwaited)
        {
            PoolWork.Queue(this);
        }
        else
        {
            try
            {
                ((IThreadPoolWorkItem)this).Execute();
            }
            catch (ThreadInterruptedException)
            {
                // Of whoever decides, while it woke the one who waits: that one looks again by itself. It is kept for the next wait.
                Thread.CurrentThread.Interrupt();
            }
        }

        return true;
    }
}
