namespace Sluice.Log.Stages;

/// <summary>Those who wait for one kind of progress. Anybody pushes; completing is done by one thread at a time.</summary>
internal sealed class WaiterList
{
    private LogWaiter? _head;
    private LogWaiter? _ended;
    private int _sleepers;

    /// <summary>Whether somebody waits.</summary>
    public bool IsEmpty => Volatile.Read(ref _head) is null;

    /// <summary>
    /// Whether a thread sleeps that nobody has woken. The others who wait look for themselves, or have asked the log's own thread.
    /// </summary>
    public bool HasSleepers => Volatile.Read(ref _sleepers) > 0;

    /// <summary>A full fence, for a thread that will sleep: who then finds a stage taken is seen by whoever leaves it.</summary>
    public void AddSleeper() => Interlocked.Increment(ref _sleepers);

    /// <summary>A full fence: who pushes and then finds a stage taken is seen by whoever leaves it.</summary>
    public void Push(LogWaiter waiter) => PushAll(ref _head, waiter, waiter);

    /// <summary>Ends the waits of all who wait for no more than <paramref name="reached"/>.</summary>
    public void Complete(long reached) => Sift(reached, static _ => null, completesReached: true);

    /// <summary>Fails all who wait for more than <paramref name="reached"/>, each with what <paramref name="makeError"/> returns for
    /// it.</summary>
    public void Fail(long reached, Func<LogWaiter, Exception?> makeError) => Sift(reached, makeError, completesReached: false);

    /// <summary>As <see cref="Fail"/>, but only those who wait for what is of another epoch than <paramref name="epoch"/>.</summary>
    public void FailOther(int epoch, long reached, Func<LogWaiter, Exception?> makeError) =>
        Sift(reached, makeError, completesReached: false, epoch);

    /// <summary>
    /// Wakes the threads whose waits have ended; to be called after <see cref="Complete"/> and <see cref="Fail"/>, outside of what others
    /// may want to enter: who is woken may take the processor at once.
    /// </summary>
    public void WakeEnded()
    {
        LogWaiter? waiter = Volatile.Read(ref _ended) is null ? null : Interlocked.Exchange(ref _ended, null);
        while (waiter is not null)
        {
            LogWaiter? next = waiter.Next;
            waiter.Wake();
            waiter = next;
        }
    }

    private void Sift(long reached, Func<LogWaiter, Exception?> makeError, bool completesReached, int? without = null)
    {
        LogWaiter? waiter = IsEmpty ? null : Interlocked.Exchange(ref _head, null);
        LogWaiter? first = null;
        LogWaiter? last = null;
        while (waiter is not null)
        {
            // Read before it ends: afterwards the object is its owner's again.
            LogWaiter? next = waiter.Next;
            if (waiter.Target <= reached == completesReached && waiter.Epoch != without)
            {
                if (!waiter.TryEnd(makeError(waiter)))
                {
                    Interlocked.Decrement(ref _sleepers);
                    PushAll(ref _ended, waiter, waiter);
                }
            }
            else
            {
                waiter.Next = first;
                first = waiter;
                last ??= waiter;
            }

            waiter = next;
        }

        if (first is not null)
        {
            PushAll(ref _head, first, last!);
        }
    }

    private static void PushAll(ref LogWaiter? list, LogWaiter first, LogWaiter last)
    {
        LogWaiter? head = Volatile.Read(ref list);
        while (true)
        {
            last.Next = head;
            LogWaiter? before = Interlocked.CompareExchange(ref list, first, head);
            if (before == head)
            {
                return;
            }

            head = before;
        }
    }
}
