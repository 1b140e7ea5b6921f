using System.Diagnostics;

namespace Sluice.Testing;

/// <summary>
/// Lets time pass for completions that are held back, on a thread of its own: timers end on threads of .NET's pool, all of which may wait
/// for such a completion. Thread-safe.
/// </summary>
internal static class DelayThread
{
    /// <summary>What has not ended, by when it does; guards itself.</summary>
    private static readonly PriorityQueue<Action, TimeSpan> Pending = new();
    private static Thread? s_thread;

    /// <summary>A task that ends after a time; what waits for it goes on on the thread that ends it, so it has to be short.</summary>
    /// <param name="delay">How long, at least.</param>
    public static Task After(TimeSpan delay)
    {
        TaskCompletionSource ended = new();
        Run(ended.SetResult, delay);
        return ended.Task;
    }

    /// <summary>Calls what is short, on the thread for all, when a time has passed.</summary>
    /// <param name="action">Throws nothing.</param>
    /// <param name="delay">How long, at least.</param>
    public static void Run(Action action, TimeSpan delay)
    {
        lock (Pending)
        {
            Pending.Enqueue(action, Now() + delay);
            Monitor.Pulse(Pending);
            if (s_thread is null)
            {
                Thread thread = new(RunAll) { IsBackground = true, Name = "Sluice delays" };
                thread.UnsafeStart();
                s_thread = thread;
            }
        }
    }

    private static TimeSpan Now() => Stopwatch.GetElapsedTime(0);

    private static void RunAll()
    {
        while (true)
        {
            WaitForNext()();
        }
    }

    private static Action WaitForNext()
    {
        lock (Pending)
        {
            while (true)
            {
                if (!Pending.TryPeek(out _, out TimeSpan due))
                {
                    Monitor.Wait(Pending);
                    continue;
                }

                TimeSpan left = due - Now();
                if (left <= TimeSpan.Zero)
                {
                    return Pending.Dequeue();
                }

                // Not before it is due: a fraction of a millisecond would be a wait of none.
                Monitor.Wait(Pending, left + TimeSpan.FromMilliseconds(1));
            }
        }
    }
}
