using System.Numerics;

namespace Sluice.Streams;

/// <summary>Buffers of streams, in powers of two; a bounded number of each is kept, larger ones are not kept at all. Thread-safe.</summary>
internal static class StreamBufferPool
{
    private const int SmallestLog2 = 12;
    private const int LargestLog2 = 20;

    /// <summary>Bytes kept of each size, at most.</summary>
    private const int MostKept = 4 * 1024 * 1024;

    private static readonly SizeClass[] Classes =
        [.. Enumerable.Range(SmallestLog2, LargestLog2 - SmallestLog2 + 1).Select(static log2 => new SizeClass(1 << log2))];

    private static int s_rented;

    /// <summary>Buffers that are out now.</summary>
    public static int Rented => Volatile.Read(ref s_rented);

    /// <summary>A buffer of at least <paramref name="size"/> bytes.</summary>
    public static StreamBuffer Rent(int size)
    {
        Interlocked.Increment(ref s_rented);
        int log2 = Log2(size);
        return log2 > LargestLog2 ? new StreamBuffer(size) : Classes[log2 - SmallestLog2].Rent();
    }

    public static void Return(StreamBuffer buffer)
    {
        Interlocked.Decrement(ref s_rented);
        int log2 = Log2(buffer.Size);
        if (log2 <= LargestLog2)
        {
            Classes[log2 - SmallestLog2].Return(buffer);
        }
    }

    private static int Log2(int size) =>
        Math.Max(SmallestLog2, 32 - BitOperations.LeadingZeroCount((uint)Math.Max(size, 1) - 1));

    private sealed class SizeClass(int size)
    {
        private readonly Lock _lock = new();
        private readonly int _most = MostKept / size;
        private StreamBuffer? _first;
        private int _count;

        public StreamBuffer Rent()
        {
            lock (_lock)
            {
                if (_first is { } buffer)
                {
                    _first = buffer.Next;
                    buffer.Next = null;
                    _count--;
                    return buffer;
                }
            }

            return new StreamBuffer(size);
        }

        public void Return(StreamBuffer buffer)
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
