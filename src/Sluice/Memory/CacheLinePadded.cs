using System.Runtime.InteropServices;

namespace Sluice.Memory;

/// <summary>
/// A counter that many threads write, padded to its own cache lines to avoid false sharing. The padding is 128 bytes on each side: some
/// processors have lines of 128 bytes, others fetch lines of 64 bytes in pairs.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct CacheLinePadded
{
    [FieldOffset(128)]
    public int Value;
}
