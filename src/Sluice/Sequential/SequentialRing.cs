using System.Runtime.InteropServices;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Sequential;

/// <summary>
/// A ring that one reader or writer borrows: its transfers are submitted and waited for on the thread that calls it, without a hop.
/// One thread at a time, and not always the same one.
/// </summary>
/// <remarks>
/// Transfers in flight are reachable from here, and a ring that is lent out from a root: their memory outlives a reader that was
/// dropped without being disposed, until <see cref="SequentialRingLease"/> has drained the ring.
/// </remarks>
internal sealed class SequentialRing : BorrowedRing
{
    /// <summary>The most transfers in flight.</summary>
    public const int MaxEntries = 128;

    private static readonly RingPool<SequentialRing> Pool = new(Tuning.SequentialRingMaxKept, TryCreate);

    private readonly BlockTransfer?[] _entries = new BlockTransfer?[MaxEntries];
    private int _nextEntry;
    private GCHandle _root;

    private SequentialRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>A ring for one user until <see cref="Return"/>; null where rings are refused.</summary>
    public static SequentialRing? TryRent()
    {
        SequentialRing? ring = Pool.TryRent();
        if (ring is not null)
        {
            ring._root = GCHandle.Alloc(ring);
        }

        return ring;
    }

    /// <summary>Gives the ring back; nothing may be in flight.</summary>
    public void Return()
    {
        _root.Free();
        Pool.Return(this);
    }

    /// <summary>Queues a transfer; <see cref="BorrowedRing.Submit"/> or a wait hands it to the kernel. There must be room.</summary>
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

    /// <summary>Hands what is queued to the kernel, and waits until <paramref name="transfer"/> has completed.</summary>
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
        IoMetrics.Note(FileCaching.Direct, transfer.IsRead ? IoVerb.Read : IoVerb.Write, Carrier.Uring, result);
    }

    // A reader may go from thread to thread, and be closed by any.
    private static SequentialRing? TryCreate() =>
        TryCreate(MaxEntries, staysOnThread: false, static ring => new SequentialRing(ring), out _);
}
