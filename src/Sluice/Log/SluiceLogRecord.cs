namespace Sluice;

/// <summary>Represents a record of a log, with memory of its own.</summary>
/// <remarks>
/// Instances are immutable and therefore thread-safe. Two records are equal if their numbers and times are equal and
/// <paramref name="Bytes"/> is the same memory.
/// </remarks>
/// <param name="Sequence">The sequence number of the record.</param>
/// <param name="Time">
/// The time, in UTC, at which the frame that contains the record was written. The record was appended at this time or before.
/// </param>
/// <param name="Bytes">The bytes of the record.</param>
public readonly record struct SluiceLogRecord(long Sequence, DateTimeOffset Time, ReadOnlyMemory<byte> Bytes);
