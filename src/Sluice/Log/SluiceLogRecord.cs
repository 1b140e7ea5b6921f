namespace Sluice;

/// <summary>Represents a copy of a record of a log.</summary>
/// <remarks>
/// This type is immutable and therefore thread-safe. Two records are equal if their sequence numbers and times are equal and their
/// <paramref name="Bytes"/> refer to the same memory.
/// </remarks>
/// <param name="Sequence">The sequence number of the record.</param>
/// <param name="Time">
/// The time, in UTC, at which the record was written. Records that are written together have the same time. The record was appended at this
/// time or earlier.
/// </param>
/// <param name="Bytes">The bytes of the record.</param>
public readonly record struct SluiceLogRecord(long Sequence, DateTimeOffset Time, ReadOnlyMemory<byte> Bytes);
