using Sluice.Log;

namespace Sluice;

/// <summary>
/// Represents a buffer for one record. The caller writes the record to this buffer and then commits it, which appends the record to the log.
/// </summary>
/// <remarks>
/// <para>
/// Declare a reservation as a local variable with <see langword="using"/>. If a reservation is disposed before it is committed, nothing is
/// appended. A copy of this structure represents the same reservation. A reservation can be used only by the thread that made it.
/// </para>
/// <para>
/// The record gets its place in the log when it is committed. An open reservation does not delay other records, and its thread can use the
/// log in the meantime.
/// </para>
/// </remarks>
public readonly ref struct LogReservation
{
    private readonly SluiceLog _log;
    private readonly ReservedBuffer? _buffer;
    private readonly Span<byte> _span;
    private readonly long _use;

    internal LogReservation(SluiceLog log, int size)
    {
        _log = log;
        _buffer = ReservedBuffer.Rent(size);
        _span = _buffer.Bytes;
        _use = _buffer.Use;
    }

    /// <summary>Gets the buffer to which the caller writes the record.</summary>
    /// <remarks>
    /// All bytes are initially zero. After the reservation was committed or disposed, the property returns an empty span, and a span that
    /// was returned earlier must not be used.
    /// </remarks>
    public Span<byte> Span => _buffer?.Use == _use ? _span : default;

    /// <summary>Appends the record and waits for the log's default durability.</summary>
    /// <exception cref="InvalidOperationException">The reservation or a copy of it was already committed or disposed.</exception>
    /// <inheritdoc cref="SluiceLog.Append(ReadOnlySpan{byte})"/>
    public long Commit() => Commit(_log.DefaultDurability);

    /// <summary>Appends the record and waits for the specified durability.</summary>
    /// <param name="durability">The durability to wait for.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="durability"/> is not a defined value. The reservation stays open.
    /// </exception>
    /// <inheritdoc cref="Commit()"/>
    public long Commit(LogDurability durability)
    {
        _ = SluiceLogOptions.Known(durability);
        if (_buffer?.TryEnd(_use) != true)
        {
            throw new InvalidOperationException("The record was committed or disposed before.");
        }

        try
        {
            return _log.Append(_span, durability);
        }
        finally
        {
            _buffer.Return();
        }
    }

    /// <summary>Discards the record, unless this reservation or a copy of it was committed.</summary>
    public void Dispose()
    {
        if (_buffer?.TryEnd(_use) == true)
        {
            _buffer.Return();
        }
    }
}
