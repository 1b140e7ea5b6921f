using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct io_uring_cqe (16 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringCqe
{
    public ulong UserData;

    /// <summary>The system call's result: bytes, a descriptor, or a negative errno.</summary>
    public int Res;
    public uint Flags;
}
