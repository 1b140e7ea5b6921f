using System.Runtime.InteropServices;
using Sluice.Interop;

namespace Sluice.Sequential;

/// <summary>
/// Page-aligned memory of a sequential reader or writer. It lies on the pinned heap, so that a span of it that a caller still holds
/// keeps it alive, whatever became of the reader.
/// </summary>
internal sealed class Block
{
    private const int PageBytes = 4096;

    private readonly byte[] _array;
    private readonly int _start;

    public Block(int capacity)
        : this(Allocate(capacity, out int start), start, capacity)
    {
    }

    private Block(byte[] array, int start, int capacity)
    {
        _array = array;
        _start = start;
        Address = Marshal.UnsafeAddrOfPinnedArrayElement(array, start);
        Capacity = capacity;
    }

    public int Capacity { get; }

    /// <summary>Where the block begins; fixed for its life.</summary>
    public nint Address { get; }

    public Span<byte> Span => _array.AsSpan(_start, Capacity);

    public Memory<byte> Memory => _array.AsMemory(_start, Capacity);

    /// <summary>
    /// Blocks side by side in huge pages, where the system has them: a device that is given one piece of memory instead of 256 pages does
    /// twice as much, and a request of 1 MiB is not cut in two by the most pieces that the device takes.
    /// </summary>
    public static Block[] MakeSlab(int slabBytes, int capacity)
    {
        byte[] array = Allocate(slabBytes, out int start);
        Block[] blocks = new Block[slabBytes / capacity];
        for (int i = 0; i < blocks.Length; i++)
        {
            blocks[i] = new Block(array, start + (i * capacity), capacity);
        }

        return blocks;
    }

    private static byte[] Allocate(int size, out int start)
    {
        int alignment = size >= HugePages.FewestBytes ? HugePages.PageBytes : PageBytes;
        byte[] array = GC.AllocateUninitializedArray<byte>(size + alignment, pinned: true);
        start = (int)(-Marshal.UnsafeAddrOfPinnedArrayElement(array, 0) & (alignment - 1));
        HugePages.Advise(array.AsSpan(start, size));
        return array;
    }
}
