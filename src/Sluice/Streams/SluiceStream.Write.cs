using System.Runtime.CompilerServices;
using Sluice.Streams;

namespace Sluice;

public sealed partial class SluiceStream
{
    /// <summary>Writes bytes of an array at the position of the stream. The bytes can stay in the buffer until the next flush.</summary>
    /// <param name="buffer">The array that contains the bytes.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to write.</param>
    /// <param name="count">The number of bytes to write.</param>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range of <paramref name="buffer"/>.
    /// </exception>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte})" path="/exception"/>
    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        Write(buffer.AsSpan(offset, count));
    }

    /// <summary>Writes bytes at the position of the stream. The bytes can stay in the buffer until the next flush.</summary>
    /// <param name="buffer">The bytes to write.</param>
    /// <exception cref="NotSupportedException">
    /// The stream does not support writing; or the file cannot seek, and the buffer contains bytes that were read from it.
    /// </exception>
    /// <exception cref="ObjectDisposedException">
    /// The stream is closed, or another thread closed it during this call. In the second case, bytes of this call that were not yet written
    /// are lost. For a pipe, earlier bytes in the buffer can be lost too.
    /// </exception>
    /// <exception cref="IOException">
    /// The operating system reported an error when these bytes or earlier bytes in the buffer were written. The message contains the offset
    /// of the error.
    /// </exception>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        int pos = _pos;
        int count = buffer.Length;
        if (count <= _writeEnd - pos && count != 0 && !_gate.IsTaken)
        {
            buffer.CopyTo(_window.Array.AsSpan(pos));
            _pos = pos + count;
            ThrowIfClosing();
            return;
        }

        WriteSlow(buffer);
    }

    /// <summary>Writes one byte at the position of the stream. The byte can stay in the buffer until the next flush.</summary>
    /// <param name="value">The byte to write.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte})" path="/exception"/>
    public override void WriteByte(byte value)
    {
        int pos = _pos;
        if (pos < _writeEnd && !_gate.IsTaken)
        {
            _window.Array[pos] = value;
            _pos = pos + 1;
            ThrowIfClosing();
            return;
        }

        WriteByteSlow(value);
    }

    /// <summary>
    /// Writes the buffered bytes to the operating system. If the file can seek, bytes that were read ahead are discarded.
    /// </summary>
    /// <remarks>The bytes are not flushed to the disk: see <see cref="Flush(bool)"/>.</remarks>
    /// <inheritdoc cref="Flush(bool)" path="/exception"/>
    public override void Flush() => Flush(flushToDisk: false);

    /// <summary>
    /// Writes the buffered bytes to the operating system. If the file can seek, bytes that were read ahead are discarded.
    /// </summary>
    /// <param name="flushToDisk">
    /// <see langword="true"/> to also flush the file to the disk, so that its data survives a power failure; otherwise,
    /// <see langword="false"/>. This parameter has no effect if the stream does not support writing.
    /// </param>
    /// <exception cref="IOException">
    /// The bytes could not be written, in which case they stay in the buffer; or the file could not be flushed to the disk.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public void Flush(bool flushToDisk)
    {
        ThrowIfClosed();
        FlushBuffer();
        if (flushToDisk && MayWrite)
        {
            _handle.FlushToDisk();
        }
    }

    /// <summary>
    /// Asynchronously writes bytes of an array at the position of the stream. The bytes can stay in the buffer until the next flush.
    /// </summary>
    /// <param name="buffer">The array that contains the bytes. It must not be changed until the returned task has completed.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to write.</param>
    /// <param name="count">The number of bytes to write.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the write. For its effect, see <see cref="WriteAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.
    /// </param>
    /// <returns>A task that completes when the bytes are in the buffer or are written.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range of <paramref name="buffer"/>.
    /// </exception>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <summary>Asynchronously writes bytes at the position of the stream. The bytes can stay in the buffer until the next flush.</summary>
    /// <param name="buffer">The bytes to write. The memory must not be changed until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to cancel the write.</param>
    /// <returns>A task that completes when the bytes are in the buffer or are written.</returns>
    /// <remarks>
    /// <para>If the file cannot seek, as is the case for a pipe, the bytes are not buffered.</para>
    /// <para>
    /// A write to a file that can seek is not canceled after it has started. If the file cannot seek, it can be canceled after any byte.
    /// </para>
    /// </remarks>
    /// <exception cref="NotSupportedException">
    /// The stream does not support writing; or the file cannot seek, and the buffer contains bytes that were read from it.
    /// </exception>
    /// <exception cref="ObjectDisposedException">
    /// The stream is closed, or another thread closed it during this call. In the second case, bytes of this call that were not yet written
    /// are lost. For a pipe, earlier bytes in the buffer can be lost too.
    /// </exception>
    /// <exception cref="IOException">
    /// The operating system reported an error when these bytes or earlier bytes in the buffer were written. The message contains the offset
    /// of the error.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// The write was canceled. If the file can seek, no bytes were accepted; otherwise, some of them may have been written.
    /// </exception>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        ThrowUnlessWritable();
        int count = buffer.Length;
        if (count <= _writeEnd - _pos && count != 0 && _handle.CanSeek)
        {
            // The memory may be a custom implementation that throws.
            ReadOnlySpan<byte> source = buffer.Span;
            if (_gate.TryEnter())
            {
                int put = count <= _writeEnd - _pos ? PutAvailable(source) : 0;
                ExitGate();
                if (put != 0)
                {
                    return ValueTask.CompletedTask;
                }
            }
        }

        return IsBuffered ? WriteSlowAsync(buffer, cancellationToken) : WriteUnbufferedAsync(buffer, cancellationToken);
    }

    /// <summary>
    /// Asynchronously writes one byte at the position of the stream. The byte can stay in the buffer until the next flush.
    /// </summary>
    /// <param name="value">The byte to write.</param>
    /// <param name="cancellationToken">The token to cancel the write.</param>
    /// <returns>A task that completes when the byte is in the buffer or is written.</returns>
    /// <remarks>
    /// If there is room in the buffer, this method is about as fast as <see cref="WriteByte"/>. Do not call it while another operation on
    /// the stream is in progress. If the file cannot seek, as is the case for a pipe, the byte is not buffered.
    /// </remarks>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    public ValueTask WriteByteAsync(byte value, CancellationToken cancellationToken = default)
    {
        int pos = _pos;
        if (pos < _writeEnd && !_gate.IsTaken && _handle.CanSeek && !cancellationToken.IsCancellationRequested)
        {
            _window.Array[pos] = value;
            _pos = pos + 1;
            ThrowIfClosing();
            return ValueTask.CompletedTask;
        }

        return WriteAsync(new[] { value }, cancellationToken);
    }

    /// <summary>
    /// Asynchronously writes the buffered bytes to the operating system. If the file can seek, bytes that were read ahead are discarded.
    /// </summary>
    /// <param name="cancellationToken">The token to cancel the flush before it starts. A flush that has started is not canceled.</param>
    /// <returns>A task that completes when the buffer is empty.</returns>
    /// <remarks>
    /// The bytes are not flushed to the disk: see <see cref="Flush(bool)"/> and <see cref="SluiceHandle.FlushToDiskAsync"/>.
    /// </remarks>
    /// <exception cref="IOException">The bytes could not be written. They stay in the buffer.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="OperationCanceledException">The flush was canceled before it started. The bytes stay in the buffer.</exception>
    public override Task FlushAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        ThrowIfClosed();
        return _writeEnd == 0 && _readEnd == 0 && _readAhead is not { Offset: >= 0 } && !_gate.IsTaken
            ? Task.CompletedTask
            : FlushSlowAsync(cancellationToken).AsTask();
    }

    /// <summary>Throws if another thread has closed the stream, because that thread may not have found the bytes in the window.</summary>
    private void ThrowIfClosing()
    {
        if (!IsOpen)
        {
            StreamErrors.ThrowClosed();
        }
    }

    // Not inlined: the span would keep the argument on the stack, also in a loop of the caller.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteByteSlow(byte value) => WriteSlow([value]);

    private void WriteSlow(ReadOnlySpan<byte> buffer)
    {
        ThrowUnlessWritable();
        ThrowIfClosed();
        if (!IsBuffered)
        {
            WriteUnbuffered(buffer);
            return;
        }

        EnterGate();
        int put = 0;
        try
        {
            DiscardReadAhead();
            while (true)
            {
                put = PutAvailable(buffer);
                buffer = buffer[put..];
                if (buffer.IsEmpty)
                {
                    return;
                }

                FlushWrites();
                put = 0;
                int size = SizeFor(_base, MaxWrite);
                if (WritesThrough(buffer.Length, size))
                {
                    _handle.Write(buffer, _base);
                    EndWriteThrough(buffer.Length);
                    return;
                }

                BeginWriting(size);
            }
        }
        catch
        {
            UndoPut(put);
            throw;
        }
        finally
        {
            ExitGate();
        }
    }

    private void WriteUnbuffered(ReadOnlySpan<byte> buffer)
    {
        long offset = AdvancePosition(buffer.Length);
        try
        {
            _handle.Write(buffer, offset);
        }
        catch
        {
            AdvancePosition(-buffer.Length);
            throw;
        }
    }

    /// <summary>
    /// Returns true if a write of <paramref name="length"/> bytes would gain nothing from a window of <paramref name="size"/> bytes.
    /// </summary>
    private bool WritesThrough(int length, int size) => length >= (IsAdaptive ? Math.Min(size, MaxRead) : size);

    private void EndWriteThrough(int length)
    {
        _base += length;
        _sizing.Ended(_base, wasWhole: true);
    }

    /// <summary>Writes the buffered bytes, and discards bytes that were read ahead.</summary>
    private void FlushBuffer()
    {
        EnterGate();
        try
        {
            FlushWrites();
            DiscardReadAheadIfSeekable();
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>
    /// Discards unread bytes of the window and of the read-ahead, for a flush. Unread bytes of a file that cannot seek are kept, because they
    /// would be lost.
    /// </summary>
    private void DiscardReadAheadIfSeekable()
    {
        _readAhead?.Abandon();
        if (_readEnd != 0 && _handle.CanSeek)
        {
            ResetWindow(_base + _pos);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask FlushSlowAsync(CancellationToken cancellationToken)
    {
        await EnterGateAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await FlushWritesAsync().ConfigureAwait(false);
            DiscardReadAheadIfSeekable();
        }
        finally
        {
            ExitGate();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteSlowAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        await EnterGateAsync(cancellationToken).ConfigureAwait(false);
        int put = 0;
        try
        {
            DiscardReadAhead();

            // The other end of a pipe may wait for the bytes, so the stream does not buffer them (nor does FileStream).
            bool isThrough = !_handle.CanSeek;
            while (true)
            {
                put = isThrough ? 0 : PutAvailable(buffer.Span);
                buffer = buffer[put..];
                if (buffer.IsEmpty)
                {
                    return;
                }

                await FlushWritesAsync().ConfigureAwait(false);
                put = 0;
                int size = SizeFor(_base, MaxWrite);
                if (isThrough || WritesThrough(buffer.Length, size))
                {
                    await _handle.WriteAsync(buffer, _base, TokenOfWrite(cancellationToken)).ConfigureAwait(false);
                    EndWriteThrough(buffer.Length);
                    return;
                }

                BeginWriting(size);
            }
        }
        catch
        {
            UndoPut(put);
            throw;
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>Writes without the gate: several calls can be in progress, as with <see cref="FileStream"/>, each at an offset of its own.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteUnbufferedAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        long offset = AdvancePosition(buffer.Length);
        try
        {
            await _handle.WriteAsync(buffer, offset, TokenOfWrite(cancellationToken)).ConfigureAwait(false);
        }
        catch
        {
            AdvancePosition(-buffer.Length);
            throw;
        }
    }

    /// <summary>
    /// Returns the token for a write. A write that may be only partly performed is canceled only if it may wait for the other end of a
    /// pipe.
    /// </summary>
    private CancellationToken TokenOfWrite(CancellationToken cancellationToken) => _handle.CanSeek ? default : cancellationToken;
}
