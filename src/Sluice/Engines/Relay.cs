using System.Runtime.CompilerServices;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Carries on an await of a task of .NET for which a synchronous call waits too, as that a stream's turn has come. An await that
/// registers a moment after the task has ended is queued by .NET, on the pool and nowhere else; here it runs as <see cref="PoolWork"/>.
/// </summary>
internal sealed class Relay(Action continuation) : IThreadPoolWorkItem
{
    private int _hasRun;

    public void Execute()
    {
        if (Interlocked.Exchange(ref _hasRun, 1) == 0)
        {
            continuation();
        }
    }
}

/// <summary>How a task of .NET is awaited for which a synchronous call waits too: without a context, by a <see cref="Relay"/>.</summary>
internal readonly struct RelayedTask(Task task) : ICriticalNotifyCompletion
{
    public bool IsCompleted => task.IsCompleted;

    public RelayedTask GetAwaiter() => this;

    public void GetResult() => _ = task.Exception;

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation)
    {
        // This value lies in the state machine, which another thread may carry on before this method has ended.
        Task awaited = task;
        Relay? relay = null;
        bool isInterrupted = false;
        using Untold untold = new();
        while (true)
        {
            // .NET waits for locks there, and needs memory; whatever is registered twice by it runs once. The method must not end, whose
            // place in the queue this is, and whose exception nobody would hear of.
            try
            {
                Seam.Wait();
                Seam.Memory();
                relay ??= new Relay(continuation);
                awaited.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(relay.Execute);
                break;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }

        Uninterrupted.Restore(isInterrupted);
        if (awaited.IsCompleted)
        {
            // Perhaps too late for the thread that ended it. Whoever comes first goes on.
            PoolWork.Queue(relay);
        }
    }
}

internal static class RelayedAwaits
{
    /// <summary>Awaits the end of a task; what it failed with is not thrown.</summary>
    /// <param name="task">Ended, it stays as it is: not what is used again.</param>
    public static RelayedTask RelayedEnd(this Task task) => new(task);
}
