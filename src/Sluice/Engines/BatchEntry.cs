using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Buffers;

namespace Sluice;

/// <summary>
/// One transfer of a batch while it runs. The pin, or the bounce buffer, is held from the entry's making until its completion has been
/// taken; <see cref="BatchRing"/> waits for all of them before it returns.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal struct BatchEntry
{
    public MemoryHandle Pin;
    public AlignedBuffer? Bounce;

    /// <summary>The request that this entry carries.</summary>
    public int Request;

    /// <summary>Where the transfer begins, in memory and in the file; a bounce buffer's own place when there is one.</summary>
    public nint Address;
    public long Offset;
    public int Length;

    /// <summary>Bytes at the front of a bounce buffer that were not asked for.</summary>
    public int Skip;

    /// <summary>The kernel's answer.</summary>
    public int Result;
}
