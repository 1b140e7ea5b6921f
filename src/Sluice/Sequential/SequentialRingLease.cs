namespace Sluice.Sequential;

/// <summary>
/// A rented ring for one file, with a reference that keeps its descriptor open. If a lease is not disposed, its finalizer drains the ring
/// before the memory of its transfers can be collected.
/// </summary>
internal sealed class SequentialRingLease : IDisposable
{
    private readonly SluiceHandle _handle;
    private SequentialRing? _ring;

    private SequentialRingLease(SequentialRing ring, SluiceHandle handle)
    {
        _ring = ring;
        _handle = handle;
    }

    ~SequentialRingLease() => Return();

    public SequentialRing Ring => _ring!;

    /// <summary>Queues a direct transfer. Returns false if rings cannot be used or the transfer is not aligned.</summary>
    /// <param name="lease">The caller's lease. It is created if it is null or has ended.</param>
    /// <param name="isRefused">Set to true if no ring is available.</param>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public static bool TryQueue(
        ref SequentialRingLease? lease, ref bool isRefused, SluiceHandle handle, bool isRead, BlockTransfer transfer)
    {
        if (isRefused || !handle.AllowsOwnRing || !handle.Alignment.IsAligned(transfer.Block.Address, transfer.Offset, transfer.Length))
        {
            return false;
        }

        if (lease?._ring is null)
        {
            // A lease without a ring is replaced, because the finalizer of a lease may run before that of its writer.
            lease = TryTake(handle);
        }

        isRefused = lease is null;
        lease?.Ring.Queue(isRead, handle.Descriptor, transfer, handle.TransferFlags);
        return lease is not null;
    }

    private static SequentialRingLease? TryTake(SluiceHandle handle)
    {
        if (SequentialRing.TryRent() is not { } ring)
        {
            return null;
        }

        try
        {
            handle.AddReference();
            return new SequentialRingLease(ring, handle);
        }
        catch
        {
            ring.Return();
            throw;
        }
    }

    public void Dispose()
    {
        Return();
        GC.SuppressFinalize(this);
    }

    private void Return()
    {
        if (Interlocked.Exchange(ref _ring, null) is { } ring)
        {
            ring.Drain();
            ring.Return();
            _handle.ReleaseReference();
        }
    }
}
