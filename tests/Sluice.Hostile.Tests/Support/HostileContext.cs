namespace Sluice.Hostile.Tests.Support;

/// <summary>A context of a caller's own, as a user interface has one: work goes to the pool, unless its turn to throw has come.</summary>
internal sealed class HostileContext(Countdown countdown) : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state)
    {
        countdown.Hit();
        _ = ThreadPool.UnsafeQueueUserWorkItem(_ => d(state), null);
    }

    public override void Send(SendOrPostCallback d, object? state) => throw new NotSupportedException();

    /// <summary>Does something in this context, on the calling thread.</summary>
    public T Run<T>(Func<T> action)
    {
        SynchronizationContext? before = Current;
        SetSynchronizationContext(this);
        try
        {
            return action();
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }
}
