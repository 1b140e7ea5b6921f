using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

/// <summary>
/// Room for one record in a log's memory, to be written in place and committed. Used as a local variable by one thread, with using: what
/// was not committed when it is disposed is withdrawn, and readers pass over it. A copy, as of an argument, is the same reservation.
/// </summary>
/// <remarks>
/// Records that come later are not written before this one is committed or disposed: fill it at once, and wait for nothing meanwhile, nor
/// for another log. Until then its thread can neither append to this log nor reserve, flush, wait or truncate in it, which throws an
/// <see cref="InvalidOperationException"/>: it might have to wait for what itself holds up. Closing the log on this thread withdraws it. A
/// thread that never commits nor disposes it holds the log up for good.
/// </remarks>
public readonly ref struct LogReservation
{
    private readonly SluiceLog _log;
    private readonly Placed _place;
    private readonly Span<byte> _span;
    private readonly OpenReservation? _open;
    private readonly long _use;

    internal LogReservation(SluiceLog log, OpenReservation open)
    {
        (_log, _place, _open, _use) = (log, open.Place, open, open.Use);
        _span = open.Record;
    }

    /// <summary>
    /// The record's bytes, all of which belong to it; zeros before they are written, and again when it is withdrawn. Empty after the end: a
    /// span that was got before is not to be used then.
    /// </summary>
    public Span<byte> Span => _open?.Use == _use ? _span : default;

    /// <summary>The record's sequence number.</summary>
    public long Sequence => _place.FirstSequence;

    /// <summary>The record is as it is to be; waits for the log's default durability.</summary>
    /// <returns>Its sequence number.</returns>
    /// <exception cref="InvalidOperationException">It was committed or disposed before, by this variable or a copy of it, or withdrawn when
    /// its thread closed the log.</exception>
    /// <exception cref="IOException">It could not be written, and is withdrawn.</exception>
    public long Commit() => Commit(_log.DefaultDurability);

    /// <inheritdoc cref="Commit()"/>
    /// <param name="durability">What to wait for.</param>
    public long Commit(LogDurability durability)
    {
        _ = LogSettings.Known(durability);
        if (_open?.TryEnd(_use) != true)
        {
            throw new InvalidOperationException("The record was committed, disposed or withdrawn before.");
        }

        return _log.EndReservation(_place, _span, durability, isWithdrawn: false);
    }

    /// <summary>Withdraws the record, unless it was committed, by this variable or a copy of it.</summary>
    public void Dispose()
    {
        if (_open?.TryEnd(_use) == true)
        {
            _ = _log.EndReservation(_place, _span, LogDurability.Buffered, isWithdrawn: true);
        }
    }
}
