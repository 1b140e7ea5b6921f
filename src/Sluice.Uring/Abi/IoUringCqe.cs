using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>IORING_CQE_F_*: flags of one completion.</summary>
[Flags]
internal enum CqeFlags : uint
{
    None = 0,

    /// <summary>The operation goes on, and further completions of it will come.</summary>
    More = 1u << 1,
}

/// <summary>struct io_uring_cqe (16 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringCqe
{
    public ulong UserData;

    /// <summary>The system call's result: bytes, a descriptor, or a negative errno.</summary>
    public int Res;
    public CqeFlags Flags;
}
