using System.Buffers;

namespace Sluice.Memory;

/// <summary>A <see cref="Memory{T}"/> over memory that other code keeps pinned. It is valid as long as that pin.</summary>
internal sealed unsafe class PinnedMemoryManager(nint address, int length) : MemoryManager<byte>
{
    public override Span<byte> GetSpan() => new((void*)address, length);

    public override MemoryHandle Pin(int elementIndex = 0) => new((byte*)address + elementIndex);

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}
