using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// The lines of a <see cref="SluiceReader"/> as bytes, without their ends: LF, CR LF, or a CR alone. Nothing is allocated for a line; it
/// stands until the next one is asked for. Leaving the loop leaves the reader behind the line that came last.
/// </summary>
[StructLayout(LayoutKind.Auto)]
public ref struct LineEnumerator
{
    private readonly SluiceReader _reader;
    private readonly CancellationToken _cancellationToken;
    private ReadOnlySpan<byte> _block;
    private ReadOnlySpan<byte> _current;
    private NewlineScanner _scanner;
    private int _start;

    internal LineEnumerator(SluiceReader reader, CancellationToken cancellationToken)
    {
        _reader = reader;
        _cancellationToken = cancellationToken;
    }

    /// <summary>The line.</summary>
    public readonly ReadOnlySpan<byte> Current => _current;

    /// <summary>This enumerator.</summary>
    public readonly LineEnumerator GetEnumerator() => this;

    /// <summary>Goes to the next line; false at the end of the file.</summary>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between two blocks.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        int end = _scanner.Next(_block);
        if (end < _start || _block[end] != '\n')
        {
            // A copy, so that this enumerator's address is never taken and its fields stay in registers.
            LineEnumerator copy = this;
            bool result = copy.MoveNextSlow(end);
            this = copy;
            return result;
        }

        _current = _block[_start..end];
        _start = end + 1;
        _reader.ConsumeLineTo(_start);
        return true;
    }

    private bool MoveNextSlow(int end)
    {
        // The LF of a CR LF that is behind us.
        while (end >= 0 && end < _start)
        {
            end = _scanner.Next(_block);
        }

        if (end >= 0 && (_block[end] == '\n' || end + 1 < _block.Length))
        {
            _current = _block[_start..end];
            _start = end + (_block[end] == '\r' && _block[end + 1] == '\n' ? 2 : 1);
            _reader.ConsumeLineTo(_start);
            return true;
        }

        // The end of the block, or the beginning of all.
        bool result = _reader.TryReadLine(out _current, _cancellationToken);
        _block = _reader.BlockSpan;
        _start = _reader.ConsumedInBlock;
        _scanner = new NewlineScanner(_start);
        return result;
    }
}
