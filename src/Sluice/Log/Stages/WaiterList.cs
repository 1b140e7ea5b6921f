namespace Sluice.Log.Stages;

/// <summary>Those who wait for one kind of progress. Anybody pushes; completing is done by one thread at a time.</summary>
/// <param name="mostWaking">
/// How many threads whose waits have ended are being woken at a time; each that is awake wakes the next (<see cref="NoteAwake"/>). 0 for
/// all of them at once, by whoever leads: where progress takes less time than waking does, those who are awake make it for all meanwhile
/// (0014).
/// </param>
internal sealed class WaiterList(int mostWaking = 0)
{
    private LogWaiter? _head;
    private LogWaiter? _ended;
    private int _sleepers;

    /// <summary>Ended before what is in <see cref="_ended"/>; of whoever has <see cref="_isChoosing"/>.</summary>
    private LogWaiter? _next;
    private int _isChoosing;

    /// <summary>Threads that were woken and have not said that they are awake.</summary>
    private int _waking;

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
    public void Complete(long reached) => Sift(reached, null, null, completesReached: true);

    /// <summary>
    /// Fails all who wait for more than <paramref name="reached"/>, each with what <paramref name="makeError"/> returns for it and
    /// <paramref name="cause"/>. Needs no memory itself: where there is none left, all of them are told.
    /// </summary>
    public void Fail(long reached, Func<LogWaiter, Exception?, Exception?> makeError, Exception? cause = null) =>
        Sift(reached, makeError, cause, completesReached: false);

    /// <summary>As <see cref="Fail"/>, but only those who wait for what is of another epoch than <paramref name="epoch"/>.</summary>
    public void FailOther(int epoch, long reached, Func<LogWaiter, Exception?, Exception?> makeError) =>
        Sift(reached, makeError, null, completesReached: false, epoch);

    /// <summary>
    /// Wakes the threads whose waits have ended; to be called after <see cref="Complete"/> and <see cref="Fail"/>, outside of what others
    /// may want to enter: who is woken may take the processor at once.
    /// </summary>
    public void WakeEnded()
    {
        if (mostWaking == 0)
        {
            WakeAll(TakeEnded());
        }
        else
        {
            WakeNext();
        }
    }

    /// <summary>
    /// As <see cref="WakeEnded"/>, all of them: for who leads and waits for others to fill their places. The thread that was to wake the
    /// next may be the one that leads. Does nothing where others are just choosing whom to wake: to be called again.
    /// </summary>
    public void WakeAllEnded()
    {
        if (mostWaking == 0)
        {
            WakeAll(TakeEnded());
            return;
        }

        if (Interlocked.CompareExchange(ref _isChoosing, 1, 0) != 0)
        {
            return;
        }

        LogWaiter? earlier = _next;
        LogWaiter? later = TakeEnded();
        Volatile.Write(ref _next, null);
        NoteWaking(earlier);
        NoteWaking(later);
        Interlocked.Exchange(ref _isChoosing, 0);
        WakeAll(earlier);
        WakeAll(later);
    }

    /// <summary>By each thread that slept, as soon as it is awake.</summary>
    public void NoteAwake()
    {
        if (mostWaking > 0)
        {
            // A full fence: whoever ended a wait and found enough being woken is seen below.
            Interlocked.Decrement(ref _waking);
            WakeNext();
        }
    }

    private void WakeNext()
    {
        while ((Volatile.Read(ref _ended) ?? Volatile.Read(ref _next)) is not null
            && Volatile.Read(ref _waking) < mostWaking
            && Interlocked.CompareExchange(ref _isChoosing, 1, 0) == 0)
        {
            LogWaiter? chosen = Choose();

            // A full fence: whoever found somebody choosing is seen above.
            Interlocked.Exchange(ref _isChoosing, 0);
            WakeAll(chosen);
        }
    }

    private LogWaiter? Choose()
    {
        LogWaiter? first = null;
        LogWaiter? last = null;
        while (Volatile.Read(ref _waking) < mostWaking && (_next ?? OldestFirst(TakeEnded())) is { } waiter)
        {
            Volatile.Write(ref _next, waiter.Next);
            waiter.Next = null;
            Interlocked.Increment(ref _waking);
            first ??= waiter;
            if (last is not null)
            {
                last.Next = waiter;
            }

            last = waiter;
        }

        return first;
    }

    private void NoteWaking(LogWaiter? waiter)
    {
        for (; waiter is not null; waiter = waiter.Next)
        {
            Interlocked.Increment(ref _waking);
        }
    }

    private static void WakeAll(LogWaiter? waiter)
    {
        while (waiter is not null)
        {
            // Read before: afterwards the object is its owner's again.
            LogWaiter? next = waiter.Next;
            waiter.Wake();
            waiter = next;
        }
    }

    private LogWaiter? TakeEnded() => Volatile.Read(ref _ended) is null ? null : Interlocked.Exchange(ref _ended, null);

    private static LogWaiter? OldestFirst(LogWaiter? newest)
    {
        LogWaiter? first = null;
        while (newest is not null)
        {
            LogWaiter? next = newest.Next;
            newest.Next = first;
            first = newest;
            newest = next;
        }

        return first;
    }

    private void Sift(
        long reached, Func<LogWaiter, Exception?, Exception?>? makeError, Exception? cause, bool completesReached, int? without = null)
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
                if (!waiter.TryEnd(ErrorOf(waiter, makeError, cause)))
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

    /// <summary>Where it cannot be made, for want of memory perhaps, it is what came of that: the others are in no list now.</summary>
    private static Exception? ErrorOf(LogWaiter waiter, Func<LogWaiter, Exception?, Exception?>? makeError, Exception? cause)
    {
        try
        {
            return makeError?.Invoke(waiter, cause);
        }
        catch (Exception e)
        {
            return e;
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
