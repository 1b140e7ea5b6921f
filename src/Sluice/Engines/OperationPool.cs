namespace Sluice.Engines;

/// <summary>Keeps unused operations: some for each thread, which need no lock, and the others in a shared list. Thread-safe.</summary>
internal static class OperationPool
{
    /// <summary>
    /// The maximum number of operations that are kept for a thread. Half of them go to the shared list when it is exceeded.
    /// </summary>
    private const int MaxLocal = 32;

    /// <summary>The maximum number of operations in the shared list.</summary>
    private const int MaxShared = 16_384;

    private static readonly Lock SharedLock = new();
    private static IoOperation? s_shared;
    private static int s_sharedCount;
    private static long s_created;

    [ThreadStatic]
    private static IoOperation? t_local;

    [ThreadStatic]
    private static int t_localCount;

    /// <summary>The number of operations that were created since the start of the process.</summary>
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

        // A thread that completes more operations than it starts moves half of its list at once, so that it seldom needs the lock.
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

                // Moves more operations to this thread's list, so that its next calls need no lock.
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
