using System.Runtime.InteropServices;

namespace Sluice.Interop;

/// <summary>Page-aligned native memory; freed when its owner is collected, so nobody may keep the address longer than the owner.</summary>
internal sealed unsafe class NativeBlock
{
    private const int PageBytes = 4096;

    private readonly void* _memory;

    public NativeBlock(int length)
    {
        _memory = NativeMemory.AlignedAlloc((nuint)length, PageBytes);

        // What a transfer does not fill must not show what was in this memory before.
        NativeMemory.Clear(_memory, (nuint)length);
    }

    ~NativeBlock() => NativeMemory.AlignedFree(_memory);

    public nint Address => (nint)_memory;
}
