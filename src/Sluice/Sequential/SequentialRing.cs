using System.Runtime.InteropServices;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Sequential;

/// <summary>
/// A ring for the transfers of one reader or writer at a time. Transfers are submitted and awaited on the calling thread, without a switch
/// to another thread. Different threads may use it, one after the other.
/// </summary>
/// <remarks>
/// Transfers in flight are reachable from this object, and a rented ring is reachable from a root. Their memory therefore stays alive even
/// if a reader is not disposed, until <see cref="SequentialRingLease"/> has drained the ring.
/// </remarks>
internal sealed class SequentialRing : BorrowedRing
{
    /// <summary>The maximum number of transfers in flight.</summary>
    public const int MaxEntries = 128;

    private static readonly RingPool<SequentialRing> Pool = new(Tuning.SequentialRingMaxKept, TryCreate);

    private readonly BlockTransfer?[] _entries = new BlockTransfer?[MaxEntries];
    private int _nextEntry;
    private GCHandle _root;

    private SequentialRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>Rents a ring until <see cref="Return"/>. Returns null if rings cannot be used.</summary>
    public static SequentialRing? TryRent()
    {
        SequentialRing? ring = Pool.TryRent();
        if (ring is not null)
        {
            ring._root = GCHandle.Alloc(ring);
        }

        return ring;
    }

    /// <summary>Returns the ring. No transfer may be in flight.</summary>
    public void Return()
    {
        _root.Free();
        Pool.Return(this);
    }

    /// <summary>Queues a transfer. <see cref="BorrowedRing.Submit"/> or a wait submits it. There must be a free entry.</summary>
    public void Queue(bool isRead, int fd, BlockTransfer transfer, RwFlags flags)
    {
        while (_entries[_nextEntry] is not null)
        {
            _nextEntry = (_nextEntry + 1) % MaxEntries;
        }

        QueueTransfer(isRead, fd, transfer.Block.Address, transfer.Length, transfer.Offset, flags, (ulong)_nextEntry);
        transfer.IsInRing = true;
        transfer.IsRead = isRead;
        _entries[_nextEntry] = transfer;
    }

    /// <summary>Submits all queued transfers and waits until <paramref name="transfer"/> has completed.</summary>
    public void Wait(BlockTransfer transfer)
    {
        Submit();
        while (transfer.IsInRing)
        {
            Wait(1);
        }
    }

    protected override void OnCompleted(ulong userData, int result)
    {
        BlockTransfer transfer = _entries[(int)userData]!;
        _entries[(int)userData] = null;
        transfer.Result = result;
        transfer.IsInRing = false;
        IoMetrics.Note(FileCaching.Direct, transfer.IsRead ? IoVerb.Read : IoVerb.Write, CompletionPath.Uring, result);
    }

    // staysOnThread is false, because any thread may use and close a reader.
    private static SequentialRing? TryCreate() =>
        TryCreate(MaxEntries, staysOnThread: false, static ring => new SequentialRing(ring), out _);
}
