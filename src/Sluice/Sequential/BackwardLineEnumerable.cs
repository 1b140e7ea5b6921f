using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Enumerates the lines of a file from the last to the first with <c>foreach</c>. Instances are returned by
/// <see cref="SluiceReader.EnumerateLinesBackward"/>.
/// </summary>
/// <remarks>
/// <para>The lines are returned as bytes without their line endings. Each line is valid until the next one is requested.</para>
/// <para>This type is not thread-safe, because it uses a <see cref="SluiceReader"/>.</para>
/// </remarks>
public readonly struct BackwardLineEnumerable
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal BackwardLineEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Returns an enumerator that starts at the current end of the file.</summary>
    /// <returns>An enumerator for the lines.</returns>
    /// <exception cref="IOException">An I/O error occurred.</exception>
    /// <exception cref="NotSupportedException">The file does not support seeking.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    public Enumerator GetEnumerator() => new(_reader, _cancellationToken);

    /// <summary>Enumerates the lines of a file from the last to the first.</summary>
    /// <remarks>This type is not thread-safe.</remarks>
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

        /// <summary>
        /// Gets the current line, without its line ending. It is valid until the next call to <see cref="MoveNext"/>.
        /// </summary>
        public readonly ReadOnlySpan<byte> Current => _current.Span;

        /// <summary>Advances the enumerator to the preceding line.</summary>
        /// <returns>
        /// <see langword="true"/> if there is a preceding line; <see langword="false"/> at the start of the file.
        /// </returns>
        /// <exception cref="IOException">
        /// An I/O error occurred, the file was truncated during the enumeration, or a line is longer than 2 GiB.
        /// </exception>
        /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
        /// <exception cref="OperationCanceledException">The cancellation token was canceled.</exception>
        public bool MoveNext()
        {
            ObjectDisposedException.ThrowIf(_reader.IsDisposed, _reader);
            _cancellationToken.ThrowIfCancellationRequested();
            return _lines.TryNext(out _current);
        }
    }
}
