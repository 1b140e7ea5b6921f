using System.Diagnostics.CodeAnalysis;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The lines of a <see cref="SluiceReader"/>, for <c>await foreach</c>. A line lies in memory that is used again: it stands until the next
/// one is asked for. This is therefore no <see cref="IAsyncEnumerable{T}"/>, whose elements might be collected.
/// </summary>
public readonly struct AsyncLineEnumerable
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;

    internal AsyncLineEnumerable(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Begins where the reader stands at the first <see cref="Enumerator.MoveNextAsync"/>.</summary>
    [SuppressMessage("Naming", "VSTHRD200", Justification = "The name is the language's own.")]
    public Enumerator GetAsyncEnumerator() => new(_reader, _cancellationToken);

    /// <summary>The lines, one after another.</summary>
    public sealed class Enumerator
    {
        private readonly SluiceReader _reader;
        private readonly CancellationToken _cancellationToken;
        private ReadOnlyMemory<byte> _block;
        private NewlineScanner _scanner;
        private int _start;
        private byte[] _copy = [];

        internal Enumerator(SluiceReader reader, CancellationToken cancellationToken)
        {
            _reader = reader;
            _cancellationToken = cancellationToken;
        }

        /// <summary>The line, without its end.</summary>
        public ReadOnlyMemory<byte> Current { get; private set; }

        /// <summary>Goes to the next line; false at the end of the file.</summary>
        /// <exception cref="IOException">The operating system reported an error, or a line is longer than 2 GiB.</exception>
        /// <exception cref="ObjectDisposedException">The reader was disposed.</exception>
        /// <exception cref="OperationCanceledException">
        /// Cancelled at the border of two blocks. The reader stands where the next line begins; on a pipe, which cannot go back, what there
        /// is of that line stays for the next call.
        /// </exception>
        public ValueTask<bool> MoveNextAsync()
        {
            ReadOnlySpan<byte> block = _block.Span;
            int end;
            do
            {
                end = _scanner.Next(block);
            }
            while (end >= 0 && end < _start);
            if (end < 0 || (block[end] == '\r' && end + 1 == block.Length) || _reader.IsDisposed)
            {
                return MoveNextSlowAsync();
            }

            Current = _block[_start..end];
            _start = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
            _reader.Consumed = _start;
            return new ValueTask<bool>(true);
        }

        private async ValueTask<bool> MoveNextSlowAsync()
        {
            ObjectDisposedException.ThrowIf(_reader.IsDisposed, _reader);
            do
            {
                if (TryTake())
                {
                    return true;
                }
            }
            while (await _reader.NextBlockOfLineAsync(_cancellationToken).ConfigureAwait(false));
            bool result = _reader.TryTakeLastLine(out ReadOnlySpan<byte> line);
            Take(line);
            return result;
        }

        private bool TryTake()
        {
            if (!_reader.TryTakeLine(out ReadOnlySpan<byte> line))
            {
                return false;
            }

            Take(line);
            return true;
        }

        /// <summary>The line at a border of blocks, which may lie in the carry; then on in the new block.</summary>
        private void Take(ReadOnlySpan<byte> line)
        {
            if (line.Length > _copy.Length)
            {
                _copy = new byte[Math.Max(line.Length, 256)];
            }

            line.CopyTo(_copy);
            Current = _copy.AsMemory(0, line.Length);
            _block = _reader.Block;
            _start = _reader.Consumed;
            _scanner = new NewlineScanner(_start);
        }
    }
}
