namespace Sluice.Sequential;

/// <summary>Enumerates the lines of a reader asynchronously, in the same way as <see cref="LineEnumerable"/>.</summary>
/// <remarks>A class and not an iterator method, which would be slower for each line.</remarks>
internal sealed class AsyncLines(SluiceReader reader, CancellationToken callersToken) : IAsyncEnumerable<ReadOnlyMemory<byte>>
{
    public IAsyncEnumerator<ReadOnlyMemory<byte>> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new Enumerator(reader, callersToken, cancellationToken);

    private sealed class Enumerator(SluiceReader reader, CancellationToken token, CancellationToken otherToken)
        : IAsyncEnumerator<ReadOnlyMemory<byte>>
    {
        private readonly CancellationTokenSource? _either =
            token.CanBeCanceled && otherToken.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(token, otherToken) : null;
        private ReadOnlyMemory<byte> _block;
        private NewlineScanner _scanner;
        private int _start;
        private byte[] _copy = [];

        public ReadOnlyMemory<byte> Current { get; private set; }

        private CancellationToken Token => _either?.Token ?? (token.CanBeCanceled ? token : otherToken);

        public ValueTask<bool> MoveNextAsync()
        {
            ReadOnlySpan<byte> block = _block.Span;
            int end;
            do
            {
                end = _scanner.Next(block);
            }
            while (end >= 0 && end < _start);
            if (end < 0 || (block[end] == '\r' && end + 1 == block.Length) || reader.IsDisposed)
            {
                return MoveNextSlowAsync();
            }

            Current = _block[_start..end];
            _start = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
            reader.Consumed = _start;
            return new ValueTask<bool>(true);
        }

        public ValueTask DisposeAsync()
        {
            _either?.Dispose();
            return ValueTask.CompletedTask;
        }

        private async ValueTask<bool> MoveNextSlowAsync()
        {
            ObjectDisposedException.ThrowIf(reader.IsDisposed, reader);
            do
            {
                if (TryTake())
                {
                    return true;
                }
            }
            while (await reader.NextBlockOfLineAsync(Token).ConfigureAwait(false));
            bool result = reader.TryTakeLastLine(out ReadOnlySpan<byte> line);
            Take(line);
            return result;
        }

        private bool TryTake()
        {
            if (!reader.TryTakeLine(out ReadOnlySpan<byte> line))
            {
                return false;
            }

            Take(line);
            return true;
        }

        /// <summary>Sets the line at a block boundary, whose bytes may be in the carry, and continues in the new block.</summary>
        private void Take(ReadOnlySpan<byte> line)
        {
            if (line.Length > _copy.Length)
            {
                _copy = new byte[Math.Max(line.Length, 256)];
            }

            line.CopyTo(_copy);
            Current = _copy.AsMemory(0, line.Length);
            _block = reader.Block;
            _start = reader.Consumed;
            _scanner = new NewlineScanner(_start);
        }
    }
}
