namespace Sluice.Sequential;

/// <summary>
/// Who borrowed a ring, and for which file: the descriptor stays open as long. Dropped without being disposed, it drains the ring before
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

    /// <summary>Null where rings are refused.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public static SequentialRingLease? TryTake(SluiceHandle handle)
    {
        if (SequentialRing.TryRent() is not { } ring)
        {
            return null;
        }

        bool added = false;
        try
        {
            handle.AddReference(ref added);
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
