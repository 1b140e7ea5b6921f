using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct io_uring_sync_cancel_reg (64 bytes): the argument of IORING_REGISTER_SYNC_CANCEL.</summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal struct SyncCancelReg
{
    [FieldOffset(0)] public ulong Addr;
    [FieldOffset(8)] public int Fd;
    [FieldOffset(12)] public AsyncCancelFlags Flags;

    /// <summary>The maximum wait for canceled operations; zero does not wait.</summary>
    [FieldOffset(16)] public KernelTimespec Timeout;
}
