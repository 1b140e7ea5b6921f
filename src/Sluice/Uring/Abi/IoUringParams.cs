using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct io_sqring_offsets (40 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct SqRingOffsets
{
    public uint Head;
    public uint Tail;
    public uint RingMask;
    public uint RingEntries;
    public uint Flags;
    public uint Dropped;
    public uint Array;
    public uint Resv1;
    public ulong UserAddr;
}

/// <summary>struct io_cqring_offsets (40 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct CqRingOffsets
{
    public uint Head;
    public uint Tail;
    public uint RingMask;
    public uint RingEntries;
    public uint Overflow;
    public uint Cqes;
    public uint Flags;
    public uint Resv1;
    public ulong UserAddr;
}

/// <summary>struct io_uring_params (120 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringParams
{
    public uint SqEntries;
    public uint CqEntries;
    public SetupFlags Flags;
    public uint SqThreadCpu;
    public uint SqThreadIdle;
    public FeatureFlags Features;
    public uint WqFd;
    public uint Resv0;
    public uint Resv1;
    public uint Resv2;
    public SqRingOffsets SqOff;
    public CqRingOffsets CqOff;
}
