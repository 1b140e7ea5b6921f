using System.Runtime.InteropServices;

namespace Sluice.Streams;

/// <summary>
/// A piece of pinned memory that begins at a page's border. Owned by one stream, or by one transfer in flight, between Rent and Return
/// of <see cref="StreamBufferPool"/>; one that is never returned is collected.
/// </summary>
internal sealed class StreamBuffer
{
    private const int Page = 4096;

    public StreamBuffer(int size)
    {
        // Direct transfers need aligned memory; an array can only be over-allocated to have it.
        Array = GC.AllocateUninitializedArray<byte>(size + Page, pinned: true);
        long address = Marshal.UnsafeAddrOfPinnedArrayElement(Array, 0);
        Start = (int)(-address & (Page - 1));
        Size = size;
    }

    /// <summary>The array; only <see cref="Size"/> bytes from <see cref="Start"/> on are to be used.</summary>
    public byte[] Array { get; }

    /// <summary>Index of the first byte, at a page's border.</summary>
    public int Start { get; }

    public int Size { get; }

    /// <summary>The pool's list.</summary>
    public StreamBuffer? Next { get; set; }

    /// <summary>Bytes from <paramref name="index"/> of the array on; pinning them again costs nothing.</summary>
    public Memory<byte> MemoryAt(int index, int length) => MemoryMarshal.CreateFromPinnedArray(Array, index, length);
}
