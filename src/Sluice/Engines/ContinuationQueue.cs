using System.Collections.Concurrent;

namespace Sluice;

/// <summary>
/// Callers' continuations on their way from the completion thread to the pool: one work item for a batch, not one for each. Before a
/// continuation runs, a further work item is asked for if more are waiting, so one that blocks holds no other up.
/// </summary>
internal sealed class ContinuationQueue : IThreadPoolWorkItem
{
    /// <summary>After so many continuations a worker goes back to the pool, whose other work must not starve.</summary>
    private const int MostInARow = 256;

    private readonly ConcurrentQueue<IoOperation> _queue = new();
    private int _scheduled;

    public static ContinuationQueue Shared { get; } = new();

    /// <summary>Adds a continuation; <see cref="Schedule"/> must follow, after the last of a batch.</summary>
    public void Add(IoOperation operation) => _queue.Enqueue(operation);

    /// <summary>Sees to it that a pool thread looks at the queue.</summary>
    public void Schedule()
    {
        if (!_queue.IsEmpty && Interlocked.Exchange(ref _scheduled, 1) == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        // Full fence: whoever adds from here on either sees 0 and schedules, or added before we look.
        Interlocked.Exchange(ref _scheduled, 0);
        if (!_queue.TryDequeue(out IoOperation? operation))
        {
            return;
        }

        Schedule();
        int count = 0;
        do
        {
            operation.RunContinuation();
        }
        while (++count < MostInARow && _queue.TryDequeue(out operation));
        if (count == MostInARow)
        {
            Schedule();
        }
    }
}
