using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>Where a synchronous member has to wait for a transfer that an asynchronous one began.</summary>
internal static class Blocking
{
    /// <summary>Throws what the task failed with, and nothing before it has ended: until then its memory is the transfer's.</summary>
    public static void Wait(ValueTask task)
    {
        if (task.IsCompleted)
        {
            task.GetAwaiter().GetResult();
            return;
        }

        Task whole = AsTask(task);
        PoolWork.Wait(whole);
        whole.GetAwaiter().GetResult();
    }

    /// <summary>ValueTask.AsTask; waits for memory where there is none at this moment.</summary>
    public static Task AsTask(ValueTask task)
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                Seam.QueueMemory();
                Task whole = task.AsTask();
                Uninterrupted.Restore(isInterrupted);
                return whole;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }
    }
}
