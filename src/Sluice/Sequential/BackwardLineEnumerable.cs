using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The lines of a file as bytes, without their ends, the last one first. A line stands until the next one is asked for. Each enumeration
/// begins at what is then the end of the file.
/// </summary>
public readonly struct BackwardLineEnumerable
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal BackwardLineEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Begins at the end of the file.</summary>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    public Enumerator GetEnumerator() => new(_reader, _cancellationToken);

    /// <summary>The lines, one after another.</summary>
    public ref struct Enumerator
    {
        private readonly SluiceReader _reader;
        private readonly BackwardLines _lines;
        private readonly CancellationToken _cancellationToken;
        private ReadOnlyMemory<byte> _current;

        internal Enumerator(SluiceReader reader, CancellationToken cancellationToken)
        {
            _reader = reader;
            _lines = new BackwardLines(reader.SluiceHandle, reader.Progress);
            _cancellationToken = cancellationToken;
        }

        /// <summary>The line.</summary>
        public readonly ReadOnlySpan<byte> Current => _current.Span;

        /// <summary>Goes to the line before; false at the start of the file.</summary>
        /// <exception cref="IOException">
        /// The operating system reported an error, the file was cut meanwhile, or a line is longer than 2 GiB.
        /// </exception>
        /// <exception cref="ObjectDisposedException">The reader was disposed.</exception>
        /// <exception cref="OperationCanceledException">Cancelled between two lines.</exception>
        public bool MoveNext()
        {
            ObjectDisposedException.ThrowIf(_reader.IsDisposed, _reader);
            _cancellationToken.ThrowIfCancellationRequested();
            return _lines.TryNext(out _current);
        }
    }
}
