using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

// Calls that cannot wait: from within the log's own work, and beside a reservation.
public sealed partial class SluiceLog
{
    // Calls from within the log's own work: .NET runs handlers of AppDomain.FirstChanceException where an exception is thrown, on its
    // thread, which has what others wait for. What needs no wait is taken; what would wait for ever is refused.

    /// <summary>Behind a write that failed an append waits for its own, and hears of it.</summary>
    private bool Waits(LogDurability durability) =>
        durability == LogDurability.Durable || (durability == LogDurability.Written && (_kept is null || _writes.HasFailed));

    /// <summary>
    /// Whether this thread has what is to be waited for, or what those who have it may wait for: the making of a segment, its sealing, the
    /// removing of others, the state.
    /// </summary>
    private bool IsWithin(bool isDurable) =>
        _writes.Gate.IsHeldByCurrentThread
        || (isDurable && _syncs.Gate.IsHeldByCurrentThread)
        || _output.IsHeldByCurrentThread
        || _lock?.IsHeldByCurrentThread == true;

    /// <summary>What an append of this thread would be refused with; null where it may wait, or need not.</summary>
    private IOException? Refusal(LogDurability durability) =>
        Waits(durability) && IsWithin(durability == LogDurability.Durable) ? LogErrors.Within(Directory) : null;

    /// <summary>Before a record has a place.</summary>
    private void ThrowIfWithin(LogDurability durability)
    {
        if (Refusal(durability) is { } refusal)
        {
            throw refusal;
        }
    }

    /// <summary>Before what also waits for the keeper.</summary>
    private void ThrowIfWithinOrKeeper()
    {
        ThrowIfWithin(isDurable: true);
        if (_syncs.IsKeeper || _closing.IsHeldByCurrentThread)
        {
            throw LogErrors.Within(Directory);
        }
    }

    /// <summary>Before what ends the log's own threads, or waits for who does: the compressor is one that nobody else waits for.</summary>
    private void ThrowIfWithinOrOwn()
    {
        ThrowIfWithinOrKeeper();
        if (_output.Compressor?.IsCurrent == true)
        {
            throw LogErrors.Within(Directory);
        }
    }

    /// <summary>Before what waits, or may have to: it might wait for the record that this thread holds up.</summary>
    internal void ThrowIfReserved()
    {
        if (OpenReservation.In(this) is not null)
        {
            LogErrors.ThrowReserved(Directory);
        }
    }

    /// <summary>An exception may have come between a reservation and its end: closing is not to wait for this thread.</summary>
    private void WithdrawReservation()
    {
        while (OpenReservation.In(this) is { } open)
        {
            new LogReservation(this, open).Dispose();
        }
    }

    private void ThrowIfWithin(bool isDurable)
    {
        if (IsWithin(isDurable))
        {
            throw LogErrors.Within(Directory);
        }
    }
}
