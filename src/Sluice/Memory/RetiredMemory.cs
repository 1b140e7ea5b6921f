namespace Sluice.Memory;

/// <summary>
/// Memory whose owner is done with it while another thread may still be inside one of the owner's quick ways, which take no lock: it goes
/// back to the pool in batches, each after one barrier for all threads of the process. Thread-safe.
/// </summary>
/// <remarks>
/// A quick way sets a mark with a plain store, then asks with a plain load whether the memory is still the owner's, copies, and takes the
/// mark off. The owner first says that the memory is not its own any more, then retires it. After the barrier each thread either sees that,
/// or its mark is seen here; memory of an owner whose mark is set is left to the collector.
/// </remarks>
internal static class RetiredMemory
{
    /// <summary>Retired blocks that are given back together (0006).</summary>
    private const int BatchCount = 32;

    /// <summary>Bytes of them after which they are (0006).</summary>
    private const long BatchBytes = 4 << 20;

    private static readonly Lock BatchLock = new();
    private static readonly MemoryLease[] Batch = new MemoryLease[BatchCount];

    /// <summary>
    /// Known weakly: what waits here must not keep a stream that nobody has any more, with its file and what it has not written yet, from
    /// being collected. A user that is gone is in no quick way.
    /// </summary>
    private static readonly WeakReference<IMemoryUser?>[] Users =
        [.. Enumerable.Range(0, BatchCount).Select(static _ => new WeakReference<IMemoryUser?>(null))];

    private static int s_count;
    private static long s_bytes;

    /// <summary>Leases that wait here.</summary>
    public static int Count => Volatile.Read(ref s_count);

    /// <summary>Their bytes.</summary>
    public static long Bytes => Volatile.Read(ref s_bytes);

    /// <summary>Takes memory that <paramref name="user"/> has given up, and whose quick ways will not find any more.</summary>
    public static void Add(MemoryLease lease, IMemoryUser user)
    {
        if (lease.IsEmpty)
        {
            return;
        }

        // A stream that is being closed gives its memory up here: an interruption must not leave it half closed.
        using (BatchLock.EnterUninterrupted())
        {
            Users[s_count].SetTarget(user);
            Batch[s_count++] = lease;
            s_bytes += lease.Length;
            if (s_count == BatchCount || s_bytes >= BatchBytes)
            {
                Release();
            }
        }
    }

    /// <summary>
    /// Memory of at least <paramref name="size"/> bytes that <paramref name="user"/> itself has given up and that still waits, the last
    /// first; empty where there is none. It needs no barrier: what a quick way of the user may still put into it is the user's own.
    /// </summary>
    public static MemoryLease TakeBack(IMemoryUser user, int size)
    {
        using (BatchLock.EnterUninterrupted())
        {
            for (int i = s_count - 1; i >= 0; i--)
            {
                if (Batch[i].Length >= size && Users[i].TryGetTarget(out IMemoryUser? found) && found == user)
                {
                    MemoryLease lease = Batch[i];
                    Batch[i] = Batch[--s_count];
                    Batch[s_count] = default;
                    (Users[i], Users[s_count]) = (Users[s_count], Users[i]);
                    s_bytes -= lease.Length;
                    return lease;
                }
            }

            return default;
        }
    }

    /// <summary>Nothing waits any more: for tests that count.</summary>
    public static void Flush()
    {
        using (BatchLock.EnterUninterrupted())
        {
            Release();
        }
    }

    private static void Release()
    {
        Interlocked.MemoryBarrierProcessWide();
        for (int i = 0; i < s_count; i++)
        {
            if (Users[i].TryGetTarget(out IMemoryUser? user) && user.IsCopying)
            {
                Batch[i].LeaveToCollector();
            }
            else
            {
                Batch[i].Return();
            }
        }

        Batch.AsSpan(0, s_count).Clear();
        s_count = 0;
        s_bytes = 0;
    }
}
