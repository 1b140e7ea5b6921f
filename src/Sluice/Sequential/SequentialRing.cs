using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Sequential;

/// <summary>
/// A ring that one reader or writer borrows: its transfers are submitted and waited for on the thread that calls it, without a hop.
/// One thread at a time, and not always the same one. A few rings are kept.
/// </summary>
/// <remarks>
/// Transfers in flight are reachable from here, and rings that are lent out from a static set: their memory outlives a reader that was
/// dropped without being disposed, until <see cref="SequentialRingLease"/> has drained the ring.
/// </remarks>
internal sealed class SequentialRing
{
    /// <summary>The most transfers in flight.</summary>
    public const int MostEntries = 128;

    private const int MostKept = 8;

    private static readonly Lock PoolLock = new();
    private static readonly Stack<SequentialRing> Pool = new(MostKept);
    private static readonly HashSet<SequentialRing> Lent = [];

    private readonly Ring _ring;
    private readonly BlockTransfer?[] _entries = new BlockTransfer?[MostEntries];
    private int _nextEntry;

    private SequentialRing(Ring ring) => _ring = ring;

    /// <summary>Transfers that are queued or in flight.</summary>
    public int InFlight { get; private set; }

    /// <summary>A ring for one user until <see cref="Return"/>; null where rings are refused.</summary>
    public static SequentialRing? TryRent()
    {
        lock (PoolLock)
        {
            if (Pool.TryPop(out SequentialRing? kept))
            {
                Lent.Add(kept);
                return kept;
            }
        }

        // Not SINGLE_ISSUER: a reader may go from thread to thread, and be closed by any. Not COOP_TASKRUN: completions would then wait
        // for the thread that submitted to enter the kernel.
        if (Ring.TryCreate(MostEntries, MostEntries * 2, SetupFlags.SubmitAll, out _) is not { } ring)
        {
            return null;
        }

        SequentialRing made = new(ring);
        lock (PoolLock)
        {
            Lent.Add(made);
        }

        return made;
    }

    /// <summary>Gives the ring back; nothing may be in flight.</summary>
    public void Return()
    {
        lock (PoolLock)
        {
            Lent.Remove(this);
            if (Pool.Count < MostKept)
            {
                Pool.Push(this);
                return;
            }
        }

        _ring.Dispose();
    }

    /// <summary>Queues a transfer; <see cref="Submit"/> or a wait hands it to the kernel. There must be room.</summary>
    public void Queue(bool isRead, int fd, BlockTransfer transfer, RwFlags flags)
    {
        while (_entries[_nextEntry] is not null)
        {
            _nextEntry = (_nextEntry + 1) % MostEntries;
        }

        BatchEntry entry = new() { Address = transfer.Block.Address, Length = transfer.Length, Offset = transfer.Offset };
        while (!OperationEncoder.TryEncodeTransfer(_ring, isRead, fd, entry, flags, (ulong)_nextEntry))
        {
            // Entries that a passing refusal left queued.
            Enter(0);
        }

        transfer.IsInRing = true;
        _entries[_nextEntry] = transfer;
        InFlight++;
    }

    /// <summary>Hands what is queued to the kernel, and takes what has completed.</summary>
    public void Submit()
    {
        if (_ring.Pending > 0)
        {
            Enter(0);
        }

        Reap();
    }

    /// <summary>Hands what is queued to the kernel, and waits until <paramref name="transfer"/> has completed.</summary>
    public void Wait(BlockTransfer transfer)
    {
        Submit();
        while (transfer.IsInRing)
        {
            Enter(1);
            Reap();
        }
    }

    /// <summary>Cancels what can be cancelled, and returns when nothing is in flight.</summary>
    public void Drain()
    {
        if (InFlight > 0)
        {
            _ring.Drain(Take);
        }
    }

    private void Enter(uint minComplete)
    {
        int result = minComplete == 0 ? _ring.Submit() : _ring.SubmitAndWait(minComplete);
        if (result < 0 && !Ring.IsPassing(result))
        {
            // Transfers may be in flight, and nobody could tell when their memory is free again.
            Environment.FailFast($"io_uring_enter failed with errno {-result}.");
        }
    }

    private void Reap()
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[32];
        int taken;
        while ((taken = _ring.Take(cqes)) > 0)
        {
            foreach (ref readonly IoUringCqe cqe in cqes[..taken])
            {
                Take(cqe);
            }
        }
    }

    private void Take(IoUringCqe cqe)
    {
        BlockTransfer transfer = _entries[(int)cqe.UserData]!;
        _entries[(int)cqe.UserData] = null;
        transfer.Result = cqe.Res;
        transfer.IsInRing = false;
        InFlight--;
    }
}
