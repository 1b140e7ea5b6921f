using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The memory that a ring shares with the kernel: the two queues and the array of submission entries. The kernel may access it until
/// <see cref="Dispose"/>. The owner must not dispose it before the last operation has completed.
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
    private readonly bool _isSingle;

    private RingMemory(in IoUringParams p)
    {
        _sqBytes = p.SqOff.Array + p.SqEntries * sizeof(uint);
        _cqBytes = p.CqOff.Cqes + p.CqEntries * (uint)sizeof(IoUringCqe);
        _sqesBytes = p.SqEntries * (uint)sizeof(IoUringSqe);
        _isSingle = p.Features.HasFlag(FeatureFlags.SingleMmap);
        if (_isSingle)
        {
            _sqBytes = _cqBytes = Math.Max(_sqBytes, _cqBytes);
        }
    }

    public byte* Sq => _sq;

    public byte* Cq => _cq;

    public IoUringSqe* Sqes => (IoUringSqe*)_sqes;

    /// <summary>Gets the results of entries that a test makes fail; null if there is no such test.</summary>
    public RingFaults? Faults { get; } = SystemCallFaults.IsOn ? new RingFaults() : null;

    /// <summary>Maps the three regions of a new ring. Returns null and a negative errno if mmap fails.</summary>
    /// <exception cref="OutOfMemoryException">The process is out of memory. Nothing is mapped.</exception>
    public static RingMemory? Map(int fd, in IoUringParams p, out int errno)
    {
        RingMemory memory = new(p);
        bool isMapped = false;
        try
        {
            isMapped = memory.TryMap(fd, out errno);
        }
        finally
        {
            if (!isMapped)
            {
                memory.Dispose();
            }
        }

        return isMapped ? memory : null;
    }

    private bool TryMap(int fd, out int errno)
    {
        const int flags = Syscalls.MapShared | Syscalls.MapPopulate;
        _sq = Syscalls.Map(_sqBytes, Syscalls.ProtReadWrite, flags, fd, OffSqRing, out errno);
        if (_sq is null)
        {
            return false;
        }

        _cq = _isSingle ? _sq : Syscalls.Map(_cqBytes, Syscalls.ProtReadWrite, flags, fd, OffCqRing, out errno);
        if (_cq is null)
        {
            return false;
        }

        _sqes = Syscalls.Map(_sqesBytes, Syscalls.ProtReadWrite, flags, fd, OffSqes, out errno);
        return _sqes is not null;
    }

    public void Dispose()
    {
        Unmap(ref _sqes, _sqesBytes);
        if (_isSingle)
        {
            _cq = null;
        }

        Unmap(ref _cq, _cqBytes);
        Unmap(ref _sq, _sqBytes);
    }

    private static void Unmap(ref byte* region, nuint length)
    {
        if (region is not null)
        {
            Syscalls.Unmap(region, length);
            region = null;
        }
    }
}
