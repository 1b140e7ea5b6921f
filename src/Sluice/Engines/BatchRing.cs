using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// A ring that one thread borrows for one batch: all entries in one submission, and one wait for all of them. A few are kept.
/// </summary>
internal sealed class BatchRing
{
    /// <summary>Entries of one submission; a longer batch goes in several.</summary>
    public const int MostEntries = 256;

    private const int MostKept = 8;

    private static readonly Lock PoolLock = new();
    private static readonly Stack<BatchRing> Pool = new(MostKept);

    private readonly Ring _ring;

    private BatchRing(Ring ring) => _ring = ring;

    /// <summary>Room for the entries of one submission; the borrower's.</summary>
    public BatchEntry[] Entries { get; } = new BatchEntry[MostEntries];

    /// <summary>A ring for this thread alone until <see cref="Return"/>; null where rings are refused.</summary>
    public static BatchRing? TryRent()
    {
        lock (PoolLock)
        {
            if (Pool.TryPop(out BatchRing? kept))
            {
                return kept;
            }
        }

        // Whoever waits is whoever submitted, so completions need not interrupt it: they run when it enters to wait.
        RingProbe probe = RingProbe.Current;
        SetupFlags flags = (probe.SupportsSubmitAll ? SetupFlags.SubmitAll : SetupFlags.None)
            | (probe.SupportsCoopTaskrun ? SetupFlags.CoopTaskrun : SetupFlags.None);
        return Ring.TryCreate(MostEntries, MostEntries * 2, flags, out _) is { } ring ? new BatchRing(ring) : null;
    }

    public void Return()
    {
        lock (PoolLock)
        {
            if (Pool.Count < MostKept)
            {
                Pool.Push(this);
                return;
            }
        }

        _ring.Dispose();
    }

    /// <summary>Transfers the first <paramref name="count"/> entries; each has its result when this returns, and none is in flight.</summary>
    public void Run(bool isRead, int fd, int count, RwFlags flags)
    {
        int next = 0;
        int ended = 0;
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[64];
        while (ended < count)
        {
            while (next < count && OperationEncoder.TryEncodeTransfer(_ring, isRead, fd, Entries[next], flags, (ulong)next))
            {
                next++;
            }

            int result = _ring.SubmitAndWait((uint)Math.Min(next - ended, (int)_ring.CqEntries));
            if (result < 0 && !Ring.IsPassing(result))
            {
                // Entries may be in flight with memory that would be unpinned by an exception.
                Environment.FailFast($"io_uring_enter failed with errno {-result}.");
            }

            int taken;
            while ((taken = _ring.Take(cqes)) > 0)
            {
                foreach (ref readonly IoUringCqe cqe in cqes[..taken])
                {
                    Entries[(int)cqe.UserData].Result = cqe.Res;
                    ended++;
                }
            }
        }
    }
}
