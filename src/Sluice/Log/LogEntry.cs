using Sluice.Log.Frames;

namespace Sluice;

/// <summary>A record of a log in a reader's memory: good until the reader moves on.</summary>
public readonly ref struct LogEntry
{
    internal LogEntry(long sequence, long time, ReadOnlySpan<byte> bytes)
    {
        (Sequence, Nanoseconds) = (sequence, time);
        Bytes = bytes;
    }

    /// <summary>Its number.</summary>
    public long Sequence { get; }

    /// <summary>What was appended.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>When it had come, at the latest: the time of its frame.</summary>
    public DateTimeOffset Time => LogLayout.ToTime(Nanoseconds);

    internal long Nanoseconds { get; }

    /// <summary>A copy with memory of its own.</summary>
    public SluiceLogRecord ToRecord() => new(Sequence, Time, Bytes.ToArray());
}
