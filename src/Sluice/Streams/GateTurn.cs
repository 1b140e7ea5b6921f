using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// A place in the queue of an <see cref="OperationGate"/>. Its outcome is decided once: called, turned away or cancelled; its task only
/// says that it is. Who waits on a thread of its own is told where that is decided; who awaits it goes on as <see cref="PoolWork"/>.
/// </summary>
/// <remarks>
/// Whoever decides makes no exception: that takes locks of .NET's, and an interruption of the deciding thread there would leave the waiter
/// without an outcome.
/// </remarks>
internal sealed class GateTurn(bool isAwaited, bool closes) : TaskCompletionSource, IThreadPoolWorkItem
{
    private const int Called = 1;
    private const int TurnedAway = 2;
    private const int Cancelled = 3;

    /// <summary>0 while it waits.</summary>
    private int _outcome;

    /// <summary>Whether the waiter closes the stream.</summary>
    public bool Closes => closes;

    /// <summary>The gate is the waiter's.</summary>
    public bool IsCalled => Volatile.Read(ref _outcome) == Called;

    public bool TryCall() => TryDecide(Called);

    /// <summary>The stream is closed.</summary>
    public void TurnAway() => TryDecide(TurnedAway);

    public bool TryCancel() => TryDecide(Cancelled);

    /// <summary>Asked by the waiter, once the task has ended.</summary>
    /// <exception cref="OperationCanceledException">Cancelled by that token.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public void ThrowUnlessCalled(CancellationToken cancellationToken)
    {
        switch (Volatile.Read(ref _outcome))
        {
            case Cancelled:
                throw new OperationCanceledException(cancellationToken);
            case TurnedAway:
                StreamErrors.ThrowClosed();
                break;
        }
    }

    void IThreadPoolWorkItem.Execute() => this.EndUninterrupted();

    private bool TryDecide(int outcome)
    {
        if (Interlocked.CompareExchange(ref _outcome, outcome, 0) != 0)
        {
            return false;
        }

        if (isAwaited)
        {
            PoolWork.Queue(this);
        }
        else
        {
            using Untold untold = new();
            try
            {
                SetResult();
                Seam.Wait();
            }
            catch (ThreadInterruptedException)
            {
                // Of whoever decides, while it woke the one who waits: that one looks again by itself. It is kept for the next wait.
                Thread.CurrentThread.Interrupt();
            }
            catch (OutOfMemoryException)
            {
                // As little a matter of whoever decides.
            }
        }

        return true;
    }
}
