using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Sequential;

namespace Sluice;

// Lines.
public sealed partial class SluiceReader
{
    private LineCarry? _carry;

    private LineCarry Carry
    {
        get
        {
            if (_carry is null)
            {
                _carry = new LineCarry(_handle.Path, Array.MaxLength);
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
    /// <remarks>
    /// While the loop runs it alone reads: what another member takes inside the loop comes again, or is replaced by other bytes. Leave the
    /// loop first; the reader then stands behind the line that came last.
    /// </remarks>
    public LineEnumerable EnumerateLines(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>
    /// As <see cref="EnumerateLines"/>, without blocking the caller, for <c>await foreach</c>. A line's memory stands until the next one is
    /// asked for.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait for a block.</param>
    /// <inheritdoc cref="EnumerateLines" path="/remarks"/>
    public AsyncLineEnumerable EnumerateLinesAsync(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>One line, as <see cref="EnumerateLines"/> gives them; false at the end of the file.</summary>
    /// <param name="line">The line, which stands until the reader's next call.</param>
    /// <param name="cancellationToken">
    /// Looked at before each block. Cancelled, the reader stands where the line begins; on a pipe, what there is of the line stays for the
    /// next call.
    /// </param>
    public bool TryReadLine(out ReadOnlySpan<byte> line, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        do
        {
            if (TryTakeLine(out line))
            {
                return true;
            }
        }
        while (NextBlockOfLine(cancellationToken));
        return TryTakeLastLine(out line);
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
        using StringLines lines = new(_handle.Path, encoding ?? Encoding.UTF8, isAtStart: Position == 0);
        while (HasUnread(cancellationToken))
        {
            lines.Feed(TakeUnread());
            while (lines.TryNext(out string? line))
            {
                yield return line;
                ObjectDisposedException.ThrowIf(IsDisposed, this);
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
        Encoding? encoding = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using StringLines lines = new(_handle.Path, encoding ?? Encoding.UTF8, isAtStart: Position == 0);
        while (await HasUnreadAsync(cancellationToken).ConfigureAwait(false))
        {
            lines.Feed(TakeUnread());
            while (lines.TryNext(out string? line))
            {
                yield return line;
                ObjectDisposedException.ThrowIf(IsDisposed, this);
            }
        }

        lines.End();
        while (lines.TryNext(out string? last))
        {
            yield return last;
        }
    }

    /// <summary>The next line that ends in this block; false where it does not, and what there is of it is kept.</summary>
    internal bool TryTakeLine(out ReadOnlySpan<byte> line)
    {
        LineCarry carry = Carry;
        carry.GoOnFrom(Position);
        bool result = carry.TryTake(Unread, out int consumed, out line);
        _consumed += consumed;
        carry.TakenTo(Position);
        return result;
    }

    /// <summary>As <see cref="NextBlockAsync"/>, within a line: where that throws, the reader stands where the line begins.</summary>
    internal async ValueTask<bool> NextBlockOfLineAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await NextBlockAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            GoBackToLine();
            throw;
        }
    }

    /// <summary>At the end of the file: the line that no newline ended, if there is one.</summary>
    internal bool TryTakeLastLine(out ReadOnlySpan<byte> line)
    {
        Carry.GoOnFrom(Position);
        return Carry.TryTakeLast(out line);
    }
    private bool NextBlockOfLine(CancellationToken cancellationToken)
    {
        try
        {
            return NextBlock(cancellationToken);
        }
        catch
        {
            GoBackToLine();
            throw;
        }
    }

    /// <summary>What of a line was kept would be missing to whoever reads a block or a record next.</summary>
    private void GoBackToLine()
    {
        int kept = Carry.KeptBytes(Position);
        if (kept > 0 && !IsDisposed)
        {
            GoBackTo(Position - kept);
        }
    }
}
