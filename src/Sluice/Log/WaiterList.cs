namespace Sluice.Log;

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

/// <summary>Where records stand in the ring. To be made before the place is filled: so long the page stays what it is.</summary>
internal readonly record struct Placed(LogPage Page, int Offset, long FirstSequence)
{
    /// <summary>Of the page. Where the ring has another one by now, the page may be that of other records.</summary>
    public int Epoch { get; } = Page.Epoch;
}

/// <summary>Somebody who waits until all records up to a sequence are written, or are on the disk.</summary>
/// <remarks>From <see cref="WaiterList.Push"/> until it is completed it belongs to the list; whoever completes it does not touch it
/// again.</remarks>
internal abstract class LogWaiter
{
    /// <summary>The next in a list.</summary>
    public LogWaiter? Next { get; set; }

    /// <summary>The last sequence that it waits for.</summary>
    public long Target { get; protected set; }

    /// <summary>For <see cref="OwnRecords"/>: it waits for whatever comes of what is there, and nothing is lost to it where that is
    /// dropped.</summary>
    public const int Any = -1;

    /// <summary>How many records up to <see cref="Target"/> are its own: if it fails, these are withdrawn.</summary>
    public int OwnRecords { get; protected set; }

    /// <summary>The ring's when <see cref="Target"/> had a place; -1 for who looks once more where he was woken for nothing.</summary>
    public int Epoch { get; protected set; }

    /// <summary>Where these stand; meaningful until they are written.</summary>
    public Placed Place { get; protected set; }

    /// <summary>Ends the wait, well or with an error. Runs no code of a caller on this thread.</summary>
    /// <returns>False where a thread sleeps: it stays the list's until <see cref="Wake"/>.</returns>
    public abstract bool TryEnd(Exception? error);

    /// <summary>After <see cref="TryEnd"/> was false: wakes the thread.</summary>
    public abstract void Wake();
}
