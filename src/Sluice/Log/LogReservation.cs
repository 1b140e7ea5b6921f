using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

/// <summary>
/// Room for one record in a log's memory, to be written in place and committed. Used as a local variable by one thread, with using: what
/// was not committed when it is disposed is withdrawn, and readers pass over it.
/// </summary>
/// <remarks>Records that come later are not written before this one is committed or disposed: fill it at once, and wait for nothing
/// meanwhile.</remarks>
public ref struct LogReservation
{
    private readonly SluiceLog _log;
    private readonly Placed _place;
    private bool _hasEnded;

    internal LogReservation(SluiceLog log, Placed place, Span<byte> span)
    {
        (_log, _place) = (log, place);
        Span = span;
    }

    /// <summary>The record's bytes, all of which belong to it; their contents are anything before they are written. Not to be used after
    /// the end.</summary>
    public Span<byte> Span { get; private set; }

    /// <summary>The record's sequence number.</summary>
    public readonly long Sequence => _place.FirstSequence;

    /// <summary>The record is as it is to be; waits for the log's default durability.</summary>
    /// <returns>Its sequence number.</returns>
    /// <exception cref="InvalidOperationException">It was committed or disposed before.</exception>
    /// <exception cref="IOException">It could not be written, and is withdrawn.</exception>
    public long Commit() => Commit(_log.DefaultDurability);

    /// <inheritdoc cref="Commit()"/>
    /// <param name="durability">What to wait for.</param>
    public long Commit(LogDurability durability)
    {
        _ = LogSettings.Known(durability);
        if (_hasEnded)
        {
            throw new InvalidOperationException("The record was committed or disposed before.");
        }

        return _log.EndReservation(_place, End(), durability, isWithdrawn: false);
    }

    /// <summary>Withdraws the record, unless it was committed.</summary>
    public void Dispose()
    {
        if (!_hasEnded && _log is not null)
        {
            _ = _log.EndReservation(_place, End(), LogDurability.Buffered, isWithdrawn: true);
        }
    }

    private Span<byte> End()
    {
        Span<byte> record = Span;
        _hasEnded = true;
        Span = default;
        return record;
    }
}
