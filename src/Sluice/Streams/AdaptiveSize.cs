using System.Numerics;

namespace Sluice.Streams;

/// <summary>
/// How much a stream transfers at once when nobody fixed it: little at first and after every jump, four times as much each time the next
/// transfer begins where the last one ended.
/// </summary>
internal struct AdaptiveSize
{
#if DEBUG
    /// <summary>Bytes of the first transfer: tiny in Debug builds, so that every test walks the seams.</summary>
    public const int Start = 512;

    /// <summary>Bytes of the largest read.</summary>
    public const int MaxRead = 8 * 1024;

    /// <summary>Bytes of the largest write.</summary>
    public const int MaxWrite = 16 * 1024;

    /// <summary>Bytes of the largest direct transfer.</summary>
    public const int MaxDirect = 16 * 1024;

    /// <summary>From here on a transfer is worth a hop to another thread, and a read as large as this its own system call.</summary>
    public const int Large = 2 * 1024;
#else
    /// <summary>Bytes of the first transfer, as much as FileStream reads.</summary>
    public const int Start = 4 * 1024;

    /// <summary>Bytes of the largest read. Larger arrays are on the large object heap, and would cause full collections.</summary>
    public const int MaxRead = 64 * 1024;

    /// <inheritdoc cref="MaxRead"/>
    public const int MaxWrite = 64 * 1024;

    /// <summary>Bytes of the largest direct transfer.</summary>
    public const int MaxDirect = 512 * 1024;

    /// <summary>From here on a transfer is worth a hop to another thread, and a read as large as this its own system call.</summary>
    public const int Large = 32 * 1024;
#endif

    private const int Growth = 4;

    private const ulong SizeMask = 0x3F;
    private const ulong SequentialBit = 0x40;
    private const int OffsetShift = 7;

    // One word, for there is one in each stream: the logarithm of the size, whether it follows on, and one more than the expected offset.
    private ulong _packed = (ulong)BitOperations.Log2(Start);

    public AdaptiveSize()
    {
    }

    /// <summary>Bytes of the next transfer, as last decided; a power of two.</summary>
    public readonly int Current => 1 << (int)(_packed & SizeMask);

    /// <summary>Whether the last transfer begun by <see cref="Next"/> followed on the one before it.</summary>
    public readonly bool IsSequential => (_packed & SequentialBit) != 0;

    /// <summary>Where the last whole transfer ended; -1 where none did.</summary>
    private readonly long Expected => (long)(_packed >> OffsetShift) - 1;

    /// <summary>Decides the size of a transfer that begins at <paramref name="offset"/>.</summary>
    /// <param name="offset">Bytes from the start of the file.</param>
    /// <param name="most">The largest size, a power of two.</param>
    public int Next(long offset, int most)
    {
        bool isSequential = offset == Expected;
        int size = isSequential ? Math.Min(Current * Growth, most) : Start;
        Pack(size, isSequential, Expected);
        return size;
    }

    /// <summary>
    /// Books where the transfer ended. One that did not use its size (a flush before the buffer was full, the end of the file) is no
    /// reason for a larger one.
    /// </summary>
    public void Ended(long end, bool wasWhole) => Pack(Current, IsSequential, wasWhole ? end : -1);

    /// <summary>Forgets the past: the next transfer is a first one.</summary>
    public void Reset() => Pack(Current, IsSequential, -1);

    // An offset beyond 128 PiB does not fit: nothing follows on there.
    private void Pack(int size, bool isSequential, long expected) =>
        _packed = (uint)BitOperations.Log2((uint)size) | (isSequential ? SequentialBit : 0)
            | (expected < long.MaxValue >> OffsetShift ? (ulong)(expected + 1) << OffsetShift : 0);
}
