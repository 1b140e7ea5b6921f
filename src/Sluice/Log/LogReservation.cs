using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

/// <summary>Represents space for one record in a log's memory. The caller writes the record in place and commits it.</summary>
/// <remarks>
/// <para>
/// Use a reservation as a local variable with <see langword="using"/>. A reservation that is disposed without a commit is withdrawn:
/// its sequence number remains unused, and readers skip it. A copy of this structure stands for the same reservation. It can only be
/// used by the thread that made it.
/// </para>
/// <para>
/// Records that come later are not written before the reservation is committed or disposed. Fill it at once, and do not wait for
/// anything, such as another log, in the meantime. A thread that never ends its reservation blocks the log permanently.
/// </para>
/// <para>
/// While the reservation is open, its thread cannot append to the same log, make another reservation in it, flush it, truncate it or
/// wait for it; these calls throw <see cref="InvalidOperationException"/>. If the thread closes the log, the reservation is withdrawn.
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

    /// <summary>Gets the bytes of the record, for the caller to write.</summary>
    /// <remarks>
    /// All bytes are zero at first; bytes that the caller does not write are part of the record as zeros. The span is empty after the
    /// reservation was committed or disposed. A span that was obtained before must not be used then.
    /// </remarks>
    public Span<byte> Span => _open?.Use == _use ? _span : default;

    /// <summary>Gets the sequence number of the record.</summary>
    public long Sequence => _place.FirstSequence;

    /// <summary>Appends the record and waits for the log's default durability.</summary>
    /// <returns>The sequence number of the record.</returns>
    /// <exception cref="InvalidOperationException">
    /// The reservation, or a copy of it, was committed or disposed, or it was withdrawn because its thread closed the log.
    /// </exception>
    /// <exception cref="IOException">
    /// The record could not be written, and is withdrawn; or it was written but could not be made durable, and may be in the log.
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
            throw new InvalidOperationException("The record was committed, disposed or withdrawn before.");
        }

        return _log.EndReservation(_place, _span, durability, isWithdrawn: false);
    }

    /// <summary>Withdraws the record, unless this reservation or a copy of it was committed before.</summary>
    public void Dispose()
    {
        if (_open?.TryEnd(_use) == true)
        {
            _ = _log.EndReservation(_place, _span, LogDurability.Buffered, isWithdrawn: true);
        }
    }
}
