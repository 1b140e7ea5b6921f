using System.Runtime.CompilerServices;
using Sluice.Streams;

namespace Sluice;

// Asynchronous writing: the caller fills one buffer while the one before is written.
public sealed partial class SluiceStream
{
    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <summary>As <see cref="Write(ReadOnlySpan{byte})"/>. The memory belongs to the stream until the task has ended.</summary>
    /// <remarks>
    /// What is written is written in pieces of 1 MiB (direct: 8 MiB), and the token is looked at between them, as long as more than 1 MiB
    /// is left: a large write that is cancelled ends there, with the position behind the bytes that are in the file, and nothing of it
    /// behind the position. A smaller one, as in FileStream, goes on to its end once it has begun; so does one behind which another call
    /// has taken its place, which is possible without a buffer. One to a file that cannot seek, such as a pipe, may end at any byte.
    /// </remarks>
    /// <exception cref="OperationCanceledException">Cancelled: <see cref="Position"/> tells how many bytes were accepted; of a write of
    /// at most 1 MiB none was.</exception>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte})"/>
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

    /// <summary>Writes a byte; into the window it costs about what <see cref="WriteByte"/> does.</summary>
    /// <remarks>Not to be called while another operation of the stream is under way in another thread.</remarks>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{byte}, CancellationToken)"/>
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

    /// <summary>Hands written bytes down to the operating system, and drops bytes that were read ahead.</summary>
    /// <exception cref="OperationCanceledException">
    /// Cancelled, where the file cannot seek before anything was handed down; the bytes are kept.
    /// </exception>
    /// <inheritdoc cref="Flush(bool)"/>
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
        bool isKept = BeginWriteThrough(buffer.Length);
        await _handle.WriteAsync(buffer, _base, isKept, TokenOfTransfer(cancellationToken)).ConfigureAwait(false);
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
