using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Threads for the calls of files whose file system may be long in answering (<see cref="OpenFile.BeginsByWaiting"/>), so that these keep
/// neither a ring nor the pool's threads from others' work (0017). There are as many as there are calls, up to a bound; what comes then
/// waits here in order. The thread that ended its call last begins the next one, and one that has had nothing to do for a while ends. No
/// continuation runs on them, but where its caller's context or scheduler runs at once what it is given. Thread-safe.
/// </summary>
internal static class CallThreads
{
    /// <summary>Guards all below.</summary>
    private static readonly object Gate = new();
    private static readonly Backlog Queued = new();
    private static CallThread? s_idle;
    private static int s_threads;

    /// <summary>
    /// Has one of them carry a transfer out. False where there is none and none can be made, or where it is cancelled already.
    /// </summary>
    public static bool TryQueue(IoOperation operation)
    {
        CallThread? idle;
        using (Uninterrupted.Hold(Gate))
        {
            // From here on a request to cancel finds it.
            if (operation.IsCancellationRequested)
            {
                return false;
            }

            idle = s_idle;
            if (idle is null)
            {
                if ((s_threads >= Tuning.MaxCallThreads || !TryAdd()) && s_threads == 0)
                {
                    return false;
                }

                Queued.Add(operation);
                return true;
            }

            s_idle = idle.Below;
            idle.Below = null;
            idle.Take(operation);
        }

        idle.Wake();
        return true;
    }

    /// <summary>Takes a transfer back; false where none of them has yet to begin it, or one that had nothing to do is about to.</summary>
    public static bool TryRemove(IoOperation operation)
    {
        using (Uninterrupted.Hold(Gate))
        {
            return Queued.TryRemove(operation);
        }
    }

    private static bool TryAdd()
    {
        try
        {
            CallThread thread = new();
            new Thread(thread.Work) { IsBackground = true, Name = "Sluice calls" }.UnsafeStart();
            s_threads++;
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    /// <summary>Null where nothing waits; then the thread is given something, or leaves.</summary>
    private static IoOperation? TakeQueuedOrRest(CallThread thread)
    {
        using (Uninterrupted.Hold(Gate))
        {
            if (Queued.First is { } operation)
            {
                _ = Queued.TryRemove(operation);
                return operation;
            }

            thread.Below = s_idle;
            s_idle = thread;
            return null;
        }
    }

    /// <summary>False where it was given something just now.</summary>
    private static bool TryLeave(CallThread thread)
    {
        using (Uninterrupted.Hold(Gate))
        {
            CallThread? above = null;
            for (CallThread? at = s_idle; at is not null; above = at, at = at.Below)
            {
                if (at != thread)
                {
                    continue;
                }

                if (above is null)
                {
                    s_idle = thread.Below;
                }
                else
                {
                    above.Below = thread.Below;
                }

                s_threads--;
                return true;
            }

            return false;
        }
    }

    /// <summary>Each sleeps on a word of its own: who wakes one of them wakes no other, and contends with none for a lock.</summary>
    private sealed class CallThread
    {
        private readonly FutexWord _wakes = new();
        private IoOperation? _operation;

        /// <summary>Of those that have nothing to do, the one that has had nothing for longer; guarded by the gate.</summary>
        public CallThread? Below { get; set; }

        /// <summary>Gives it something, once it has been taken from those that have nothing to do; it sees that when it wakes.</summary>
        public void Take(IoOperation operation) => Volatile.Write(ref _operation, operation);

        public void Wake()
        {
            Volatile.Write(ref _wakes.Value, 1);
            _wakes.Wake();
        }

        public void Work()
        {
            CleanThread clean = CleanThread.Capture();
            while ((TakeQueuedOrRest(this) ?? Await()) is { } operation)
            {
                ThreadPoolEngine.Run(operation, isPooled: true, mayContinue: false);
                clean.Restore();
            }
        }

        /// <summary>What it is given; null where it has left, because nothing came.</summary>
        private IoOperation? Await()
        {
            // By what a caller's context has left on this thread: it ends none of these waits.
            bool isInterrupted = false;
            long end = Environment.TickCount64 + Tuning.CallThreadIdleMs;
            while (true)
            {
                // Before it looks: a word that was set for what it has found already would let it wait for nothing.
                _ = Interlocked.Exchange(ref _wakes.Value, 0);
                if (Volatile.Read(ref _operation) is { } operation)
                {
                    _operation = null;
                    return operation;
                }

                int leftMs = (int)(end - Environment.TickCount64);
                if (leftMs <= 0 && TryLeave(this))
                {
                    return null;
                }

                if (leftMs > 0 && !_wakes.Wait(0, leftMs))
                {
                    // Refused: it looks now and then.
                    Uninterrupted.Sleep(1, ref isInterrupted);
                }
            }
        }
    }
}
