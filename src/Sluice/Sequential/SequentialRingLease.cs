namespace Sluice.Sequential;

/// <summary>
/// A borrowed ring for one file, whose descriptor stays open meanwhile. A lease that is dropped without being disposed drains the ring before
/// the memory of its transfers can be collected.
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

    ~SequentialRingLease() => GiveBack();

    public SequentialRing Ring => _ring!;

    /// <summary>Queues an aligned direct transfer; false where rings are refused, or the transfer has to go another way.</summary>
    /// <param name="lease">The caller's ring; borrowed where it has none.</param>
    /// <param name="isRefused">Whether a ring was asked for in vain.</param>
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
            // The finalizer of a lease may come before that of its writer.
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
        GiveBack();
        GC.SuppressFinalize(this);
    }

    private void GiveBack()
    {
        if (Interlocked.Exchange(ref _ring, null) is { } ring)
        {
            ring.Drain();
            ring.Return();
            _handle.ReleaseReference();
        }
    }
}
