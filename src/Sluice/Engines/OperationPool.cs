namespace Sluice.Engines;

/// <summary>
/// Finished operations wait here for their next use: a few for each thread without a lock, the others on one list. The list holds
/// at most what was ever in flight at once, and no more than <see cref="MaxShared"/>.
/// </summary>
internal static class OperationPool
{
    /// <summary>Finished operations kept for a thread without a lock; half goes to the shared list at once.</summary>
    private const int MaxLocal = 32;

    /// <summary>Finished operations on the shared list.</summary>
    private const int MaxShared = 16_384;

    private static readonly Lock SharedLock = new();
    private static IoOperation? s_shared;
    private static int s_sharedCount;
    private static long s_created;

    /// <summary>This thread's alone, so that taking one needs neither a lock nor another processor's cache line.</summary>
    [ThreadStatic]
    private static IoOperation? t_local;

    /// <summary>How many <see cref="t_local"/> leads to, so that what a thread does not use goes to the others.</summary>
    [ThreadStatic]
    private static int t_localCount;

    /// <summary>How many operations were ever made: flat in a program that leaks none.</summary>
    public static long Created => Volatile.Read(ref s_created);

    public static IoOperation Rent()
    {
        if (t_local is { } local)
        {
            t_local = local.Next;
            t_localCount--;
            local.Next = null;
            return local;
        }

        return RentShared();
    }

    public static void Return(IoOperation operation)
    {
        if (t_localCount < MaxLocal)
        {
            operation.Next = t_local;
            t_local = operation;
            t_localCount++;
            return;
        }

        // The thread that finishes is not the thread that starts: give half away, so that the list is visited rarely.
        IoOperation first = operation;
        IoOperation last = operation;
        int count = 1;
        for (; count <= MaxLocal / 2; count++)
        {
            IoOperation next = t_local!;
            t_local = next.Next;
            last.Next = next;
            last = next;
            t_localCount--;
        }

        using (SharedLock.EnterScope())
        {
            if (s_sharedCount + count > MaxShared)
            {
                return;
            }

            last.Next = s_shared;
            s_shared = first;
            s_sharedCount += count;
        }
    }

    private static IoOperation RentShared()
    {
        using (SharedLock.EnterScope())
        {
            if (s_shared is { } first)
            {
                s_shared = first.Next;
                s_sharedCount--;
                first.Next = null;

                // Take some more for this thread while the lock is held.
                for (int i = 0; i < MaxLocal / 2 && s_shared is { } more; i++)
                {
                    s_shared = more.Next;
                    s_sharedCount--;
                    more.Next = t_local;
                    t_local = more;
                    t_localCount++;
                }

                return first;
            }
        }

        Interlocked.Increment(ref s_created);
        return new IoOperation();
    }
}
