using System.Numerics;
using Sluice.Kernel;

namespace Sluice.Memory;

/// <summary>
/// A pool of buffers whose sizes are powers of two from 4 KiB to 1 MiB. It keeps up to <see cref="MaxKeptBytes"/> of arrays, including the
/// overhead of alignment, and in addition one buffer of each size up to 64 KiB for each processor. Larger buffers are not pooled.
/// Thread-safe.
/// </summary>
internal static class AlignedBufferPool
{
    /// <summary>Gets the maximum number of pooled bytes that all processors share.</summary>
    public static int MaxKeptBytes => Tuning.MaxKeptMemoryBytes;


    /// <summary>The smallest pooled size, as a power of two: a page.</summary>
    private const int SmallestLog2 = 12;

    /// <summary>The largest pooled size, as a power of two: 1 MiB.</summary>
    private const int LargestLog2 = 20;

    /// <summary>The number of sizes, from 4 KiB to 64 KiB, of which each processor has one buffer.</summary>
    private const int SizesAtHand = 5;

    /// <summary>The number of slots of a processor: two cache lines, to avoid false sharing.</summary>
    private const int SlotsOfProcessor = 16;

#if DEBUG
    private const int SlabBytes = HugePages.FewestBytes / 64;
#else
    private const int SlabBytes = HugePages.FewestBytes;
#endif

    /// <summary>
    /// The minimum size of a buffer in a slab. Smaller buffers are allocated individually, so that a small file does not occupy a huge
    /// page.
    /// </summary>
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

    /// <summary>Gets the number of leases that have not ended. Exact only if no other thread uses the pool.</summary>
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

    /// <summary>Gets the size of the buffers whose leases have not ended, in bytes. Exact only if no other thread uses the pool.</summary>
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

    /// <summary>Gets the number of leases that were ended twice. This is a defect of the caller, and has no effect on the pool.</summary>
    public static int SecondReturns => Volatile.Read(ref s_secondReturns);

    /// <summary>Gets the size of the arrays in the pool, in bytes.</summary>
    public static long KeptBytes =>
        Volatile.Read(ref s_sharedBytes) + AtHand.Sum(static b => (long)(b?.Array.Length ?? 0));

    /// <summary>Returns memory of at least <paramref name="length"/> bytes with unspecified content.</summary>
    public static MemoryLease Rent(int length)
    {
        int log2 = Log2(length);
        return new MemoryLease((log2 > LargestLog2 ? null : TryTake(log2)) ?? Make(log2 > LargestLog2 ? length : 1 << log2));
    }

    /// <summary>
    /// Returns memory like <see cref="Rent"/>, for one of many buffers for a large file: if the pool has none, a slab of huge pages is
    /// divided into buffers.
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

    /// <summary>Returns a buffer to the pool after its lease has ended, or leaves it to the garbage collector if it is too large.</summary>
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

    /// <summary>Counts a buffer that is left to the garbage collector.</summary>
    internal static void Drop(int bytes)
    {
        Interlocked.Increment(ref s_dropped);
        Interlocked.Add(ref s_droppedBytes, bytes);
    }

    internal static void CountSecondReturn()
    {
        Interlocked.Increment(ref s_secondReturns);
#if DEBUG
        throw new InvalidOperationException("This memory has already been returned.");
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

            // Removes buffers of other sizes, so that the next pass over a file finds all its buffers here, unless this size already takes
            // most of the space. A slab is freed only with its last buffer.
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

    /// <summary>Returns the number of additional bytes that stay in memory if the pool keeps a buffer.</summary>
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

    /// <summary>
    /// Returns the size with the most pooled bytes other than <paramref name="used"/>, or <paramref name="used"/> if there is no other.
    /// </summary>
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
        AlignedBuffer buffer = new(length);
        Interlocked.Increment(ref s_made);
        Interlocked.Add(ref s_madeBytes, length);
        return buffer;
    }

    private static int Log2(int length) =>
        Math.Max(SmallestLog2, 32 - BitOperations.LeadingZeroCount((uint)Math.Max(length, 1) - 1));
}
