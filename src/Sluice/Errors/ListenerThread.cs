using System.Collections.Concurrent;

namespace Sluice.Errors;

/// <summary>
/// Runs what calls code of listeners (of meters and events): apart from whoever opens or transfers, who may hold a lock. The thread is made
/// when there is something to do, and ends after it. It is none of the pool's: where no thread can be made for want of descriptors, a pool
/// that is given work throws, and serves nobody ever after; a thread of its own is tried again later.
/// </summary>
internal static class ListenerThread
{
    private static readonly ConcurrentQueue<Action> Errands = new();
    private static volatile bool s_isLate;
    private static int s_isRunning;

    /// <summary>Runs it soon, and after those before it. What it throws is dropped: it is no business of who caused it.</summary>
    public static void Post(Action errand)
    {
        Errands.Enqueue(errand);
        Start();
    }

    /// <summary>Runs what could not be run when it was posted, if there is such.</summary>
    public static void TryAgain()
    {
        if (s_isLate)
        {
            Start();
        }
    }

    private static void Start()
    {
        if (Interlocked.Exchange(ref s_isRunning, 1) != 0)
        {
            return;
        }

        try
        {
            s_isLate = false;
            new Thread(Run) { IsBackground = true, Name = "Sluice listeners" }.UnsafeStart();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            Volatile.Write(ref s_isRunning, 0);
            s_isLate = true;
        }
    }

    private static void Run()
    {
        do
        {
            while (Errands.TryDequeue(out Action? errand))
            {
                try
                {
                    errand();
                }
#pragma warning disable CA1031 // Whatever a listener throws.
                catch (Exception)
                {
                    // The next one is another's.
                }
#pragma warning restore CA1031
            }

            // Who posts before this finds the thread running; what it posted is seen below.
            Interlocked.Exchange(ref s_isRunning, 0);
        }
        while (!Errands.IsEmpty && Interlocked.Exchange(ref s_isRunning, 1) == 0);
    }
}
