using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct io_uring_probe_op (8 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringProbeOp
{
    /// <summary>IO_URING_OP_SUPPORTED.</summary>
    public const ushort Supported = 1;

    public byte Op;
    public byte Resv;
    public ushort Flags;
    public uint Resv2;
}

/// <summary>struct io_uring_probe: this header (16 bytes), then one <see cref="IoUringProbeOp"/> for each opcode.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringProbe
{
    public byte LastOp;
    public byte OpsLen;
    public ushort Resv;
    public uint Resv2A;
    public uint Resv2B;
    public uint Resv2C;
}
