using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct iovec (two machine words).</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct Iovec
{
    /// <summary>IOV_MAX on Linux: more segments in one call are EINVAL.</summary>
    public const int Max = 1024;

    public byte* Base;
    public nuint Len;
}
