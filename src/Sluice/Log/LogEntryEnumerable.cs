namespace Sluice;

/// <summary>Enumerates the records of a <see cref="SluiceLogReader"/> in a <see langword="foreach"/> statement.</summary>
/// <remarks>
/// Each record is valid until the next one is read. The enumeration changes the position of the reader and is not thread-safe.
/// </remarks>
public readonly struct LogEntryEnumerable
{
    private readonly SluiceLogReader _reader;

    internal LogEntryEnumerable(SluiceLogReader reader) => _reader = reader;

    /// <summary>Gets an enumerator that begins at the reader's current position.</summary>
    /// <returns>An enumerator for the records.</returns>
    public Enumerator GetEnumerator() => new(_reader);

    /// <summary>Reads the records of a <see cref="SluiceLogReader"/> one after another.</summary>
    /// <remarks>This type is not thread-safe.</remarks>
    public ref struct Enumerator
    {
        private readonly SluiceLogReader _reader;
        private LogEntry _current;

        internal Enumerator(SluiceLogReader reader)
        {
            _reader = reader;
            _current = default;
        }

        /// <summary>Gets the current record. It is valid until the next call of <see cref="MoveNext"/>.</summary>
        public readonly LogEntry Current => _current;

        /// <summary>Reads the next record.</summary>
        /// <returns><see langword="true"/> if a record was read; <see langword="false"/> at the end of the log.</returns>
        /// <exception cref="SluiceLogDamagedException">
        /// The next record is damaged or missing, and <see cref="SluiceLogReaderOptions.SkipDamage"/> is <see langword="false"/>.
        /// </exception>
        /// <exception cref="IOException">The operating system reported an error.</exception>
        /// <exception cref="ObjectDisposedException">The reader is disposed.</exception>
        public bool MoveNext() => _reader.TryRead(out _current);
    }
}
