using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// One transfer of a batch while it runs. The pin, or the bounce buffer, is held from the entry's making until its completion has been
/// taken; <see cref="BatchRing"/> waits for all of them before it returns.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal struct BatchEntry
{
    public MemoryHandle Pin;
    public MemoryLease Bounce;

    /// <summary>The request that this entry carries.</summary>
    public int Request;

    /// <summary>Where in the file the request begins.</summary>
    public long Place;

    /// <summary>Where the transfer begins, in memory and in the file; a bounce buffer's own place when there is one.</summary>
    public nint Address;
    public long Offset;
    public int Length;

    /// <summary>Bytes at the front of a bounce buffer that were not asked for.</summary>
    public int Skip;

    /// <summary>The kernel's answer.</summary>
    public int Result;

    private nint _memory;
    private int _memoryLength;

    /// <summary>The caller's memory; valid while the pin is held.</summary>
    public readonly Span<byte> Memory => PinnedMemory.SpanOf(_memory, _memoryLength);

    /// <summary>Pins the memory of a request, which is not asked again.</summary>
    public void Fill(Memory<byte> buffer, int request, long place)
    {
        Pin = buffer.Pin();
        Request = request;
        Address = _memory = PinnedMemory.AddressOf(Pin);
        Length = _memoryLength = buffer.Length;
        Offset = Place = place;
    }
}
