using System.Runtime.CompilerServices;
using Sluice.Streams;

namespace Sluice;

// Asynchronous writing: the caller fills one buffer while the one before is written.
public sealed partial class SluiceStream
{
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
    /// A write of at most 1 MiB is not canceled after it has started. A larger write is split into pieces of 1 MiB (8 MiB with
    /// <see cref="FileCaching.Direct"/>), and the token is checked between pieces. After a cancellation, <see cref="Position"/> is at the
    /// end of the bytes that were written.
    /// </para>
    /// <para>
    /// There are two cases in which this does not hold. If the stream has no buffer, a write is not canceled after a later call has
    /// started. If the file cannot seek, a write can be canceled after any byte.
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
    /// The write was canceled. <see cref="Position"/> is after the bytes that were accepted. If the file can seek and at most 1 MiB was to
    /// be written, no bytes were accepted.
    /// </exception>
    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        ThrowUnlessWritable();
        if (!IsBuffered)
        {
            return WriteUnbufferedAsync(buffer, cancellationToken);
        }

        // The caller's memory may be code that throws: it is asked before anything has begun.
        ReadOnlySpan<byte> source = buffer.Span;
        if (!_gate.TryEnter())
        {
            return WriteInTurnAsync(buffer, cancellationToken);
        }

        int count = source.Length;
        if (count <= _writeEnd - _pos && count != 0 && _handle.CanSeek)
        {
            source.CopyTo(_buffer.AsSpan(_pos));
            _pos += count;
            ExitGate();
            return ValueTask.CompletedTask;
        }

        return WriteSlowAsync(buffer, cancellationToken);
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
        if (!_handle.CanSeek)
        {
            // Somebody may wait for it.
            return WriteByteSlowAsync(value, cancellationToken);
        }

        _isCopying = true;
        int pos = _pos;
        if (pos < _writeEnd && !cancellationToken.IsCancellationRequested)
        {
            _buffer[pos] = value;
            _pos = pos + 1;
            _isCopying = false;
            return _isGivenUp && IsLeftOut(pos + 1) ? ValueTask.FromException(StreamErrors.Closed()) : ValueTask.CompletedTask;
        }

        EndQuickWay();
        return WriteByteSlowAsync(value, cancellationToken);
    }

    /// <summary>
    /// Asynchronously writes the buffered bytes to the operating system. If the file can seek, bytes that were read ahead are discarded.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to cancel the flush. If the file cannot seek, the flush is canceled only before it starts.
    /// </param>
    /// <returns>A task that completes when the buffer is empty.</returns>
    /// <remarks>
    /// The bytes are not flushed to the disk: see <see cref="Flush(bool)"/> and <see cref="SluiceHandle.FlushToDiskAsync"/>.
    /// </remarks>
    /// <exception cref="IOException">The bytes could not be written. They stay in the buffer.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="OperationCanceledException">The flush was canceled. Bytes that were not written stay in the buffer.</exception>
    public override Task FlushAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        ThrowIfClosed();
        if (!HasUnwritten && _readEnd == 0 && ReadAhead is not { Offset: >= 0 } && !_gate.IsTaken)
        {
            return Task.CompletedTask;
        }

        return FlushSlowAsync(cancellationToken).AsTask();
    }

    [AsyncMethodBuilder(typeof(CallBuilder))]
    private async ValueTask FlushSlowAsync(CancellationToken cancellationToken)
    {
        await _gate.EnterAsync(this, cancellationToken).ConfigureAwait(false);
        try
        {
            await LeaveWritingAsync(cancellationToken).ConfigureAwait(false);
            if (_readEnd != 0 && _handle.CanSeek)
            {
                Forget(_base + _pos);
            }

            ReadAhead?.Abandon();
            ReleaseIdleWindow();
        }
        finally
        {
            ExitGate();
        }
    }

    [AsyncMethodBuilder(typeof(CallBuilder))]
    private async ValueTask WriteByteSlowAsync(byte value, CancellationToken cancellationToken)
    {
        // A buffer of its own: several such calls may wait for their turn.
        byte[] one = [value];
        await WriteAsync(one, cancellationToken).ConfigureAwait(false);
    }

    [AsyncMethodBuilder(typeof(CallBuilder))]
    private async ValueTask WriteInTurnAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        await _gate.EnterAsync(this, cancellationToken).ConfigureAwait(false);
        await WriteSlowAsync(buffer, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Leaves the gate, which the caller has entered.</summary>
    [AsyncMethodBuilder(typeof(CallBuilder))]
    private async ValueTask WriteSlowAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        int put = 0;
        try
        {
            ThrowIfClosed();
            LeaveReading();
            // As in FileStream, what is written to a pipe asynchronously is not kept back: somebody may wait for it.
            bool passes = !_handle.CanSeek;
            while (true)
            {
                put = passes ? 0 : PutAvailable(buffer.Span);
                buffer = buffer[put..];
                if (buffer.IsEmpty)
                {
                    return;
                }

                await HandDownAsync(mayStayBehind: true, isLast: false, cancellationToken).ConfigureAwait(false);
                // Where a part is in the file, or on its way there, a rest that is one piece goes too.
                CancellationToken restToken = put > 0 ? default : cancellationToken;
                put = 0;
                int size = SizeFor(_base, AdaptiveSize.MaxWrite);
                if (passes || WritesThrough(buffer.Length, size))
                {
                    await SettleAsync(restToken).ConfigureAwait(false);
                    int written = await WriteThroughAsync(buffer, cancellationToken).ConfigureAwait(false);
                    NoteWritten(_base, written);
                    _base += written;
                    _sizing.Ended(_base, wasWhole: written == buffer.Length);
                    if (written < buffer.Length)
                    {
                        cancellationToken.ThrowIfCancellationRequested();
                    }

                    return;
                }

                BeginWriting(size);
            }
        }
        catch
        {
            TakeBack(put);
            throw;
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>Writes what no window is to take; fewer bytes than there are where it was cancelled between two pieces.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private async ValueTask<int> WriteThroughAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        if (ReservesInPieces(buffer.Length))
        {
            return await WriteReservedAsync(buffer, cancellationToken).ConfigureAwait(false);
        }

        if (MayEndBetweenPieces(buffer.Length, cancellationToken))
        {
            return (int)await _handle.WriteInPiecesAsync(buffer, _base, cancellationToken).ConfigureAwait(false);
        }

        ReserveSpace(_base, buffer.Length);
        await _handle.WriteAsync(buffer, _base, TokenOfTransfer(cancellationToken)).ConfigureAwait(false);
        return buffer.Length;
    }

    /// <summary>As <see cref="WriteThroughAsync"/>, where the space of each piece is reserved before it.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private async ValueTask<int> WriteReservedAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        for (int written = 0; ;)
        {
            int length = Math.Min(OpenFile.MaxInlineBytes, buffer.Length - written);
            ReserveSpace(_base + written, length);
            await _handle.WriteBehindAsync(buffer.Slice(written, length), _base + written).ConfigureAwait(false);
            written += length;
            int left = buffer.Length - written;
            if (left == 0 || (left > OpenFile.MaxInlineBytes && cancellationToken.IsCancellationRequested))
            {
                return written;
            }
        }
    }

    /// <summary>
    /// A write that is cancelled while it is under way leaves a part behind the position, and whoever wrote it is told that there is
    /// nothing: it is not cancelled, but where it may wait for a reader.
    /// </summary>
    private CancellationToken TokenOfTransfer(CancellationToken cancellationToken) => _handle.CanSeek ? default : cancellationToken;

    private bool MayEndBetweenPieces(int length, CancellationToken cancellationToken) =>
        length > OpenFile.MaxInlineBytes && cancellationToken.CanBeCanceled && _handle.CanSeek;

    private ValueTask SettleAsync(CancellationToken cancellationToken) =>
        WriteBehind is { IsPending: true } behind ? behind.SettleAsync(cancellationToken) : ValueTask.CompletedTask;

    /// <summary>Before reading: everything written is in the file.</summary>
    private ValueTask LeaveWritingAsync(CancellationToken cancellationToken) =>
        _writeEnd == 0 && WriteBehind is not { IsPending: true } ? ValueTask.CompletedTask : LeaveWritingSlowAsync(cancellationToken);

    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    private async ValueTask LeaveWritingSlowAsync(CancellationToken cancellationToken)
    {
        await SettleAsync(cancellationToken).ConfigureAwait(false);
        await HandDownAsync(mayStayBehind: false, isLast: false, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Concurrent calls are allowed, as in FileStream: each takes its place when it begins.</summary>
    private ValueTask WriteUnbufferedAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        int count = buffer.Length;
        long offset = TakePlace(count);
        ValueTask write;
        try
        {
            if (MayEndBetweenPieces(count, cancellationToken))
            {
                ValueTask<long> pieces = _handle.WriteInPiecesAsync(buffer, offset, cancellationToken);
                return EndUnbufferedAsync(pieces, buffer, offset, cancellationToken);
            }

            write = _handle.WriteAsync(buffer, offset, TokenOfTransfer(cancellationToken));
        }
        catch
        {
            _ = TakePlace(-count);
            throw;
        }

        if (!write.IsCompletedSuccessfully)
        {
            return EndUnbufferedAsync(write, offset, count);
        }

        NoteWritten(offset, count);
        return write;
    }

    [AsyncMethodBuilder(typeof(CallBuilder))]
    private async ValueTask EndUnbufferedAsync(ValueTask write, long offset, int count)
    {
        try
        {
            await write.ConfigureAwait(false);
            NoteWritten(offset, count);
        }
        catch
        {
            _ = TakePlace(-count);
            throw;
        }
    }

    [AsyncMethodBuilder(typeof(CallBuilder))]
    private async ValueTask EndUnbufferedAsync(
        ValueTask<long> write, ReadOnlyMemory<byte> buffer, long offset, CancellationToken cancellationToken)
    {
        int count = buffer.Length;
        try
        {
            int written = (int)await write.ConfigureAwait(false);
            if (written < count && Interlocked.CompareExchange(ref _base, offset + written, offset + count) != offset + count)
            {
                // Another call stands behind this one's place, or the position has been set: there is nothing that could be given back.
                await _handle.WriteAsync(buffer[written..], offset + written, CancellationToken.None).ConfigureAwait(false);
                written = count;
            }

            NoteWritten(offset, written);
            if (written == count)
            {
                return;
            }
        }
        catch
        {
            _ = TakePlace(-count);
            throw;
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    /// <summary>Moves the position of a stream without a buffer; where the place begins that was taken so.</summary>
    private long TakePlace(int count) => Interlocked.Add(ref _base, count) - count;
}
