using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sluice.Sequential;

/// <summary>Bytes seen as records, without a copy; valid as long as the bytes are.</summary>
internal sealed class RecordMemory<T>(Memory<byte> bytes) : MemoryManager<T>
    where T : unmanaged
{
    public override Span<T> GetSpan() => MemoryMarshal.Cast<byte, T>(bytes.Span);

    public override MemoryHandle Pin(int elementIndex = 0) => bytes[(elementIndex * Unsafe.SizeOf<T>())..].Pin();

    public override void Unpin()
    {
        // The handle that Pin gave unpins the bytes by itself.
    }

    protected override void Dispose(bool disposing)
    {
    }
}
