using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Threads for the calls of files whose file system may be long in answering (<see cref="OpenFile.BeginsByWaiting"/>), so that these keep
/// neither a ring nor the pool's threads from others' work (0052). There are as many as there are calls, up to a bound; what comes then
/// waits here in order. A thread ends when it has had nothing to do for a while. No continuation runs on them. Thread-safe.
/// </summary>
internal static class CallThreads
{
    /// <summary>Guards all below; who has nothing to do waits with it.</summary>
    private static readonly object Gate = new();
    private static readonly Backlog Queued = new();
    private static int s_queued;
    private static int s_idle;
    private static int s_threads;

    /// <summary>
    /// Has one of them carry a transfer out. False where there is none and none can be made, or where it is cancelled already.
    /// </summary>
    public static bool TryQueue(IoOperation operation)
    {
        using (Uninterrupted.Hold(Gate))
        {
            // From here on a request to cancel finds it.
            bool isServed = s_queued < s_idle || s_threads >= Tuning.MaxCallThreads || TryAdd() || s_threads > 0;
            if (!isServed || operation.IsCancellationRequested)
            {
                return false;
            }

            Queued.Add(operation);
            s_queued++;
            Monitor.Pulse(Gate);
            return true;
        }
    }

    /// <summary>Takes a transfer back; false where none of them has yet to begin it.</summary>
    public static bool TryRemove(IoOperation operation)
    {
        using (Uninterrupted.Hold(Gate))
        {
            if (!Queued.TryRemove(operation))
            {
                return false;
            }

            s_queued--;
            return true;
        }
    }

    private static bool TryAdd()
    {
        try
        {
            new Thread(Work) { IsBackground = true, Name = "Sluice calls" }.UnsafeStart();
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
        CleanThread clean = CleanThread.Capture();
        while (TakeNext() is { } operation)
        {
            ThreadPoolEngine.Run(operation, isPooled: true, mayContinue: false);
            clean.Restore();
        }
    }

    /// <summary>Null where nothing has come for a while: this thread is none of them any more.</summary>
    private static IoOperation? TakeNext()
    {
        // An interruption that a caller's code has left on this thread is nobody's.
        bool isInterrupted = false;
        using (Uninterrupted.Hold(Gate))
        {
            for (bool isPulsed = true; Queued.First is null;)
            {
                if (!isPulsed)
                {
                    s_threads--;
                    return null;
                }

                s_idle++;
                isPulsed = Uninterrupted.Wait(Gate, Tuning.CallThreadIdleMs, ref isInterrupted);
                s_idle--;
            }

            IoOperation operation = Queued.First;
            _ = Queued.TryRemove(operation);
            s_queued--;
            return operation;
        }
    }
}
