using System.Numerics;
using Sluice.Interop;

namespace Sluice.Buffers;

/// <summary>
/// Buffers between their uses: powers of two from 4 KiB to 1 MiB, a bounded number of each; larger ones are not kept. Thread-safe.
/// </summary>
internal static class AlignedBufferPool
{
    private const int SmallestLog2 = 12;
    private const int LargestLog2 = 20;
    private const int MostKeptBytes = 16 * 1024 * 1024;
    private const int MostKept = 256;

#if DEBUG
    private const int SlabBytes = HugePages.FewestBytes / 64;
#else
    private const int SlabBytes = HugePages.FewestBytes;
#endif

    /// <summary>Smaller buffers are made singly: a small file must not cost a huge page.</summary>
    private const int SmallestInSlab = SlabBytes / 32;

    private static readonly SizeClass[] Classes =
        [.. Enumerable.Range(SmallestLog2, LargestLog2 - SmallestLog2 + 1).Select(static log2 => new SizeClass(1 << log2))];

    private static int s_rented;

    /// <summary>Buffers that are out now.</summary>
    public static int Rented => Volatile.Read(ref s_rented);

    /// <summary>Bytes of the buffers that wait here for their next use.</summary>
    public static long KeptBytes => Classes.Sum(static c => c.KeptBytes);

    /// <summary>A buffer of at least <paramref name="length"/> bytes; what is in it is anything.</summary>
    public static AlignedBuffer Rent(int length)
    {
        int log2 = Log2(length);
        AlignedBuffer? kept = log2 > LargestLog2 ? null : Classes[log2 - SmallestLog2].TryRent();
        return Counted(kept ?? new AlignedBuffer(log2 > LargestLog2 ? length : 1 << log2));
    }

    /// <summary>
    /// As <see cref="Rent"/>, for one of many that carry a long file: where none is kept, a slab of huge pages is cut into buffers.
    /// </summary>
    public static AlignedBuffer RentOfMany(int length)
    {
        int log2 = Log2(length);
        if (1 << log2 is < SmallestInSlab or > SlabBytes / 2 || log2 > LargestLog2)
        {
            return Rent(length);
        }

        SizeClass sizeClass = Classes[log2 - SmallestLog2];
        if (sizeClass.TryRent() is { } kept)
        {
            return Counted(kept);
        }

        AlignedBuffer[] slab = AlignedBuffer.MakeSlab(SlabBytes, 1 << log2);
        foreach (AlignedBuffer other in slab.AsSpan(1))
        {
            sizeClass.Return(other);
        }

        return Counted(slab[0]);
    }

    /// <summary>Takes a buffer back. Nobody may write into it any more, the kernel included.</summary>
    public static void Return(AlignedBuffer buffer)
    {
        Interlocked.Decrement(ref s_rented);
        int log2 = Log2(buffer.Length);
        if (log2 <= LargestLog2)
        {
            Classes[log2 - SmallestLog2].Return(buffer);
        }
    }

    private static AlignedBuffer Counted(AlignedBuffer buffer)
    {
        Interlocked.Increment(ref s_rented);
        return buffer;
    }

    private static int Log2(int length) =>
        Math.Max(SmallestLog2, 32 - BitOperations.LeadingZeroCount((uint)Math.Max(length, 1) - 1));

    private sealed class SizeClass(int bytes)
    {
        private readonly Lock _lock = new();
        private readonly int _most = Math.Min(MostKept, MostKeptBytes / bytes);
        private AlignedBuffer? _first;
        private int _count;

        public long KeptBytes => (long)Volatile.Read(ref _count) * bytes;

        public AlignedBuffer? TryRent()
        {
            lock (_lock)
            {
                AlignedBuffer? buffer = _first;
                if (buffer is not null)
                {
                    _first = buffer.Next;
                    buffer.Next = null;
                    _count--;
                }

                return buffer;
            }
        }

        public void Return(AlignedBuffer buffer)
        {
            lock (_lock)
            {
                if (_count < _most)
                {
                    buffer.Next = _first;
                    _first = buffer;
                    _count++;
                }
            }
        }
    }
}
