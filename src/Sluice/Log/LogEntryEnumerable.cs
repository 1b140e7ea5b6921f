namespace Sluice;

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
