namespace Sluice.Hostile.Tests.Support;

/// <summary>A scheduler of a caller's own: work goes to the pool, unless its turn to throw has come.</summary>
internal sealed class HostileScheduler(Countdown countdown) : TaskScheduler
{
    protected override void QueueTask(Task task)
    {
        countdown.Hit();
        _ = ThreadPool.UnsafeQueueUserWorkItem(_ => TryExecuteTask(task), null);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    /// <summary>Does something under this scheduler, on the calling thread.</summary>
    public T Run<T>(Func<T> action)
    {
        Task<T> task = new(action);
        task.RunSynchronously(this);
        return task.GetAwaiter().GetResult();
    }
}
