using System.Runtime.InteropServices;

namespace Sluice.Memory;

/// <summary>
/// Pinned, page-aligned memory of the <see cref="AlignedBufferPool"/>, used through a <see cref="MemoryLease"/>. The memory is on the
/// pinned object heap, so that spans of it stay valid regardless of the buffer's owner.
/// </summary>
internal sealed class AlignedBuffer
{
    private const int PageBytes = 4096;

    private int _use;

    /// <summary>Allocates memory with unspecified content. Large memory is allocated in huge pages, as by <see cref="MakeSlab"/>.</summary>
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

    /// <summary>Gets the array. Only <see cref="Length"/> bytes from <see cref="Start"/> on may be used.</summary>
    public byte[] Array { get; }

    /// <summary>Gets the index of the first byte, which is page-aligned.</summary>
    public int Start { get; }

    public int Length { get; }

    /// <summary>Gets the slab that contains the buffer, or null if the buffer has its own array.</summary>
    public AlignedSlab? Slab { get; }

    /// <summary>Gets the address of the first byte. It does not change.</summary>
    public nint Address { get; }

    public Span<byte> Span => Array.AsSpan(Start, Length);

    public Memory<byte> Memory => MemoryAt(Start, Length);

    /// <summary>Gets the number of the current or next use.</summary>
    public int Use => Volatile.Read(ref _use);

    /// <summary>Gets or sets the next buffer in a list of the pool.</summary>
    public AlignedBuffer? Next { get; set; }

    /// <summary>
    /// Returns <paramref name="length"/> bytes from <paramref name="index"/> of the array on. The memory is already pinned, so pinning it
    /// again is cheap.
    /// </summary>
    public Memory<byte> MemoryAt(int index, int length) => MemoryMarshal.CreateFromPinnedArray(Array, index, length);

    /// <summary>Ends a use. Returns false if it had already ended. All writes of this use happen before the next use.</summary>
    public bool TryEndUse(int use) => Interlocked.CompareExchange(ref _use, use + 1, use) == use;

    /// <summary>
    /// Allocates adjacent buffers in huge pages if available. A device transfers twice as much with one contiguous range as with 256 pages,
    /// and a request of 1 MiB is not split because of the device's maximum number of segments.
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

    /// <summary>Allocates an array aligned to huge pages, unless it is too small or too long for that.</summary>
    private static byte[] AllocateLarge(int length, out int start)
    {
        bool isHuge = length >= HugePages.FewestBytes && length <= System.Array.MaxLength - HugePages.PageBytes;
        byte[] array = Allocate(length, isHuge ? HugePages.PageBytes : PageBytes, out start);
        HugePages.Advise(array.AsSpan(start, length));
        return array;
    }

    /// <summary>Allocates an array that is longer by the alignment, because direct transfers need aligned memory.</summary>
    private static byte[] Allocate(int length, int alignment, out int start)
    {
        byte[] array = GC.AllocateUninitializedArray<byte>(length + alignment, pinned: true);
        start = (int)(-Marshal.UnsafeAddrOfPinnedArrayElement(array, 0) & (alignment - 1));
        return array;
    }
}

/// <summary>An array that several buffers share. It stays in memory as long as the pool contains one of them.</summary>
internal sealed class AlignedSlab(int bytes)
{
    public int Bytes => bytes;

    /// <summary>Gets or sets the number of its buffers in the pool. Protected by the pool's lock.</summary>
    public int KeptBuffers { get; set; }
}
