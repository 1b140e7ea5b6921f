using System.Runtime.InteropServices;

namespace Sluice.Memory;

/// <summary>
/// A number that many threads write, on cache lines of its own: what lies beside it is not made slower to read. 128 bytes to each side,
/// since processors fetch lines of 64 bytes in pairs, and some have lines of 128.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct Apart
{
    [FieldOffset(128)]
    public int Value;
}
