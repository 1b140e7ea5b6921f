using Sluice.Memory;

namespace Sluice.Enumeration;

/// <summary>Something may be ready in a walk: who awaits that goes on, on a thread of the pool of its own.</summary>
internal sealed class WalkChange : TaskCompletionSource, IThreadPoolWorkItem
{
    /// <summary>Queues for the pool; an interruption, which comes before the item is queued, breaks it not off.</summary>
    public static void QueueOnce(IThreadPoolWorkItem item) =>
        Uninterrupted.UntilDone(item, static i => ThreadPool.UnsafeQueueUserWorkItem(i, preferLocal: false));

    /// <summary>Has the pool tell it. Where that has no memory at this moment, this waits for some; under no lock, therefore.</summary>
    public void Queue()
    {
        bool isInterrupted = false;
        while (!Task.IsCompleted)
        {
            try
            {
                QueueOnce(this);
                break;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }

        Uninterrupted.Restore(isInterrupted);
    }

    public void Execute() => this.EndUninterrupted();
}
