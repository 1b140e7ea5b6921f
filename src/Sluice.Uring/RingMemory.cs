using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The memory that a ring shares with the kernel: the two queues and the array of submission entries. It belongs to both sides from
/// setup until <see cref="Dispose"/>; the owner disposes it only after the last operation has been seen to complete.
/// </summary>
internal sealed unsafe class RingMemory : IDisposable
{
    private const long OffSqRing = 0;
    private const long OffCqRing = 0x8000000;
    private const long OffSqes = 0x10000000;

    private byte* _sq;
    private byte* _cq;
    private byte* _sqes;
    private readonly nuint _sqBytes;
    private readonly nuint _cqBytes;
    private readonly nuint _sqesBytes;

    private RingMemory(byte* sq, nuint sqBytes, byte* cq, nuint cqBytes, byte* sqes, nuint sqesBytes)
    {
        _sq = sq;
        _sqBytes = sqBytes;
        _cq = cq;
        _cqBytes = cqBytes;
        _sqes = sqes;
        _sqesBytes = sqesBytes;
    }

    public byte* Sq => _sq;

    public byte* Cq => _cq;

    public IoUringSqe* Sqes => (IoUringSqe*)_sqes;

    /// <summary>Null but in the tests that fail entries.</summary>
    public RingFaults? Faults { get; } = SystemCallFaults.IsOn ? new RingFaults() : null;

    /// <summary>Maps the three regions of a ring that was just set up; null and a negative errno when mmap refuses.</summary>
    public static RingMemory? Map(int fd, in IoUringParams p, out int errno)
    {
        nuint sqBytes = p.SqOff.Array + p.SqEntries * sizeof(uint);
        nuint cqBytes = p.CqOff.Cqes + p.CqEntries * (uint)sizeof(IoUringCqe);
        nuint sqesBytes = p.SqEntries * (uint)sizeof(IoUringSqe);
        bool single = p.Features.HasFlag(FeatureFlags.SingleMmap);
        if (single)
        {
            sqBytes = cqBytes = Math.Max(sqBytes, cqBytes);
        }

        const int flags = Syscalls.MapShared | Syscalls.MapPopulate;
        byte* sq = Syscalls.Map(sqBytes, Syscalls.ProtReadWrite, flags, fd, OffSqRing, out errno);
        if (sq is null)
        {
            return null;
        }

        byte* cq = single ? sq : Syscalls.Map(cqBytes, Syscalls.ProtReadWrite, flags, fd, OffCqRing, out errno);
        if (cq is null)
        {
            Syscalls.Unmap(sq, sqBytes);
            return null;
        }

        byte* sqes = Syscalls.Map(sqesBytes, Syscalls.ProtReadWrite, flags, fd, OffSqes, out errno);
        if (sqes is null)
        {
            Syscalls.Unmap(sq, sqBytes);
            if (!single)
            {
                Syscalls.Unmap(cq, cqBytes);
            }

            return null;
        }

        return new RingMemory(sq, sqBytes, cq, cqBytes, sqes, sqesBytes);
    }

    public void Dispose()
    {
        if (_sq is null)
        {
            return;
        }

        Syscalls.Unmap(_sqes, _sqesBytes);
        if (_cq != _sq)
        {
            Syscalls.Unmap(_cq, _cqBytes);
        }

        Syscalls.Unmap(_sq, _sqBytes);
        _sq = _cq = _sqes = null;
    }
}
