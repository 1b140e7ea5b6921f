using System.Numerics;

namespace Sluice.Streams;

/// <summary>
/// Determines the size of a stream's transfers if no buffer size is specified: small at first and after each change of position, four times
/// larger with each transfer that begins where the last one ended.
/// </summary>
internal struct AdaptiveSize
{
#if DEBUG
    /// <summary>
    /// The size of the first transfer, in bytes. Small in Debug builds, so that tests cover the boundaries of the window.
    /// </summary>
    public const int Start = 512;

    /// <summary>The maximum size of a read, in bytes.</summary>
    public const int MaxRead = 8 * 1024;

    /// <summary>The maximum size of a write, in bytes.</summary>
    public const int MaxWrite = 16 * 1024;

    /// <summary>The maximum size of a direct transfer, in bytes.</summary>
    public const int MaxDirect = 16 * 1024;

    /// <summary>The size from which a transfer is worth a switch to another thread, and a read is worth its own system call.</summary>
    public const int Large = 2 * 1024;
#else
    /// <summary>The size of the first transfer, in bytes, as with FileStream.</summary>
    public const int Start = 4 * 1024;

    /// <summary>
    /// The maximum size of a read, in bytes. Larger arrays are on the large object heap and would cause full collections.
    /// </summary>
    public const int MaxRead = 64 * 1024;

    /// <inheritdoc cref="MaxRead"/>
    public const int MaxWrite = 64 * 1024;

    /// <summary>The maximum size of a direct transfer, in bytes.</summary>
    public const int MaxDirect = 512 * 1024;

    /// <summary>The size from which a transfer is worth a switch to another thread, and a read is worth its own system call.</summary>
    public const int Large = 32 * 1024;
#endif

    private const int Growth = 4;

    private const ulong SizeMask = 0x3F;
    private const ulong SequentialBit = 0x40;
    private const int OffsetShift = 7;

    // One word, because each stream contains one: the logarithm of the size, the sequential flag, and the expected offset plus one.
    private ulong _packed = (ulong)BitOperations.Log2(Start);

    public AdaptiveSize()
    {
    }

    /// <summary>Gets the size of the next transfer, in bytes; a power of two.</summary>
    public readonly int Current => 1 << (int)(_packed & SizeMask);

    /// <summary>Gets a value that indicates whether the last transfer began where the one before it ended.</summary>
    public readonly bool IsSequential => (_packed & SequentialBit) != 0;

    /// <summary>Gets the end of the last full transfer, or -1.</summary>
    private readonly long Expected => (long)(_packed >> OffsetShift) - 1;

    /// <summary>Determines the size of a transfer that begins at <paramref name="offset"/>.</summary>
    /// <param name="offset">The offset in the file, in bytes.</param>
    /// <param name="most">The maximum size, a power of two.</param>
    public int Next(long offset, int most)
    {
        bool isSequential = offset == Expected;
        int size = isSequential ? Math.Min(Current * Growth, most) : Start;
        Pack(size, isSequential, Expected);
        return size;
    }

    /// <summary>
    /// Records the end of a transfer. A transfer that did not use its full size (a flush of a partly filled buffer, the end of the file)
    /// does not increase the size.
    /// </summary>
    public void Ended(long end, bool wasWhole) => Pack(Current, IsSequential, wasWhole ? end : -1);

    /// <summary>Resets the size: the next transfer is treated as the first one.</summary>
    public void Reset() => Pack(Current, IsSequential, -1);

    // An offset of 64 PiB or more does not fit, and the next transfer is then not sequential.
    private void Pack(int size, bool isSequential, long expected) =>
        _packed = (uint)BitOperations.Log2((uint)size) | (isSequential ? SequentialBit : 0)
            | (expected < long.MaxValue >> OffsetShift ? (ulong)(expected + 1) << OffsetShift : 0);
}
