using System.Text;
using Sluice.Sequential;

namespace Sluice;

// Text in the writer's encoding.
public sealed partial class SluiceWriter
{
    private readonly Encoding _encoding;
    private readonly string _newLine;

    /// <summary>Null until text is written.</summary>
    private TextEncoder? _text;

    /// <summary>
    /// Writes text in the encoding of <see cref="SluiceWriterOptions.Encoding"/>. Blocks while as many writes are in flight as the device
    /// can use.
    /// </summary>
    /// <param name="text">The text. A string is converted implicitly; <see langword="null"/> is empty text.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests; it is checked before each block.</param>
    /// <remarks>
    /// A surrogate pair may be split between two calls: the first surrogate is written with the second. A lone surrogate is encoded as the
    /// encoding's fallback says, at the latest when the writer is flushed, completed or disposed or bytes are written. The first text of a
    /// writer begins with the encoding's preamble if <see cref="Position"/> is 0. After a cancellation a part of the text may have been
    /// written, always of whole characters.
    /// </remarks>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    /// <exception cref="EncoderFallbackException">
    /// The encoding does not accept the text. A part of the text may have been written, and the writer can be used further.
    /// </exception>
    /// <exception cref="IOException">This or an earlier write failed; the message names the offset.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer is complete, or another call is running.</exception>
    public void Write(ReadOnlySpan<char> text, CancellationToken cancellationToken = default) =>
        Write(text, isLine: false, cancellationToken);

    /// <summary>Writes text and the characters of <see cref="SluiceWriterOptions.NewLine"/>.</summary>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public void WriteLine(ReadOnlySpan<char> text, CancellationToken cancellationToken = default) =>
        Write(text, isLine: true, cancellationToken);

    /// <summary>Writes the characters of <see cref="SluiceWriterOptions.NewLine"/>.</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests; it is checked before each block.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)" path="/exception"/>
    public void WriteLine(CancellationToken cancellationToken = default) => Write([], isLine: true, cancellationToken);

    /// <summary>Asynchronously writes text in the encoding of <see cref="SluiceWriterOptions.Encoding"/>.</summary>
    /// <param name="text">The text; the memory must not be changed before the task has ended.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests; it ends the wait for room.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public ValueTask WriteAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken = default) =>
        WriteAsync(text, isLine: false, cancellationToken);

    /// <summary>Asynchronously writes a string in the encoding of <see cref="SluiceWriterOptions.Encoding"/>.</summary>
    /// <param name="text">The string; <see langword="null"/> is empty text.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests; it ends the wait for room.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public ValueTask WriteAsync(string? text, CancellationToken cancellationToken = default) =>
        WriteAsync(text.AsMemory(), isLine: false, cancellationToken);

    /// <summary>Asynchronously writes text and the characters of <see cref="SluiceWriterOptions.NewLine"/>.</summary>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{char}, CancellationToken)"/>
    public ValueTask WriteLineAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken = default) =>
        WriteAsync(text, isLine: true, cancellationToken);

    /// <summary>Asynchronously writes a string and the characters of <see cref="SluiceWriterOptions.NewLine"/>.</summary>
    /// <inheritdoc cref="WriteAsync(string?, CancellationToken)"/>
    public ValueTask WriteLineAsync(string? text, CancellationToken cancellationToken = default) =>
        WriteAsync(text.AsMemory(), isLine: true, cancellationToken);

    /// <summary>Asynchronously writes the characters of <see cref="SluiceWriterOptions.NewLine"/>.</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests; it ends the wait for room.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)" path="/exception"/>
    public ValueTask WriteLineAsync(CancellationToken cancellationToken = default) => WriteAsync(default, isLine: true, cancellationToken);

    /// <summary>Whether earlier text may still become bytes, which belong in front of what comes next.</summary>
    private bool IsTextPending => _text is { IsPending: true };

    private void Write(ReadOnlySpan<char> text, bool isLine, CancellationToken cancellationToken)
    {
        Enter();
        try
        {
            if (!TryPutNow(text, isLine))
            {
                PutText(text, isLast: false, cancellationToken);
                if (isLine)
                {
                    PutText(_newLine, isLast: false, cancellationToken);
                }
            }
        }
        finally
        {
            Leave();
        }
    }

    private ValueTask WriteAsync(ReadOnlyMemory<char> text, bool isLine, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        Enter();
        bool isPut;
        try
        {
            // The memory and the encoding may be of the caller's own making, and throw.
            isPut = TryPutNow(text.Span, isLine);
        }
        catch
        {
            Leave();
            throw;
        }

        return !isPut ? WriteSlowAsync(text, isLine, cancellationToken)
            : TryLeave() ? ValueTask.CompletedTask
            : CloseAfterCallAsync(isAsync: true);
    }

    private async ValueTask WriteSlowAsync(ReadOnlyMemory<char> text, bool isLine, CancellationToken cancellationToken)
    {
        try
        {
            await PutTextAsync(text, isLast: false, cancellationToken).ConfigureAwait(false);
            if (isLine)
            {
                await PutTextAsync(_newLine.AsMemory(), isLast: false, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            await LeaveAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Puts all of the text into the block, or nothing and returns false.</summary>
    private bool TryPutNow(ReadOnlySpan<char> text, bool isLine)
    {
        TextEncoder encoder = _text ??= new TextEncoder(_encoding, _newLine, isAtStart: Position == 0);
        if (_pipeline.IsFull || !encoder.TryPutWhole(text, isLine, _pipeline.Room.Span, out int written))
        {
            return false;
        }

        _pipeline.Advance(written);
        return true;
    }

    private void PutText(ReadOnlySpan<char> text, bool isLast, CancellationToken cancellationToken)
    {
        do
        {
            if (_pipeline.IsFull)
            {
                WritePipeline.Ended(_pipeline.PushAsync(isAsync: false, cancellationToken));
            }

            text = PutStep(text, isLast);
        }
        while (!IsTextPut(text.Length, isLast));
    }

    private async ValueTask PutTextAsync(ReadOnlyMemory<char> text, bool isLast, CancellationToken cancellationToken)
    {
        do
        {
            if (_pipeline.IsFull)
            {
                await _pipeline.PushAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
            }

            text = text[^PutStep(text.Span, isLast).Length..];
        }
        while (!IsTextPut(text.Length, isLast));
    }

    /// <summary>Encodes some of the text into the block, which is not full; returns the rest.</summary>
    private ReadOnlySpan<char> PutStep(ReadOnlySpan<char> text, bool isLast)
    {
        int written = _text!.Put(text, _pipeline.Room.Span, isLast, out int taken);
        _pipeline.Advance(written);
        return text[taken..];
    }

    private bool IsTextPut(int unitsLeft, bool isLast) =>
        unitsLeft == 0 && (isLast ? !IsTextPending : !_text!.HasCarry);

    /// <summary>Writes what the encoding has kept of the text so far, as its end.</summary>
    private ValueTask EndTextAsync(bool isAsync, CancellationToken cancellationToken)
    {
        if (!IsTextPending)
        {
            return ValueTask.CompletedTask;
        }

        if (isAsync)
        {
            return PutTextAsync(default, isLast: true, cancellationToken);
        }

        PutText([], isLast: true, cancellationToken);
        return ValueTask.CompletedTask;
    }
}
