using Sluice.Log.Frames;

namespace Sluice;

/// <summary>Represents a record in the memory of a <see cref="SluiceLogReader"/>.</summary>
/// <remarks>
/// The record is valid until the reader reads the next one. <see cref="ToRecord"/> makes a copy that stays valid. This type is not
/// thread-safe.
/// </remarks>
public readonly ref struct LogEntry
{
    internal LogEntry(long sequence, long time, ReadOnlySpan<byte> bytes)
    {
        (Sequence, Nanoseconds) = (sequence, time);
        Bytes = bytes;
    }

    /// <summary>Gets the sequence number of the record.</summary>
    public long Sequence { get; }

    /// <summary>Gets the bytes of the record.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>
    /// Gets the time, in UTC, at which the record was written. Records that are written together have the same time. The record was
    /// appended at this time or earlier.
    /// </summary>
    public DateTimeOffset Time => LogLayout.ToTime(Nanoseconds);

    internal long Nanoseconds { get; }

    /// <summary>Copies the record to new memory.</summary>
    /// <returns>The copy, which stays valid when the reader reads the next record.</returns>
    public SluiceLogRecord ToRecord() => new(Sequence, Time, Bytes.ToArray());
}
