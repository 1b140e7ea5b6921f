namespace Sluice;

/// <summary>
/// Describes bytes at the end of a log that are not a complete record: bytes that were removed when the log was opened
/// (<see cref="SluiceLog.Cut"/>), or that a reader found and left unchanged (<see cref="SluiceLogReader.Tail"/>).
/// </summary>
/// <remarks>Instances are immutable and therefore thread-safe.</remarks>
/// <param name="Path">The path of the segment that contains the bytes.</param>
/// <param name="FileOffset">The offset of the first of these bytes in the segment's file.</param>
/// <param name="Bytes">The number of bytes, up to the last one that is not zero.</param>
/// <param name="Sequence">The sequence number of the first record that is not in the log.</param>
/// <param name="Reason">The reason why the bytes are not a record, as text for a diagnostic message.</param>
public sealed record SluiceLogCut(string Path, long FileOffset, long Bytes, long Sequence, string Reason);
