using Sluice.Log.Frames;

namespace Sluice;

/// <summary>Represents a record in the memory of a <see cref="SluiceLogReader"/>.</summary>
/// <remarks>
/// The record is valid until the reader reads the next one. <see cref="ToRecord"/> makes a copy that stays valid. A value of this type
/// is for the thread that uses the reader.
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
    /// Gets the time, in UTC, at which the frame that contains the record was written. The record was appended at this time or before.
    /// </summary>
    public DateTimeOffset Time => LogLayout.ToTime(Nanoseconds);

    internal long Nanoseconds { get; }

    /// <summary>Copies the record into memory of its own.</summary>
    /// <returns>The copy, which stays valid when the reader moves on.</returns>
    public SluiceLogRecord ToRecord() => new(Sequence, Time, Bytes.ToArray());
}
