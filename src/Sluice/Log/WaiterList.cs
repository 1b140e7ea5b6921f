namespace Sluice.Log;

/// <summary>Those who wait for one kind of progress. Anybody pushes; completing is done by one thread at a time.</summary>
internal sealed class WaiterList
{
    private LogWaiter? _head;

    /// <summary>Whether somebody waits.</summary>
    public bool IsEmpty => Volatile.Read(ref _head) is null;

    /// <summary>A full fence: who pushes and then finds a stage taken is seen by whoever leaves it.</summary>
    public void Push(LogWaiter waiter)
    {
        LogWaiter? head = Volatile.Read(ref _head);
        while (true)
        {
            waiter.Next = head;
            LogWaiter? before = Interlocked.CompareExchange(ref _head, waiter, head);
            if (before == head)
            {
                return;
            }

            head = before;
        }
    }

    /// <summary>Completes all who wait for no more than <paramref name="reached"/>.</summary>
    public void Complete(long reached) => Sift(reached, static _ => null, completesReached: true);

    /// <summary>Fails all who wait for more than <paramref name="reached"/>, each with what <paramref name="makeError"/> returns for
    /// it.</summary>
    public void Fail(long reached, Func<LogWaiter, Exception?> makeError) => Sift(reached, makeError, completesReached: false);

    private void Sift(long reached, Func<LogWaiter, Exception?> makeError, bool completesReached)
    {
        LogWaiter? waiter = IsEmpty ? null : Interlocked.Exchange(ref _head, null);
        LogWaiter? first = null;
        LogWaiter? last = null;
        while (waiter is not null)
        {
            // Read before Complete: afterwards the object is its owner's again.
            LogWaiter? next = waiter.Next;
            if (waiter.Target <= reached == completesReached)
            {
                waiter.Complete(makeError(waiter));
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
            PushAll(first, last!);
        }
    }

    private void PushAll(LogWaiter first, LogWaiter last)
    {
        LogWaiter? head = Volatile.Read(ref _head);
        while (true)
        {
            last.Next = head;
            LogWaiter? before = Interlocked.CompareExchange(ref _head, first, head);
            if (before == head)
            {
                return;
            }

            head = before;
        }
    }
}
