using System.Runtime.ExceptionServices;

namespace Sluice.Engines;

/// <summary>Queues work to the thread pool, and waits for it.</summary>
internal static class PoolWork
{
    public static void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

    public static void Queue<T>(Action<T> action, T state) => ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);

    /// <summary>Throws an exception that has no caller on a pool thread, where it is unhandled.</summary>
    public static void ThrowUnhandled(Exception error) => Queue(static e => e.Throw(), ExceptionDispatchInfo.Capture(error));

    /// <summary>Blocks until a task has ended. Does not throw the task's exception.</summary>
    /// <returns>False if the timeout has elapsed.</returns>
    public static bool Wait(Task task, int timeoutMs = Timeout.Infinite) => task.IsCompleted || Task.WaitAny([task], timeoutMs) == 0;
}
