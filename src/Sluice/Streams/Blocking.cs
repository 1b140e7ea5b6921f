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

        task.AsTask().GetAwaiter().GetResult();
    }
}
