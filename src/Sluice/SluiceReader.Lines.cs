using System.Text;
using Sluice.Sequential;

namespace Sluice;

/// <summary>Lines.</summary>
public sealed partial class SluiceReader
{
    private LineCarry? _carry;

    internal ReadOnlySpan<byte> BlockSpan => _block.Span;

    internal int ConsumedInBlock => _consumed;

    private LineCarry Carry
    {
        get
        {
            if (_carry is null)
            {
                _carry = new LineCarry();
                _carry.Begin(atStartOfFile: Position == 0);
            }

            return _carry;
        }
    }

    /// <summary>
    /// The lines from here to the end as bytes, for UTF-8 and every other encoding in which LF and CR are single bytes. They end with LF,
    /// CR LF or a CR alone, as for <see cref="StreamReader"/>; the last one need not. A UTF-8 byte order mark at the start of the file is
    /// skipped. Nothing is allocated for a line; lines may have any length up to 2 GiB.
    /// </summary>
    /// <param name="cancellationToken">Looked at before each block.</param>
    public LineEnumerator ReadLines(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>As <see cref="ReadLines"/>, without blocking the caller. A line's memory stands until the next one is asked for.</summary>
    public IAsyncEnumerable<ReadOnlyMemory<byte>> ReadLinesAsync(CancellationToken cancellationToken = default) =>
        new AsyncLines(this, cancellationToken);

    /// <summary>One line, as <see cref="ReadLines"/> gives them; false at the end of the file.</summary>
    /// <param name="line">The line, which stands until the reader's next call.</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    public bool TryReadLine(out ReadOnlySpan<byte> line, CancellationToken cancellationToken = default)
    {
        do
        {
            if (TryTakeLine(out line))
            {
                return true;
            }
        }
        while (NextBlock(cancellationToken));
        return Carry.TryTakeLast(out line);
    }

    /// <summary>
    /// The lines from here to the end as strings, equal to those of <see cref="File.ReadLines(string, Encoding)"/>: a byte order mark
    /// of UTF-8, UTF-16 or UTF-32 goes before <paramref name="encoding"/>. Decoding is some way ahead of the line that came last: whoever
    /// leaves the loop early must <see cref="Seek"/> before reading on.
    /// </summary>
    /// <param name="encoding">The encoding of files without a byte order mark; null for UTF-8.</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    public IEnumerable<string> ReadStringLines(Encoding? encoding = null, CancellationToken cancellationToken = default)
    {
        StringLines lines = new(encoding ?? Encoding.UTF8);
        bool isFirst = true;
        while (NextBlock(isFirst, cancellationToken))
        {
            isFirst = false;
            lines.Feed(TakeUnread());
            while (lines.TryNext(out string? line))
            {
                yield return line;
            }
        }

        lines.End();
        while (lines.TryNext(out string? last))
        {
            yield return last;
        }
    }

    /// <summary>As <see cref="ReadStringLines"/>, without blocking the caller.</summary>
    public async IAsyncEnumerable<string> ReadStringLinesAsync(
        Encoding? encoding = null, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StringLines lines = new(encoding ?? Encoding.UTF8);
        bool isFirst = true;
        while ((isFirst && _consumed < _block.Length) || await NextBlockAsync(cancellationToken).ConfigureAwait(false))
        {
            isFirst = false;
            lines.Feed(TakeUnread());
            while (lines.TryNext(out string? line))
            {
                yield return line;
            }
        }

        lines.End();
        while (lines.TryNext(out string? last))
        {
            yield return last;
        }
    }

    internal void ConsumeLineTo(int consumed) => _consumed = consumed;

    /// <summary>What is left of the current block at first, then the next one.</summary>
    private bool NextBlock(bool mayBeCurrent, CancellationToken cancellationToken) =>
        (mayBeCurrent && _consumed < _block.Length) || NextBlock(cancellationToken);

    private bool TryTakeLine(out ReadOnlySpan<byte> line)
    {
        bool result = Carry.TryTake(Unread, out int consumed, out line);
        _consumed += consumed;
        return result;
    }

    private sealed class AsyncLines(SluiceReader reader, CancellationToken cancellationToken)
        : IAsyncEnumerable<ReadOnlyMemory<byte>>, IAsyncEnumerator<ReadOnlyMemory<byte>>
    {
        private CancellationToken _cancellationToken = cancellationToken;
        private ReadOnlyMemory<byte> _block;
        private NewlineScanner _scanner;
        private int _start;
        private byte[] _copy = [];

        public ReadOnlyMemory<byte> Current { get; private set; }

        public IAsyncEnumerator<ReadOnlyMemory<byte>> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
            new AsyncLines(reader, cancellationToken.CanBeCanceled ? cancellationToken : _cancellationToken);

        public ValueTask<bool> MoveNextAsync()
        {
            ReadOnlySpan<byte> block = _block.Span;
            int end;
            do
            {
                end = _scanner.Next(block);
            }
            while (end >= 0 && end < _start);
            if (end < 0 || (block[end] == '\r' && end + 1 == block.Length))
            {
                return MoveNextSlowAsync();
            }

            Current = _block[_start..end];
            _start = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
            reader._consumed = _start;
            return new ValueTask<bool>(true);
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        private async ValueTask<bool> MoveNextSlowAsync()
        {
            do
            {
                if (TryTake())
                {
                    return true;
                }
            }
            while (await reader.NextBlockAsync(_cancellationToken).ConfigureAwait(false));
            bool result = reader.Carry.TryTakeLast(out ReadOnlySpan<byte> line);
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

        /// <summary>The line at a border of blocks, which may lie in the carry; then on in the new block.</summary>
        private void Take(ReadOnlySpan<byte> line)
        {
            if (line.Length > _copy.Length)
            {
                _copy = new byte[Math.Max(line.Length, 256)];
            }

            line.CopyTo(_copy);
            Current = _copy.AsMemory(0, line.Length);
            _block = reader._block;
            _start = reader._consumed;
            _scanner = new NewlineScanner(_start);
        }
    }
}
