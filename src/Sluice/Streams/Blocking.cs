using Sluice.Engines;

namespace Sluice.Streams;

/// <summary>Where a synchronous member has to wait for a transfer that an asynchronous one began.</summary>
internal static class Blocking
{
    public static void Wait(ValueTask task)
    {
        if (task.IsCompleted)
        {
            task.GetAwaiter().GetResult();
            return;
        }

        Task whole = task.AsTask();
        PoolWork.Wait(whole);
        whole.GetAwaiter().GetResult();
    }
}
