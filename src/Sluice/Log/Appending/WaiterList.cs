namespace Sluice.Log.Appending;

/// <summary>The threads and tasks that wait for one kind of progress. Any thread adds; one thread at a time ends waits.</summary>
internal sealed class WaiterList
{
    private LogWaiter? _head;

    /// <summary>Threads whose waits have ended and which are to be woken.</summary>
    private LogWaiter? _ended;

    /// <summary>Gets a value that indicates whether there are no waiters.</summary>
    public bool IsEmpty => Volatile.Read(ref _head) is null;

    /// <summary>
    /// Adds a waiter. This is a full fence: if the caller then finds a lock taken, the thread that releases the lock sees the waiter.
    /// </summary>
    public void Push(LogWaiter waiter) => PushAll(ref _head, waiter, waiter);

    /// <summary>
    /// Ends the waits for sequence numbers up to <paramref name="reached"/>, and the waits for records that were removed. The other waits
    /// continue, or end with the error that <paramref name="makeError"/> returns for them.
    /// </summary>
    /// <param name="reached">The last sequence number whose wait ends.</param>
    /// <param name="epoch">The ring's epoch: records of an earlier epoch were durable before some of them were removed.</param>
    /// <param name="makeError">Returns the error of a wait, or null to let it continue; null to let all waits continue.</param>
    public void Sift(long reached, int epoch, Func<LogWaiter, Exception?>? makeError = null)
    {
        LogWaiter? waiter = IsEmpty ? null : Interlocked.Exchange(ref _head, null);
        LogWaiter? first = null;
        LogWaiter? last = null;
        while (waiter is not null)
        {
            // The link is read before the wait ends: afterwards, the owner may use the object again.
            LogWaiter? next = waiter.Next;
            Exception? error = null;
            bool ends = waiter.Reservation.Epoch != epoch || waiter.Target <= reached;
            if (!ends)
            {
                error = makeError?.Invoke(waiter);
            }

            if (ends || error is not null)
            {
                if (!waiter.TryEnd(error))
                {
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

    /// <summary>
    /// Wakes the threads whose waits have ended. Called without a lock, because a woken thread may take the processor at once.
    /// </summary>
    public void WakeEnded()
    {
        LogWaiter? waiter = Volatile.Read(ref _ended) is null ? null : Interlocked.Exchange(ref _ended, null);
        while (waiter is not null)
        {
            // The link is read before the thread is woken: afterwards, it may use the object again.
            LogWaiter? next = waiter.Next;
            waiter.Wake();
            waiter = next;
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
