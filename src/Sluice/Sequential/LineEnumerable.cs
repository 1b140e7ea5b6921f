using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The lines of a <see cref="SluiceReader"/> from where it stands, as bytes, without their ends: LF, CR LF, or a CR alone. Nothing is
/// allocated for a line; it stands until the next one is asked for. Leaving the loop leaves the reader behind the line that came last.
/// </summary>
public readonly struct LineEnumerable
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal LineEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Begins where the reader stands at the first <see cref="Enumerator.MoveNext"/>.</summary>
    public Enumerator GetEnumerator() => new(_reader, _cancellationToken);

    /// <summary>The lines, one after another.</summary>
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

        /// <summary>The line.</summary>
        public readonly ReadOnlySpan<byte> Current => _current;

        /// <summary>Goes to the next line; false at the end of the file.</summary>
        /// <exception cref="IOException">The operating system reported an error, or a line is longer than 2 GiB.</exception>
        /// <exception cref="ObjectDisposedException">The reader was disposed.</exception>
        /// <exception cref="OperationCanceledException">As in <see cref="SluiceReader.TryReadLine"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool MoveNext()
        {
            int end = _scanner.Next(_block);
            if (end < _start || _block[end] != '\n' || _reader.IsDisposed)
            {
                // A copy, so that this enumerator's address is never taken and its fields stay in registers. Where that throws, the block
                // is another one's: the next call begins where the reader stands.
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

            // The LF of a CR LF that is behind us.
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

            // The end of the block, or the beginning of all.
            bool result = _reader.TryReadLine(out _current, _cancellationToken);
            _block = _reader.Block.Span;
            _start = _reader.Consumed;
            _scanner = new NewlineScanner(_start);
            return result;
        }
    }
}
