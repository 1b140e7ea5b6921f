namespace Sluice.Buffers;

/// <summary>Aligned buffers for direct transfers whose memory or place is not aligned: three sizes, a bounded number of each kept.</summary>
internal static class AlignedBufferPool
{
#if DEBUG
    /// <summary>The largest buffer, in bytes: small in Debug builds, so that every test walks the seams.</summary>
    public const int MostBytes = 16 * 1024;
#else
    /// <summary>The largest buffer, in bytes; longer transfers go through it piece by piece.</summary>
    public const int MostBytes = 1024 * 1024;
#endif

    private static readonly SizeClass[] Classes = [new(8 * 1024, 256), new(Math.Min(MostBytes, 64 * 1024), 64), new(MostBytes, 16)];

    private static int s_rented;

    /// <summary>Buffers that are out now.</summary>
    public static int Rented => Volatile.Read(ref s_rented);

    /// <summary>A buffer of at least <paramref name="length"/> bytes.</summary>
    public static AlignedBuffer Rent(int length)
    {
        foreach (SizeClass sizeClass in Classes)
        {
            if (length <= sizeClass.Bytes)
            {
                AlignedBuffer buffer = sizeClass.Rent();
                Interlocked.Increment(ref s_rented);
                return buffer;
            }
        }

        throw new ArgumentOutOfRangeException(nameof(length));
    }

    public static void Return(AlignedBuffer buffer)
    {
        Interlocked.Decrement(ref s_rented);
        foreach (SizeClass sizeClass in Classes)
        {
            if (buffer.Length == sizeClass.Bytes)
            {
                sizeClass.Return(buffer);
                return;
            }
        }
    }

    private sealed class SizeClass(int bytes, int most)
    {
        private readonly Lock _lock = new();
        private AlignedBuffer? _first;
        private int _count;

        public int Bytes { get; } = bytes;

        public AlignedBuffer Rent()
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

            return new AlignedBuffer(Bytes);
        }

        public void Return(AlignedBuffer buffer)
        {
            lock (_lock)
            {
                if (_count < most)
                {
                    buffer.Next = _first;
                    _first = buffer;
                    _count++;
                }
            }
        }
    }
}
