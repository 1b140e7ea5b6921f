using System.Runtime.InteropServices;

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
    {
        _array = GC.AllocateUninitializedArray<byte>(capacity + PageBytes, pinned: true);
        nint address = Marshal.UnsafeAddrOfPinnedArrayElement(_array, 0);
        _start = (int)(-address & (PageBytes - 1));
        Address = address + _start;
        Capacity = capacity;
    }

    public int Capacity { get; }

    /// <summary>Where the block begins; fixed for its life.</summary>
    public nint Address { get; }

    public Span<byte> Span => _array.AsSpan(_start, Capacity);

    public Memory<byte> Memory => _array.AsMemory(_start, Capacity);
}
