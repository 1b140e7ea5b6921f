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
    /// Writes text in the encoding of <see cref="SluiceWriterOptions.Encoding"/>. The method may block the calling thread until earlier
    /// writes have completed.
    /// </summary>
    /// <param name="text">The text. A string is converted implicitly. A <see langword="null"/> string is treated as empty.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only when a block is full and must be written.
    /// </param>
    /// <remarks>
    /// <para>
    /// A surrogate pair can be split between two calls. If the second surrogate has not been written when the writer is flushed, completed
    /// or disposed, or when bytes are written, the encoding's fallback applies to the first one.
    /// </para>
    /// <para>
    /// If <see cref="Position"/> is 0 when the first text is written, the preamble of the encoding is written first. After a cancellation,
    /// a part of the text may have been written, but no incomplete character.
    /// </para>
    /// </remarks>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    /// <exception cref="EncoderFallbackException">
    /// The encoding cannot encode this text or could not encode an earlier one. A part of the text may have been written. Every later
    /// call that writes text throws the same exception. Bytes can still be written.
    /// </exception>
    /// <exception cref="IOException">This write or an earlier one failed. The message contains the offset of the failure.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    public void Write(ReadOnlySpan<char> text, CancellationToken cancellationToken = default) =>
        Write(text, isLine: false, cancellationToken);

    /// <summary>Writes text followed by a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public void WriteLine(ReadOnlySpan<char> text, CancellationToken cancellationToken = default) =>
        Write(text, isLine: true, cancellationToken);

    /// <summary>Writes a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only when a block is full and must be written.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)" path="/exception"/>
    public void WriteLine(CancellationToken cancellationToken = default) => Write([], isLine: true, cancellationToken);

    /// <summary>Asynchronously writes text in the encoding of <see cref="SluiceWriterOptions.Encoding"/>.</summary>
    /// <param name="text">The text. The memory must not be changed until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>A task that completes when the text has been copied to the writer or written to the file.</returns>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public ValueTask WriteAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken = default) =>
        WriteAsync(text, isLine: false, cancellationToken);

    /// <summary>Asynchronously writes a string in the encoding of <see cref="SluiceWriterOptions.Encoding"/>.</summary>
    /// <param name="text">The string. The value <see langword="null"/> is treated as an empty string.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>A task that completes when the text has been copied to the writer or written to the file.</returns>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public ValueTask WriteAsync(string? text, CancellationToken cancellationToken = default) =>
        WriteAsync(text.AsMemory(), isLine: false, cancellationToken);

    /// <summary>Asynchronously writes text followed by a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{char}, CancellationToken)"/>
    public ValueTask WriteLineAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken = default) =>
        WriteAsync(text, isLine: true, cancellationToken);

    /// <summary>Asynchronously writes a string followed by a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <inheritdoc cref="WriteAsync(string?, CancellationToken)"/>
    public ValueTask WriteLineAsync(string? text, CancellationToken cancellationToken = default) =>
        WriteAsync(text.AsMemory(), isLine: true, cancellationToken);

    /// <summary>Asynchronously writes a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>A task that completes when the bytes have been copied to the writer or written to the file.</returns>
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
