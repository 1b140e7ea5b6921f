using System.Buffers;
using System.Runtime.CompilerServices;

namespace Sluice.Tests.Support;

/// <summary>Elements of zeros that can only be read: all of them are one page, however many there are. Linux only.</summary>
internal sealed unsafe class ZeroMemory<T>(int count) : MemoryManager<T>
    where T : unmanaged
{
    private readonly nint _address = Native.MapZeros((nint)count * Unsafe.SizeOf<T>());

    public override Span<T> GetSpan() => new((void*)_address, count);

    public override MemoryHandle Pin(int elementIndex = 0) => new((T*)_address + elementIndex);

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing) => Native.Unmap(_address, (nint)count * Unsafe.SizeOf<T>());
}
