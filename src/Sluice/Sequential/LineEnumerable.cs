using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Enumerates the lines of a <see cref="SluiceReader"/> with <c>foreach</c>. Instances are returned by
/// <see cref="SluiceReader.EnumerateLines"/>.
/// </summary>
/// <remarks>
/// <para>The lines are returned as bytes without their line endings, which are LF, CR LF or a single CR. Each line is valid until the next
/// one is requested. When the loop ends, the reader is positioned after the last line that was returned.</para>
/// <para>This type is not thread-safe, because it uses a <see cref="SluiceReader"/>.</para>
/// </remarks>
public readonly struct LineEnumerable
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal LineEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Returns an enumerator for the lines.</summary>
    /// <returns>
    /// An enumerator. It starts at the position of the reader at the time of the first call to <see cref="Enumerator.MoveNext"/>.
    /// </returns>
    public Enumerator GetEnumerator() => new(_reader, _cancellationToken);

    /// <summary>Enumerates the lines of a <see cref="SluiceReader"/>.</summary>
    /// <remarks>This type is not thread-safe.</remarks>
    [StructLayout(LayoutKind.Auto)]
    public ref struct Enumerator
    {
        private readonly SluiceReader _reader;
        private readonly CancellationToken _cancellationToken;
        private ReadOnlySpan<byte> _block;
        private ReadOnlySpan<byte> _current;
        private NewlineScanner _scanner;
        private int _start;

        internal Enumerator(SluiceReader reader, CancellationToken cancellationToken)
        {
            _reader = reader;
            _cancellationToken = cancellationToken;
        }

        /// <summary>
        /// Gets the current line, without its line ending. It is valid until the next call to <see cref="MoveNext"/>.
        /// </summary>
        public readonly ReadOnlySpan<byte> Current => _current;

        /// <summary>Advances the enumerator to the next line.</summary>
        /// <returns><see langword="true"/> if there is another line; <see langword="false"/> at the end of the file.</returns>
        /// <exception cref="IOException">An I/O error occurred, or a line is longer than 2 GiB.</exception>
        /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
        /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
        /// <exception cref="OperationCanceledException">
        /// The cancellation token was canceled. No data is lost: the next call on the reader continues with the line that was not returned.
        /// </exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            int end = _scanner.Next(_block);
            if (end < _start || _block[end] != '\n' || _reader.IsDisposed)
            {
                // Uses a copy, so that the address of this enumerator is not taken and its fields can be in registers. If the call throws,
                // the block has changed, and the next call starts at the position of the reader.
                Enumerator copy = this;
                this = new Enumerator(_reader, _cancellationToken);
                bool result = copy.MoveNextSlow(end);
                this = copy;
                return result;
            }

            _current = _block[_start..end];
            _start = end + 1;
            _reader.Consumed = _start;
            return true;
        }

        private bool MoveNextSlow(int end)
        {
            ObjectDisposedException.ThrowIf(_reader.IsDisposed, _reader);

            // Skips the LF of a CR LF that was already consumed.
            while (end >= 0 && end < _start)
            {
                end = _scanner.Next(_block);
            }

            if (end >= 0 && (_block[end] == '\n' || end + 1 < _block.Length))
            {
                _current = _block[_start..end];
                _start = end + (_block[end] == '\r' && _block[end + 1] == '\n' ? 2 : 1);
                _reader.Consumed = _start;
                return true;
            }

            // The block contains no further line ending, or the first line is requested.
            bool result = _reader.TryReadLine(out _current, _cancellationToken);
            _block = _reader.Block.Span;
            _start = _reader.Consumed;
            _scanner = new NewlineScanner(_start);
            return result;
        }
    }
}
