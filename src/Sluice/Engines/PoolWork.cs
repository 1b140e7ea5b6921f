using System.Runtime.ExceptionServices;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Work for the pool that a synchronous call may come to wait for. The pool's threads do it; where they do not come in time, because all of
/// them are busy perhaps, threads of the library's own do what is queued here and in the rings, one after another, as long as somebody
/// waits in <see cref="Wait"/>. Thread-safe.
/// </summary>
internal sealed class PoolWork : IThreadPoolWorkItem
{
    private static readonly UninterruptedQueue<IThreadPoolWorkItem> Queued = new();

    /// <summary>Stands in the pool's queue once for each item here, and for <see cref="s_vacant"/> more.</summary>
    private static readonly PoolWork Place = new();

    private static readonly Lock SpareLock = new();
    private static PoolWork? s_spare;

    /// <summary>Threads of the library's own, those that are stuck too.</summary>
    private static int s_spares;
    private static int s_waiting;

    /// <summary>
    /// Places whose item a thread of the library's own has taken: the next items need none of their own, so that they do not pile up where
    /// the pool does not come for long. For a moment fewer than there are, and less than none, or one more whose place is just being
    /// queued; fewer for good by places that the pool took although it threw.
    /// </summary>
    private static int s_vacant;

    private long _sinceMs = Environment.TickCount64;

    private PoolWork()
    {
    }

    /// <summary>Whether a thread of the library's own is at work.</summary>
    public static bool HasSpare => Volatile.Read(ref s_spare) is not null;

    /// <summary>Work items of all kinds that the pool has yet to begin. .NET may wait for a lock to count them.</summary>
    public static long Pending
    {
        get
        {
            using Untold untold = new();
            try
            {
                Seam.Wait();
                return ThreadPool.PendingWorkItemCount;
            }
            catch (ThreadInterruptedException)
            {
                long pending = Uninterrupted.UntilDone(0, static _ => ThreadPool.PendingWorkItemCount);
                Thread.CurrentThread.Interrupt();
                return pending;
            }
        }
    }

    /// <summary>This thread has been at one piece of work for so long that it may be so for ever.</summary>
    private bool IsStuck => Environment.TickCount64 - Volatile.Read(ref _sinceMs) > Tuning.OperationPatienceMs;

    public static void Queue(IThreadPoolWorkItem item)
    {
        Queued.Enqueue(item);
        if (!TryTakeVacant() && !TryQueuePlace())
        {
            QueuePlaceAgain();
        }
    }

    public static void Queue<T>(Action<T> action, T state) => Queue(new Call<T>(action, state));

    /// <summary>For an exception that has nobody to hear of it: it is unhandled, on a thread of the pool.</summary>
    public static void ThrowUnhandled(Exception error) => Queue(static e => e.Throw(), ExceptionDispatchInfo.Capture(error));

    /// <summary>
    /// As <see cref="QueueForPool"/>, or as <see cref="Queue(IThreadPoolWorkItem)"/> where the pool throws, which says nothing of whether
    /// it has the item: for one that may be executed once more than it was queued.
    /// </summary>
    public static void QueueForPoolOrHere(IThreadPoolWorkItem item, bool preferLocal = false)
    {
        try
        {
            QueueForPool(item, preferLocal);
        }
        catch (Exception)
        {
            Queue(item);
        }
    }

    /// <summary>
    /// Queues for the pool alone, once, and not broken off by an interruption: what .NET waits for there comes before the item is queued.
    /// </summary>
    /// <exception cref="Exception">
    /// There is no memory, and the pool has not got the item; or it can make no thread, and has got it.
    /// </exception>
    public static void QueueForPool(IThreadPoolWorkItem item, bool preferLocal = false)
    {
        using Untold untold = new();
        try
        {
            Seam.Wait();
            Seam.QueueMemory();
            ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal);
        }
        catch (ThreadInterruptedException)
        {
            Uninterrupted.UntilDone((Item: item, PreferLocal: preferLocal),
                static queued => ThreadPool.UnsafeQueueUserWorkItem(queued.Item, queued.PreferLocal));
            Thread.CurrentThread.Interrupt();
        }
    }

    /// <summary>
    /// Waits for what threads of the pool are to do, whether or not they come. Does not throw what the task failed with. An interruption
    /// does not end it, since what is waited for has the caller's memory, or a place that others wait behind: it is kept for the thread's
    /// next wait. Nor does a want of memory.
    /// </summary>
    /// <returns>False when the time is over.</returns>
    public static bool Wait(Task task, int timeoutMs = Timeout.Infinite)
    {
        if (task.IsCompleted)
        {
            return true;
        }

        long begin = Environment.TickCount64;
        long look = begin + Tuning.OperationPatienceMs;
        int patienceMs = Tuning.OperationPatienceMs;
        bool isInterrupted = false;
        using Untold untold = new();
        Interlocked.Increment(ref s_waiting);
        try
        {
            while (!task.IsCompleted)
            {
                long now = Environment.TickCount64;
                long left = timeoutMs < 0 ? patienceMs : begin + timeoutMs - now;
                if (left <= 0)
                {
                    return false;
                }

                // Whoever interrupts again and again does not put this off.
                if (look <= now)
                {
                    patienceMs = Help() ? Tuning.OperationPatienceMs : Math.Min(patienceMs * 2, Tuning.PoolWorkMaxPatienceMs);
                    look = now + patienceMs;
                }

                try
                {
                    Seam.Wait();
                    Seam.QueueMemory();
                    _ = Task.WaitAny([task], (int)Math.Min(left, look - now));
                }
                catch (ThreadInterruptedException)
                {
                    isInterrupted = true;
                }
                catch (OutOfMemoryException)
                {
                    Uninterrupted.Sleep(1, ref isInterrupted);
                }
            }
        }
        finally
        {
            Interlocked.Decrement(ref s_waiting);
            Uninterrupted.Restore(isInterrupted);
        }

        return true;
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (Queued.TryDequeue(out IThreadPoolWorkItem? item))
        {
            item.Execute();
            return;
        }

        // Full fence: whoever has queued before, and relied on this place, is seen; who comes later finds it gone.
        Interlocked.Decrement(ref s_vacant);
        if (Queued.TryDequeue(out item))
        {
            Interlocked.Increment(ref s_vacant);
            item.Execute();
        }
    }

    /// <summary>One place more in the pool's queue; false where the pool threw, and nobody knows whether it has it.</summary>
    private static bool TryQueuePlace()
    {
        try
        {
            // Never in a thread's own queue: a place may become another item's, and that thread may block for long.
            QueueForPool(Place);
            return true;
        }
        catch (Exception)
        {
            return false;
        }
    }

    /// <summary>
    /// What was queued has no place in the pool's queue, or one in the queue of a pool that can make no thread. This thread leaves when the
    /// pool has taken one, or when nothing is queued any more: a thread of the pool's or of the library's has come.
    /// </summary>
    private static void QueuePlaceAgain()
    {
        Interlocked.Decrement(ref s_vacant);
        bool isInterrupted = false;
        for (int ms = 1; !Queued.IsEmpty; ms = Math.Min(2 * ms, Tuning.OperationPatienceMs))
        {
            if (TryQueuePlace())
            {
                Interlocked.Increment(ref s_vacant);
                break;
            }

            _ = Help();
            Uninterrupted.Sleep(ms, ref isInterrupted);
        }

        Uninterrupted.Restore(isInterrupted);
    }

    /// <summary>What a thread of the library's own does next; its place in the pool's queue becomes free.</summary>
    private static IThreadPoolWorkItem? Take()
    {
        if (!Queued.TryDequeue(out IThreadPoolWorkItem? item))
        {
            return null;
        }

        Interlocked.Increment(ref s_vacant);
        return item;
    }

    /// <summary>Whether a place in the pool's queue is free for an item that was queued here just now.</summary>
    private static bool TryTakeVacant()
    {
        for (int vacant = Volatile.Read(ref s_vacant); vacant > 0;)
        {
            int found = Interlocked.CompareExchange(ref s_vacant, vacant - 1, vacant);
            if (found == vacant)
            {
                return true;
            }

            vacant = found;
        }

        return false;
    }

    /// <summary>
    /// One more thread, unless there is one that gets on, or there are as many as may be. Each takes a piece of work at least, so that
    /// whatever is queued is begun.
    /// </summary>
    /// <returns>False where there is nothing to do, or nobody to do it.</returns>
    private static bool Help()
    {
        if (Queued.IsEmpty && SluiceEngines.WithCompleted is null)
        {
            return false;
        }

        using (SpareLock.EnterUninterrupted())
        {
            if (s_spare is { IsStuck: false })
            {
                return true;
            }

            if (s_spares >= Tuning.MaxSpareThreads)
            {
                return false;
            }

            PoolWork? earlier = s_spare;
            try
            {
                PoolWork spare = new();
                Thread thread = new(spare.Work) { IsBackground = true, Name = "Sluice spare" };
                Volatile.Write(ref s_spare, spare);
                thread.UnsafeStart();
                s_spares++;
            }
            catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
            {
                // Whoever waits comes again.
                Volatile.Write(ref s_spare, earlier);
            }
        }

        return true;
    }

    private void Work()
    {
        CleanThread clean = CleanThread.Capture();
        int idleMs = 0;
        bool isInterrupted = false;

        // One that was stuck leaves the rest to the thread that has come in its place.
        do
        {
            Volatile.Write(ref _sinceMs, Environment.TickCount64);
            IThreadPoolWorkItem? next = Take() ?? SluiceEngines.WithCompleted;
            if (next is null)
            {
                // What was done may have begun the next transfer, which has not ended yet.
                if (Volatile.Read(ref s_waiting) == 0 || idleMs == Tuning.OperationPatienceMs)
                {
                    break;
                }

                // An interruption that a caller's code has left on this thread is nobody's.
                Uninterrupted.Sleep(1, ref isInterrupted);
                idleMs++;
                continue;
            }

            idleMs = 0;
            next.Execute();
            clean.Restore();
        }
        while (Volatile.Read(ref s_spare) == this);

        using (SpareLock.EnterUninterrupted())
        {
            s_spares--;
            if (s_spare == this)
            {
                s_spare = null;
            }
        }
    }

    private sealed class Call<T>(Action<T> action, T state) : IThreadPoolWorkItem
    {
        public void Execute() => action(state);
    }
}
