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
    public DateTimeOffset Time => Log.LogLayout.ToTime(Nanoseconds);

    internal long Nanoseconds { get; }

    /// <summary>A copy with memory of its own.</summary>
    public SluiceLogRecord ToRecord() => new(Sequence, Time, Bytes.ToArray());
}

/// <summary>A record of a log, with memory of its own.</summary>
/// <param name="Sequence">Its number.</param>
/// <param name="Time">When it had come, at the latest: the time of its frame.</param>
/// <param name="Bytes">What was appended.</param>
public readonly record struct SluiceLogRecord(long Sequence, DateTimeOffset Time, ReadOnlyMemory<byte> Bytes);

/// <summary>The records of a <see cref="SluiceLogReader"/>, for foreach alone: each is good until the next.</summary>
public readonly struct LogEntryEnumerable
{
    private readonly SluiceLogReader _reader;

    internal LogEntryEnumerable(SluiceLogReader reader) => _reader = reader;

    /// <summary>Goes on where the reader stands.</summary>
    public Enumerator GetEnumerator() => new(_reader);

    /// <summary>Moves its reader.</summary>
    public ref struct Enumerator
    {
        private readonly SluiceLogReader _reader;
        private LogEntry _current;

        internal Enumerator(SluiceLogReader reader)
        {
            _reader = reader;
            _current = default;
        }

        /// <summary>The record, until the next <see cref="MoveNext"/>.</summary>
        public readonly LogEntry Current => _current;

        /// <summary>Reads the next record; false at the end.</summary>
        public bool MoveNext() => _reader.TryRead(out _current);
    }
}
