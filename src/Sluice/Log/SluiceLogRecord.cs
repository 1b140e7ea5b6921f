namespace Sluice;

/// <summary>A record of a log, with memory of its own.</summary>
/// <param name="Sequence">Its number.</param>
/// <param name="Time">When it had come, at the latest: the time of its frame.</param>
/// <param name="Bytes">What was appended.</param>
public readonly record struct SluiceLogRecord(long Sequence, DateTimeOffset Time, ReadOnlyMemory<byte> Bytes);
