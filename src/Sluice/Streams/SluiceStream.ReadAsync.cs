using System.Runtime.CompilerServices;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Asynchronous reading: what is in the window or in the page cache is there when the call returns.
public sealed partial class SluiceStream
{
    /// <summary>Asynchronously reads bytes from the position of the stream into an array.</summary>
    /// <param name="buffer">The array that receives the bytes. It must not be used until the returned task has completed.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to store.</param>
    /// <param name="count">The maximum number of bytes to read.</param>
    /// <param name="cancellationToken">The token to cancel the read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than <paramref name="count"/> only at the end of the file, or if the
    /// file cannot seek.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range of <paramref name="buffer"/>.
    /// </exception>
    /// <inheritdoc cref="ReadAsync(Memory{byte}, CancellationToken)" path="/exception"/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        ValueTask<int> read = ReadAsync(buffer.AsMemory(offset, count), cancellationToken);
        if (!read.IsCompletedSuccessfully)
        {
            return read.AsTask();
        }

        // Most results are the count that was asked for: the same task serves again.
        int result = read.Result;
        return Extras.LastRead is { } last && last.Result == result ? last : Extras.LastRead = Task.FromResult(result);
    }

    /// <summary>Asynchronously reads bytes from the position of the stream.</summary>
    /// <param name="buffer">The memory that receives the bytes. It must not be used until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to cancel the read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than the length of <paramref name="buffer"/> only at the end of the
    /// file, or if the file cannot seek.
    /// </returns>
    /// <exception cref="NotSupportedException">The stream does not support reading.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="IOException">The operating system reported an error. The position has not changed.</exception>
    /// <exception cref="OperationCanceledException">The read was canceled. The position has not changed.</exception>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<int>(cancellationToken);
        }

        ThrowUnlessReadable();
        if (!IsBuffered)
        {
            return ReadUnbufferedAsync(buffer, cancellationToken);
        }

        // The caller's memory may be code that throws: it is asked before anything has begun.
        Span<byte> destination = buffer.Span;
        if (!_gate.TryEnterToRead())
        {
            return ReadInTurnAsync(buffer, cancellationToken);
        }

        int count = destination.Length;
        if (count <= _readEnd - _pos && count != 0)
        {
            _buffer.AsSpan(_pos, count).CopyTo(destination);
            _pos += count;
            ExitGate();
            return new ValueTask<int>(count);
        }

        return ReadSlowAsync(buffer, cancellationToken);
    }

    /// <summary>Asynchronously reads one byte from the position of the stream.</summary>
    /// <param name="cancellationToken">The token to cancel the read.</param>
    /// <returns>The byte, or -1 at the end of the file.</returns>
    /// <remarks>
    /// If the byte is in the buffer, this method is about as fast as <see cref="ReadByte"/>. Do not call it while another operation on the
    /// stream is in progress.
    /// </remarks>
    /// <inheritdoc cref="ReadAsync(Memory{byte}, CancellationToken)" path="/exception"/>
    public ValueTask<int> ReadByteAsync(CancellationToken cancellationToken = default)
    {
        // As in ReadByte.
        int pos = _pos;
        byte[] buffer = _buffer;
        if ((uint)pos < (uint)buffer.Length && !cancellationToken.IsCancellationRequested)
        {
            byte value = Volatile.Read(ref buffer[pos]);
            if (pos < _readEnd)
            {
                _pos = pos + 1;
                return new ValueTask<int>(value);
            }
        }

        return ReadByteSlowAsync(cancellationToken);
    }

    [AsyncMethodBuilder(typeof(CallBuilder<>))]
    private async ValueTask<int> ReadByteSlowAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowUnlessReadable();
        // Without a buffer several may be under way, and the stream may be closed around them.
        StreamExtras extras = Extras;
        byte[] one = extras.TakeOneByte();
        int value = await ReadAsync(one, cancellationToken).ConfigureAwait(false) == 0 ? -1 : one[0];
        extras.GiveOneByte(one);
        return value;
    }

    [AsyncMethodBuilder(typeof(CallBuilder<>))]
    private async ValueTask<int> ReadInTurnAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        await _gate.EnterAsync(this, cancellationToken).ConfigureAwait(false);
        return await ReadSlowAsync(buffer, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Leaves the gate, which the caller has entered.</summary>
    [AsyncMethodBuilder(typeof(CallBuilder<>))]
    private async ValueTask<int> ReadSlowAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            ThrowIfClosed();
            if (HasUnwritten)
            {
                _gate.StopReading();
                await LeaveWritingAsync(cancellationToken).ConfigureAwait(false);
            }

            _gate.StartReading();
            int done = TakeAvailable(buffer.Span);
            if (done == buffer.Length || (done > 0 && !_handle.CanSeek))
            {
                return done;
            }

            try
            {
                return done + await ReadRestAsync(buffer[done..], cancellationToken).ConfigureAwait(false);
            }
            catch
            {
                StepBack(done);
                throw;
            }
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>The window is used up: takes what was read ahead, or reads. When that fails, the position is where it was.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private async ValueTask<int> ReadRestAsync(Memory<byte> rest, CancellationToken cancellationToken)
    {
        int done = 0;
        try
        {
            while (ReadAhead is { } ahead && ahead.Offset == _base + _pos)
            {
                bool isLast = await TakeAheadAsync(ahead).ConfigureAwait(false);
                cancellationToken.ThrowIfCancellationRequested();
                int taken = TakeAvailable(rest.Span);
                done += taken;
                rest = rest[taken..];
                if (rest.IsEmpty || (isLast && done > 0))
                {
                    return done;
                }
            }

            // Also where the file ended when it was read ahead: it may go on there by now.
            return done + await ReadHereAsync(rest, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            StepBack(done);
            throw;
        }
    }

    /// <summary>The oldest chunk that was read ahead becomes the window; true when it is the last of the file.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private async ValueTask<bool> TakeAheadAsync(ReadAhead ahead)
    {
        long offset = _base + _pos;
        Forget(offset);
        MemoryLease usedUp = Window;
        SetWindow(default);
        (MemoryLease chunk, int length, bool isLast) = await ahead.TakeAsync(usedUp).ConfigureAwait(false);
        SetWindow(chunk);
        ShowRead(offset, 0, length, !isLast);
        return isLast;
    }

    [AsyncMethodBuilder(typeof(InnerTaskBuilder<>))]
    private async ValueTask<int> ReadHereAsync(Memory<byte> rest, CancellationToken cancellationToken)
    {
        long offset = _base + _pos;
        Forget(offset);
        int size = SizeFor(offset, AdaptiveSize.MaxRead);
        bool passes = PassesThrough(rest.Length, size);
        int lead = passes ? 0 : LeadOf(offset, size, rest.Length);
        MemoryLease window = passes ? default : WindowOf(size);
        Memory<byte> memory = window.IsEmpty ? rest : window.MemoryAt(window.Start, size);
        ValueTask<int> read = _handle.ReadAsync(memory, offset - lead, cancellationToken);
        bool isHot = read.IsCompleted;
        int length = await read.ConfigureAwait(false);
        if (window.IsEmpty)
        {
            EndReadThrough(offset + length, length == rest.Length);
        }
        else
        {
            ShowRead(offset - lead, lead, length, length == size);
            length = TakeAvailable(rest.Span);
        }

        if (!isHot && IsAdaptive && _sizing is { IsSequential: true, Current: >= AdaptiveSize.Large })
        {
            await TryReadAheadAsync().ConfigureAwait(false);
        }

        return length;
    }

    /// <summary>A favour: what this call is to return has been read, and whoever reads further meets the error.</summary>
    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    private async ValueTask TryReadAheadAsync()
    {
        try
        {
            if (IsReadAheadWorthwhile)
            {
                ReadAhead ahead = Extras.ReadAhead ??= new ReadAhead(_handle, this);
                await ahead.StartAsync(_readEnd != 0 ? _base + _readEnd : _base).ConfigureAwait(false);
            }
        }
        catch (Exception)
        {
            ReadAhead?.Abandon();
        }
    }

    /// <summary>Reading ahead needs offsets, and something to read.</summary>
    private bool IsReadAheadWorthwhile => _handle.CanSeek && _handle.Length > _base + _pos;

    /// <summary>Concurrent calls are allowed, as in FileStream: each takes its place when it begins.</summary>
    private ValueTask<int> ReadUnbufferedAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        int count = buffer.Length;
        long offset = Interlocked.Add(ref _base, count) - count;
        ValueTask<int> read;
        try
        {
            read = _handle.ReadAsync(buffer, offset, cancellationToken);
        }
        catch
        {
            Interlocked.Add(ref _base, -count);
            throw;
        }

        if (!read.IsCompletedSuccessfully)
        {
            return EndUnbufferedAsync(read, count);
        }

        int bytes = read.Result;
        if (bytes != count)
        {
            Interlocked.Add(ref _base, bytes - count);
        }

        return new ValueTask<int>(bytes);
    }

    [AsyncMethodBuilder(typeof(CallBuilder<>))]
    private async ValueTask<int> EndUnbufferedAsync(ValueTask<int> read, int count)
    {
        int bytes = 0;
        try
        {
            bytes = await read.ConfigureAwait(false);
            return bytes;
        }
        finally
        {
            if (bytes != count)
            {
                Interlocked.Add(ref _base, bytes - count);
            }
        }
    }
}
