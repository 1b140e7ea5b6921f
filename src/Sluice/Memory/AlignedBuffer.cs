using System.Runtime.InteropServices;

namespace Sluice.Memory;

/// <summary>
/// Pinned memory that begins at a page's border, as <see cref="AlignedBufferPool"/> keeps it; who uses it has a <see cref="MemoryLease"/>.
/// It lies on the pinned heap, so that a span of it that a caller still holds keeps it alive, whatever became of its owner.
/// </summary>
internal sealed class AlignedBuffer
{
    private const int PageBytes = 4096;

    private int _use;

    /// <summary>Memory whose contents are anything; large memory in huge pages, as <see cref="MakeSlab"/>.</summary>
    public AlignedBuffer(int length)
        : this(AllocateLarge(length, out int start), start, length)
    {
    }

    private AlignedBuffer(byte[] array, int start, int length, AlignedSlab? slab = null)
    {
        Slab = slab;
        Array = array;
        Start = start;
        Length = length;
        Address = Marshal.UnsafeAddrOfPinnedArrayElement(array, start);
    }

    /// <summary>The array; only <see cref="Length"/> bytes from <see cref="Start"/> on are to be used.</summary>
    public byte[] Array { get; }

    /// <summary>Index of the first byte, at a page's border.</summary>
    public int Start { get; }

    public int Length { get; }

    /// <summary>What it is a part of; null where the array is its own.</summary>
    public AlignedSlab? Slab { get; }

    /// <summary>Where the first byte lies; fixed for the buffer's life.</summary>
    public nint Address { get; }

    public Span<byte> Span => Array.AsSpan(Start, Length);

    public Memory<byte> Memory => MemoryAt(Start, Length);

    /// <summary>The number of its present or next use.</summary>
    public int Use => Volatile.Read(ref _use);

    /// <summary>The pool's list.</summary>
    public AlignedBuffer? Next { get; set; }

    /// <summary>Bytes from <paramref name="index"/> of the array on; pinning them again costs nothing.</summary>
    public Memory<byte> MemoryAt(int index, int length) => MemoryMarshal.CreateFromPinnedArray(Array, index, length);

    /// <summary>Ends a use; false when it has ended before. What its user did to the memory comes before what the next does.</summary>
    public bool TryEndUse(int use) => Interlocked.CompareExchange(ref _use, use + 1, use) == use;

    /// <summary>
    /// Buffers side by side in huge pages, where the system has them: a device that is given one piece of memory instead of 256 pages does
    /// twice as much, and a request of 1 MiB is not cut in two by the most pieces that the device takes.
    /// </summary>
    public static AlignedBuffer[] MakeSlab(int slabBytes, int length)
    {
        byte[] array = AllocateLarge(slabBytes, out int start);
        AlignedSlab slab = new(array.Length);
        AlignedBuffer[] buffers = new AlignedBuffer[slabBytes / length];
        for (int i = 0; i < buffers.Length; i++)
        {
            buffers[i] = new AlignedBuffer(array, start + (i * length), length, slab);
        }

        return buffers;
    }

    /// <summary>At a huge page's border, unless it is small, or so long that no array has room for that.</summary>
    private static byte[] AllocateLarge(int length, out int start)
    {
        bool isHuge = length >= HugePages.FewestBytes && length <= System.Array.MaxLength - HugePages.PageBytes;
        byte[] array = Allocate(length, isHuge ? HugePages.PageBytes : PageBytes, out start);
        HugePages.Advise(array.AsSpan(start, length));
        return array;
    }

    /// <summary>Direct transfers need aligned memory; an array can only be over-allocated to have it.</summary>
    private static byte[] Allocate(int length, int alignment, out int start)
    {
        byte[] array = GC.AllocateUninitializedArray<byte>(length + alignment, pinned: true);
        start = (int)(-Marshal.UnsafeAddrOfPinnedArrayElement(array, 0) & (alignment - 1));
        return array;
    }
}

/// <summary>An array that several buffers share: all of it stays in memory while the pool keeps any of them.</summary>
internal sealed class AlignedSlab(int bytes)
{
    public int Bytes => bytes;

    /// <summary>How many of its buffers the pool keeps; guarded by the pool's lock.</summary>
    public int KeptBuffers { get; set; }
}
