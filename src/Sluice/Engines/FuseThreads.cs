namespace Sluice.Engines;

/// <summary>
/// Threads that make blocking calls on FUSE in place of pool threads that have submitted to a ring. The kernel posts the completions of
/// what a thread has submitted when that thread next leaves the kernel: a server that does not answer would hold back the completions of
/// other files (0017). Thread-safe.
/// </summary>
internal static class FuseThreads
{
    private const int MaxThreads = 64;
    private const int IdleMs = 5000;

    private static readonly object Gate = new();
    private static readonly Queue<IoOperation> Waiting = new();
    private static int s_threads;
    private static int s_idle;

    [ThreadStatic]
    private static bool t_hasSubmitted;

    /// <summary>Records that the calling thread submits to a ring on which other threads wait.</summary>
    public static void NoteSubmission() => t_hasSubmitted = true;

    /// <summary>
    /// Queues an operation on FUSE if the calling pool thread has submitted to a ring. Returns false if the thread is to run it itself.
    /// </summary>
    public static bool TryQueue(IoOperation operation)
    {
        if (!t_hasSubmitted || !operation.Handle.IsKnownToBeginByWaiting)
        {
            return false;
        }

        lock (Gate)
        {
            if (Waiting.Count >= s_idle && s_threads < MaxThreads && !TryStart())
            {
                return false;
            }

            Waiting.Enqueue(operation);
            Monitor.Pulse(Gate);
            return true;
        }
    }

    private static bool TryStart()
    {
        try
        {
            new Thread(Work) { IsBackground = true, Name = "Sluice calls on FUSE" }.UnsafeStart();
            s_threads++;
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    private static void Work()
    {
        while (Take() is { } operation)
        {
            ThreadPoolEngine.Run(operation, isPooled: true, mayContinue: false);
        }
    }

    private static IoOperation? Take()
    {
        lock (Gate)
        {
            while (Waiting.Count == 0)
            {
                s_idle++;
                bool isPulsed = Monitor.Wait(Gate, IdleMs);
                s_idle--;
                if (!isPulsed && Waiting.Count == 0)
                {
                    s_threads--;
                    return null;
                }
            }

            return Waiting.Dequeue();
        }
    }
}
