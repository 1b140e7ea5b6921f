using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Sequential;

namespace Sluice;

// Lines.
public sealed partial class SluiceReader
{
    private LineCarry? _carry;

    private LineCarry Carry => _carry ??= new LineCarry(_handle.Path, Array.MaxLength);

    /// <summary>Enumerates the lines from the current position to the end of the file, as bytes.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The lines without their line endings. Each line is valid until the next one is requested.</returns>
    /// <remarks>
    /// <para>This method works for UTF-8 and for other encodings in which LF and CR are single bytes. As with <see cref="StreamReader"/>, a
    /// line ends with LF, CR LF or a single CR, and the last line need not have a line ending. A UTF-8 byte order mark at the start of the
    /// file is skipped. A line can be up to 2 GiB long.</para>
    /// <para>Do not call other members of the reader inside the loop. When the loop ends, the reader is positioned after the last line that
    /// was returned.</para>
    /// </remarks>
    public LineEnumerable EnumerateLines(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>Asynchronously enumerates the lines from the current position to the end of the file, as bytes.</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>
    /// The lines without their line endings, for <c>await foreach</c>. Each line is valid until the next one is requested.
    /// </returns>
    /// <inheritdoc cref="EnumerateLines" path="/remarks"/>
    public AsyncLineEnumerable EnumerateLinesAsync(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>Reads one line as bytes. The method blocks the calling thread until the line is available.</summary>
    /// <param name="line">
    /// When this method returns <see langword="true"/>, the line without its line ending. It is valid until the next call on the
    /// reader.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns><see langword="true"/> if a line was read; <see langword="false"/> at the end of the file.</returns>
    /// <exception cref="IOException">An I/O error occurred, or the line is longer than 2 GiB.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. No data is lost: the next call continues with the line that was not returned.
    /// </exception>
    /// <remarks>For the definition of a line, see <see cref="EnumerateLines"/>.</remarks>
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

    /// <summary>Enumerates the lines from the current position to the end of the file, as strings.</summary>
    /// <param name="encoding">
    /// The encoding of a file without a byte order mark, or <see langword="null"/> (the default) for UTF-8.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The lines without their line endings.</returns>
    /// <exception cref="IOException">An I/O error occurred.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The lines are the same as those of <see cref="File.ReadLines(string, Encoding)"/>: a byte order mark of UTF-8, UTF-16 or UTF-32 at
    /// the start of the file overrides <paramref name="encoding"/>. If you leave the loop before the last line of the file, call
    /// <see cref="Seek"/> before the next read. The reader may already have read past the last line that it returned.
    /// </remarks>
    public IEnumerable<string> ReadStringLines(Encoding? encoding = null, CancellationToken cancellationToken = default)
    {
        using LineDecoder lines = new(_handle.Path, encoding ?? Encoding.UTF8, isAtStart: Position == 0);
        while (DecodeLines(lines, cancellationToken))
        {
            while (lines.TryTake(out string? line))
            {
                yield return line;
                ObjectDisposedException.ThrowIf(IsDisposed, this);
            }
        }
    }

    /// <summary>Asynchronously enumerates the lines from the current position to the end of the file, as strings.</summary>
    /// <param name="encoding">
    /// The encoding of a file without a byte order mark, or <see langword="null"/> (the default) for UTF-8.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The lines without their line endings.</returns>
    /// <exception cref="IOException">An I/O error occurred.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The lines are the same as those of <see cref="File.ReadLines(string, Encoding)"/>: a byte order mark of UTF-8, UTF-16 or UTF-32 at
    /// the start of the file overrides <paramref name="encoding"/>. If you leave the loop before the last line of the file, call
    /// <see cref="Seek"/> before the next read. The reader may already have read past the last line that it returned.
    /// </remarks>
    public async IAsyncEnumerable<string> ReadStringLinesAsync(
        Encoding? encoding = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using LineDecoder lines = new(_handle.Path, encoding ?? Encoding.UTF8, isAtStart: Position == 0);
        while (await DecodeLinesAsync(lines, cancellationToken).ConfigureAwait(false))
        {
            while (lines.TryTake(out string? line))
            {
                yield return line;
                ObjectDisposedException.ThrowIf(IsDisposed, this);
            }
        }
    }

    /// <summary>Adds the next block, or the end of the file, to a decoder; false if it already has the end.</summary>
    internal async ValueTask<bool> DecodeLinesAsync(LineDecoder decoder, CancellationToken cancellationToken)
    {
        if (decoder.HasEnded)
        {
            return false;
        }

        bool isLast = !await HasUnreadAsync(cancellationToken).ConfigureAwait(false);
        decoder.Add(TakeUnread().Span, isLast);
        return true;
    }

    /// <summary>The next line that ends in this block; false where it does not, and what there is of it is kept.</summary>
    internal bool TryTakeLine(out ReadOnlySpan<byte> line)
    {
        bool result = Carry.TryTake(Unread, Position, out int consumed, out line);
        _consumed += consumed;
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
    internal bool TryTakeLastLine(out ReadOnlySpan<byte> line) => Carry.TryTakeLast(Position, out line);

    private bool DecodeLines(LineDecoder decoder, CancellationToken cancellationToken)
    {
        if (decoder.HasEnded)
        {
            return false;
        }

        bool isLast = !HasUnread(cancellationToken);
        decoder.Add(TakeUnread().Span, isLast);
        return true;
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
