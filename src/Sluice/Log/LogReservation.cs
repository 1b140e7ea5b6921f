using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

/// <summary>
/// Represents space for one record in the memory of a log. The caller writes the record to this space and then commits it.
/// </summary>
/// <remarks>
/// <para>
/// Declare a reservation as a local variable with <see langword="using"/>. If a reservation is disposed before it is committed, it is
/// withdrawn: the record is not in the log, and its sequence number remains unused. A copy of this structure represents the same
/// reservation. A reservation can be used only by the thread that made it.
/// </para>
/// <para>
/// Later records, and earlier ones in the same buffer of the log, are not written until the reservation is committed or disposed. Therefore, write the record immediately, and do not wait
/// for other operations in the meantime. If a reservation is never committed or disposed, the log is blocked permanently.
/// </para>
/// <para>
/// While the reservation is open, its thread must not wait for a record of the same log, flush it, truncate it or close it: such a call would
/// wait for the reservation.
/// </para>
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

    /// <summary>Gets the memory to which the caller writes the record.</summary>
    /// <remarks>
    /// All bytes are initially zero. After the reservation was committed or disposed, the property returns an empty span, and a span that
    /// was returned earlier must not be used.
    /// </remarks>
    public Span<byte> Span => _open?.Use == _use ? _span : default;

    /// <summary>Gets the sequence number of the record.</summary>
    public long Sequence => _place.FirstSequence;

    /// <summary>Appends the record and waits for the log's default durability.</summary>
    /// <returns>The sequence number of the record.</returns>
    /// <exception cref="InvalidOperationException">The reservation or a copy of it was already committed or disposed.</exception>
    /// <exception cref="IOException">
    /// The record could not be written and is withdrawn; or the record could not be made durable and may be in the log.
    /// </exception>
    public long Commit() => Commit(_log.DefaultDurability);

    /// <summary>Appends the record and waits for the specified durability.</summary>
    /// <param name="durability">The durability to wait for.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="durability"/> is not a defined value. The reservation stays open.
    /// </exception>
    /// <inheritdoc cref="Commit()"/>
    public long Commit(LogDurability durability)
    {
        _ = LogSettings.Known(durability);
        if (_open?.TryEnd(_use) != true)
        {
            throw new InvalidOperationException("The record was committed or disposed before.");
        }

        return _log.EndReservation(_place, _span, durability, isWithdrawn: false);
    }

    /// <summary>Withdraws the record, unless this reservation or a copy of it was committed.</summary>
    public void Dispose()
    {
        if (_open?.TryEnd(_use) == true)
        {
            _ = _log.EndReservation(_place, _span, LogDurability.Buffered, isWithdrawn: true);
        }
    }
}
