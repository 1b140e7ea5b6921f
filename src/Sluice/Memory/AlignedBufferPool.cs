using System.Numerics;
using Sluice.Kernel;

namespace Sluice.Memory;

/// <summary>
/// Buffers between their uses: powers of two from 4 KiB to 1 MiB, in arrays of <see cref="MaxKeptBytes"/> together, what alignment costs
/// included; beside these, one of each size up to 64 KiB for each processor. Larger ones are not kept. Thread-safe.
/// </summary>
internal static class AlignedBufferPool
{
    /// <summary>Bytes that wait here for all processors together.</summary>
    public static int MaxKeptBytes => Tuning.MaxKeptMemoryBytes;


    /// <summary>The smallest buffers that are kept, as a power of two: a page.</summary>
    private const int SmallestLog2 = 12;

    /// <summary>The largest: 1 MiB.</summary>
    private const int LargestLog2 = 20;

    /// <summary>Sizes of which each processor has one at hand: from 4 KiB to 64 KiB.</summary>
    private const int SizesAtHand = 5;

    /// <summary>Two cache lines for each processor, so that none writes into another one's.</summary>
    private const int SlotsOfProcessor = 16;

#if DEBUG
    private const int SlabBytes = HugePages.FewestBytes / 64;
#else
    private const int SlabBytes = HugePages.FewestBytes;
#endif

    /// <summary>Smaller buffers are made singly: a small file must not cost a huge page.</summary>
    private const int SmallestInSlab = SlabBytes / 32;

    private static readonly int Processors = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, 64));
    private static readonly AlignedBuffer?[] AtHand = new AlignedBuffer?[(Processors + 1) * SlotsOfProcessor];
    private static readonly Lock SharedLock = new();
    private static readonly AlignedBuffer?[] Shared = new AlignedBuffer?[LargestLog2 - SmallestLog2 + 1];
    private static readonly int[] SharedCounts = new int[LargestLog2 - SmallestLog2 + 1];
    private static int s_sharedBytes;
    private static int s_made;
    private static int s_dropped;
    private static int s_secondReturns;
    private static long s_madeBytes;
    private static long s_droppedBytes;

    /// <summary>Leases that have not ended; exact while nobody rents or returns.</summary>
    public static int Rented
    {
        get
        {
            lock (SharedLock)
            {
                int kept = SharedCounts.Sum() + AtHand.Count(static b => b is not null);
                return Volatile.Read(ref s_made) - Volatile.Read(ref s_dropped) - kept;
            }
        }
    }

    /// <summary>Bytes of the buffers whose leases have not ended; exact while nobody rents or returns.</summary>
    public static long RentedBytes
    {
        get
        {
            long kept = AtHand.Sum(static b => (long)(b?.Length ?? 0));
            for (int size = 0; size < SharedCounts.Length; size++)
            {
                kept += (long)SharedCounts[size] << (size + SmallestLog2);
            }

            return Math.Max(0, Volatile.Read(ref s_madeBytes) - Volatile.Read(ref s_droppedBytes) - kept);
        }
    }

    /// <summary>How often a lease was ended that had ended before: a defect of its holder, which did no harm.</summary>
    public static int SecondReturns => Volatile.Read(ref s_secondReturns);

    /// <summary>Bytes of the arrays whose buffers wait here for their next use.</summary>
    public static long KeptBytes =>
        Volatile.Read(ref s_sharedBytes) + AtHand.Sum(static b => (long)(b?.Array.Length ?? 0));

    /// <summary>Memory of at least <paramref name="length"/> bytes; what is in it is anything.</summary>
    public static MemoryLease Rent(int length)
    {
        int log2 = Log2(length);
        return new MemoryLease((log2 > LargestLog2 ? null : TryTake(log2)) ?? Make(log2 > LargestLog2 ? length : 1 << log2));
    }

    /// <summary>
    /// As <see cref="Rent"/>, for one of many that carry a long file: where none is kept, a slab of huge pages is cut into buffers.
    /// </summary>
    public static MemoryLease RentOfMany(int length)
    {
        int log2 = Log2(length);
        if (log2 > LargestLog2 || 1 << log2 is < SmallestInSlab or > SlabBytes / 2)
        {
            return Rent(length);
        }

        if (TryTake(log2) is { } kept)
        {
            return new MemoryLease(kept);
        }

        AlignedBuffer[] slab = AlignedBuffer.MakeSlab(SlabBytes, 1 << log2);
        Interlocked.Add(ref s_made, slab.Length);
        Interlocked.Add(ref s_madeBytes, (long)slab.Length << log2);
        foreach (AlignedBuffer other in slab.AsSpan(1))
        {
            Share(other, log2);
        }

        return new MemoryLease(slab[0]);
    }

    /// <summary>Takes a buffer whose lease has ended.</summary>
    internal static void Keep(AlignedBuffer buffer)
    {
        int log2 = Log2(buffer.Length);
        if (log2 > LargestLog2)
        {
            Drop(buffer.Length);
        }
        else if (log2 - SmallestLog2 >= SizesAtHand || buffer.Slab is not null)
        {
            Share(buffer, log2);
        }
        else if (Interlocked.Exchange(ref SlotOf(log2), buffer) is { } before)
        {
            Share(before, log2);
        }
    }

    /// <summary>A buffer was left to the collector.</summary>
    internal static void Drop(int bytes)
    {
        Interlocked.Increment(ref s_dropped);
        Interlocked.Add(ref s_droppedBytes, bytes);
    }

    internal static void CountSecondReturn()
    {
        Interlocked.Increment(ref s_secondReturns);
#if DEBUG
        throw new InvalidOperationException("This memory was given back before.");
#endif
    }

    private static ref AlignedBuffer? SlotOf(int log2) =>
        ref AtHand[(((Thread.GetCurrentProcessorId() & (Processors - 1)) + 1) * SlotsOfProcessor) + log2 - SmallestLog2];

    private static AlignedBuffer? TryTake(int log2) =>
        (log2 - SmallestLog2 < SizesAtHand ? Interlocked.Exchange(ref SlotOf(log2), null) : null) ?? TryTakeShared(log2);

    private static AlignedBuffer? TryTakeShared(int log2)
    {
        lock (SharedLock)
        {
            return Shared[log2 - SmallestLog2] is null ? null : TakeShared(log2 - SmallestLog2);
        }
    }

    private static void Share(AlignedBuffer buffer, int log2)
    {
        int size = log2 - SmallestLog2;
        lock (SharedLock)
        {
            if ((buffer.Slab?.Bytes ?? buffer.Array.Length) > MaxKeptBytes)
            {
                Drop(buffer.Length);
                return;
            }

            // Other sizes give way, so that the next pass over a file finds all of it here; but not to a size that has most of the room.
            // Room is gained only when the last kept buffer of a slab goes.
            while (s_sharedBytes + NewBytes(buffer) > MaxKeptBytes)
            {
                bool hasMost = ((long)SharedCounts[size] << log2) + buffer.Length > MaxKeptBytes * Tuning.AlignedBufferPoolMostOfOneSize;
                int leaving = hasMost && SharedCounts[size] > 0 ? size : LargestShareBut(size);
                Drop(TakeShared(leaving).Length);
            }

            s_sharedBytes += NewBytes(buffer);
            if (buffer.Slab is { } slab)
            {
                slab.KeptBuffers++;
            }

            buffer.Next = Shared[size];
            Shared[size] = buffer;
            SharedCounts[size]++;
        }
    }

    /// <summary>How many bytes more stay in memory when the pool keeps a buffer than without it.</summary>
    private static int NewBytes(AlignedBuffer buffer) =>
        buffer.Slab is { } slab ? slab.KeptBuffers == 0 ? slab.Bytes : 0 : buffer.Array.Length;

    private static AlignedBuffer TakeShared(int size)
    {
        AlignedBuffer buffer = Shared[size]!;
        Shared[size] = buffer.Next;
        buffer.Next = null;
        SharedCounts[size]--;
        if (buffer.Slab is { } slab)
        {
            slab.KeptBuffers--;
        }

        s_sharedBytes -= NewBytes(buffer);
        return buffer;
    }

    /// <summary>The size of which most bytes wait here; <paramref name="used"/> only where no other does.</summary>
    private static int LargestShareBut(int used)
    {
        int largest = used;
        for (int size = 0; size < SharedCounts.Length; size++)
        {
            if (size != used && SharedCounts[size] > 0
                && (largest == used || (long)SharedCounts[size] << size > (long)SharedCounts[largest] << largest))
            {
                largest = size;
            }
        }

        return largest;
    }

    private static AlignedBuffer Make(int length)
    {
        // Counted when it is there: where there is no memory nobody has it.
        AlignedBuffer buffer = new(length);
        Interlocked.Increment(ref s_made);
        Interlocked.Add(ref s_madeBytes, length);
        return buffer;
    }

    private static int Log2(int length) =>
        Math.Max(SmallestLog2, 32 - BitOperations.LeadingZeroCount((uint)Math.Max(length, 1) - 1));
}
