using System.Diagnostics;

namespace Sluice.Testing;

/// <summary>
/// Runs delayed completions on a thread of its own. Timers run on thread-pool threads, all of which may be waiting for such a completion.
/// Thread-safe.
/// </summary>
internal static class DelayThread
{
    /// <summary>The pending actions, ordered by due time. The object is also the lock.</summary>
    private static readonly PriorityQueue<Action, TimeSpan> Pending = new();
    private static Thread? s_thread;

    /// <summary>Returns a task that completes after a delay. Continuations run on the shared thread and must be short.</summary>
    /// <param name="delay">The minimum delay.</param>
    public static Task After(TimeSpan delay)
    {
        TaskCompletionSource ended = new();
        Run(ended.SetResult, delay);
        return ended.Task;
    }

    /// <summary>Calls an action on the shared thread after a delay.</summary>
    /// <param name="action">The action. It must be short and must not throw.</param>
    /// <param name="delay">The minimum delay.</param>
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

                // Rounds up, because a wait of less than one millisecond would not wait at all.
                Monitor.Wait(Pending, left + TimeSpan.FromMilliseconds(1));
            }
        }
    }
}
