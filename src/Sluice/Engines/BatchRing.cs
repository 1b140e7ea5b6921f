using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// A ring that one thread borrows for one batch: all entries in one submission, and one wait for all of them.
/// </summary>
internal sealed class BatchRing : BorrowedRing
{
    /// <summary>Entries of one submission; a longer batch goes in several.</summary>
    public const int MaxEntries = Tuning.BatchRingMaxEntries;

    private static readonly RingPool<BatchRing> Pool = new(Tuning.BatchRingMaxKept, TryCreate);

    private BatchRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>Room for the entries of one submission; the borrower's.</summary>
    public BatchEntry[] Entries { get; } = new BatchEntry[MaxEntries];

    /// <summary>A ring for this thread alone until <see cref="Return"/>; null where rings are refused.</summary>
    public static BatchRing? TryRent() => Pool.TryRent();

    public void Return() => Pool.Return(this);

    /// <summary>
    /// Transfers the entries from <paramref name="first"/> up to <paramref name="end"/>; each has its result when this returns, and none is
    /// in flight.
    /// </summary>
    public void Run(bool isRead, int fd, int first, int end, RwFlags flags)
    {
        for (int i = first; i < end; i++)
        {
            ref BatchEntry entry = ref Entries[i];
            QueueTransfer(isRead, fd, entry.Address, entry.Length, entry.Offset, flags, (ulong)i);
        }

        Wait(end - first);
    }

    protected override void OnCompleted(ulong userData, int result) => Entries[(int)userData].Result = result;

    private static BatchRing? TryCreate() =>
        TryCreateRing(MaxEntries, staysOnThread: true, out _) is { } ring ? new BatchRing(ring) : null;
}
