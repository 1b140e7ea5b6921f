using Sluice.Log;

namespace Sluice;

/// <summary>
/// Calls from within the log's own work: .NET runs handlers of AppDomain.FirstChanceException where an exception is thrown, on its thread,
/// which has what others wait for. What needs no wait is taken; what would wait for ever is refused.
/// </summary>
public sealed partial class SluiceLog
{
    /// <summary>Behind a write that failed an append waits for its own, and hears of it.</summary>
    private bool Waits(LogDurability durability) =>
        durability == LogDurability.Durable || (durability == LogDurability.Written && (_kept is null || _writes.HasFailed));

    private bool IsWithin(bool isDurable) =>
        _writes.Gate.IsHeldByCurrentThread || (isDurable && _syncs.Gate.IsHeldByCurrentThread);

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
        if (_syncs.IsKeeper)
        {
            throw LogErrors.Within(Directory);
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
