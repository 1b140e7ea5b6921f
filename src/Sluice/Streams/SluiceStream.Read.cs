using System.Runtime.CompilerServices;
using Sluice.Streams;

namespace Sluice;

public sealed partial class SluiceStream
{
    private Task<int>? _lastRead;

    /// <summary>Reads bytes from the position of the stream into an array.</summary>
    /// <param name="buffer">The array that receives the bytes.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to store.</param>
    /// <param name="count">The maximum number of bytes to read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than <paramref name="count"/> only at the end of the file, or for a
    /// file without a length, such as a pipe or a file in /proc.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range of <paramref name="buffer"/>.
    /// </exception>
    /// <inheritdoc cref="Read(Span{byte})" path="/exception"/>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    /// <summary>Reads bytes from the position of the stream.</summary>
    /// <param name="buffer">The memory that receives the bytes.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than the length of <paramref name="buffer"/> only at the end of the
    /// file, or for a file without a length, such as a pipe or a file in /proc.
    /// </returns>
    /// <exception cref="NotSupportedException">The stream does not support reading.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="IOException">The operating system reported an error. The position has not changed.</exception>
    public override int Read(Span<byte> buffer)
    {
        int pos = _pos;
        int count = buffer.Length;
        if (count <= _readEnd - pos && count != 0)
        {
            _window.Array.AsSpan(pos, count).CopyTo(buffer);
            _pos = pos + count;
            return count;
        }

        return ReadSlow(buffer);
    }

    /// <summary>Reads one byte from the position of the stream.</summary>
    /// <returns>The byte, or -1 at the end of the file.</returns>
    /// <inheritdoc cref="Read(Span{byte})" path="/exception"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override int ReadByte()
    {
        int pos = _pos;
        byte[] buffer = _window.Array;
        if (pos < _readEnd && (uint)pos < (uint)buffer.Length)
        {
            _pos = pos + 1;
            return buffer[pos];
        }

        return ReadByteSlow();
    }

    /// <summary>Asynchronously reads bytes from the position of the stream into an array.</summary>
    /// <param name="buffer">The array that receives the bytes. It must not be used until the returned task has completed.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to store.</param>
    /// <param name="count">The maximum number of bytes to read.</param>
    /// <param name="cancellationToken">The token to cancel the read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than <paramref name="count"/> only at the end of the file, or for a
    /// file without a length, such as a pipe or a file in /proc.
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

        // Most calls return as many bytes as the one before.
        int result = read.Result;
        return _lastRead is { } last && last.Result == result ? last : _lastRead = Task.FromResult(result);
    }

    /// <summary>Asynchronously reads bytes from the position of the stream.</summary>
    /// <param name="buffer">The memory that receives the bytes. It must not be used until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to cancel the read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than the length of <paramref name="buffer"/> only at the end of the
    /// file, or for a file without a length, such as a pipe or a file in /proc.
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
        int count = buffer.Length;
        if (count <= _readEnd - _pos && count != 0)
        {
            // The memory may be a custom implementation that throws.
            Span<byte> destination = buffer.Span;
            if (_gate.TryEnter())
            {
                int taken = count <= _readEnd - _pos ? TakeAvailable(destination) : 0;
                ExitGate();
                if (taken != 0)
                {
                    return new ValueTask<int>(taken);
                }
            }
        }

        return IsBuffered ? ReadSlowAsync(buffer, cancellationToken) : ReadUnbufferedAsync(buffer, cancellationToken);
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
        int pos = _pos;
        byte[] buffer = _window.Array;
        if (pos < _readEnd && (uint)pos < (uint)buffer.Length && !cancellationToken.IsCancellationRequested)
        {
            _pos = pos + 1;
            return new ValueTask<int>(buffer[pos]);
        }

        return ReadByteSlowAsync(cancellationToken);
    }

    private int ReadByteSlow()
    {
        byte value = 0;
        return ReadSlow(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    private int ReadSlow(Span<byte> buffer)
    {
        ThrowUnlessReadable();
        ThrowIfClosed();
        if (!IsBuffered)
        {
            int bytes = _handle.Read(buffer, _base);
            _base += bytes;
            return bytes;
        }

        EnterGate();
        try
        {
            FlushWrites();
            int done = TakeAvailable(buffer);
            if (done == buffer.Length || (done > 0 && !_handle.CanSeek))
            {
                return done;
            }

            try
            {
                return done + ReadRest(buffer[done..]);
            }
            catch
            {
                UndoTake(done);
                throw;
            }
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>
    /// Continues a read after the window: through a new window, or directly into a large buffer of the caller. Returns the number of bytes.
    /// </summary>
    private int ReadRest(Span<byte> rest)
    {
        long offset = _base + _pos;
        ResetWindow(offset);
        _readAhead?.Abandon();
        int size = SizeFor(offset, MaxRead);
        if (ReadsThrough(rest.Length, size))
        {
            int bytes = _handle.Read(rest, offset);
            EndReadThrough(offset + bytes, bytes == rest.Length);
            return bytes;
        }

        int lead = LeadOf(offset, size, rest.Length);
        int length = _handle.Read(WindowOf(size).Span(size), offset - lead);
        ShowRead(offset - lead, lead, length, length == size);
        return TakeAvailable(rest);
    }

    /// <summary>
    /// Returns true if a read of <paramref name="length"/> bytes would gain nothing from a window of <paramref name="size"/> bytes.
    /// </summary>
    private bool ReadsThrough(int length, int size) => length >= (IsAdaptive ? Math.Min(size, AdaptiveSize.Large) : size);

    private void EndReadThrough(long end, bool wasWhole)
    {
        _base = end;
        _sizing.Ended(end, wasWhole);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadByteSlowAsync(CancellationToken cancellationToken)
    {
        byte[] one = new byte[1];
        return await ReadAsync(one, cancellationToken).ConfigureAwait(false) == 0 ? -1 : one[0];
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadSlowAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        await EnterGateAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await FlushWritesAsync().ConfigureAwait(false);
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
                UndoTake(done);
                throw;
            }
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>Reads like <see cref="ReadRest"/>, but takes chunks that were read ahead first. A failure does not move the position.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadRestAsync(Memory<byte> rest, CancellationToken cancellationToken)
    {
        int done = 0;
        try
        {
            while (_readAhead is { } ahead && ahead.Offset == _base + _pos)
            {
                long offset = ahead.Offset;
                ResetWindow(offset);
                StreamWindow used = _window;
                _window = StreamWindow.None;
                (_window, int length, bool isLast) = await ahead.TakeAsync(used).ConfigureAwait(false);
                ShowRead(offset, 0, length, !isLast);
                cancellationToken.ThrowIfCancellationRequested();
                int taken = TakeAvailable(rest.Span);
                done += taken;
                rest = rest[taken..];
                if (rest.IsEmpty || (isLast && done > 0))
                {
                    return done;
                }
            }

            // The rest is read even if the file ended when it was read ahead, because the file may be longer now.
            return done + await ReadHereAsync(rest, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            UndoTake(done);
            throw;
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadHereAsync(Memory<byte> rest, CancellationToken cancellationToken)
    {
        long offset = _base + _pos;
        ResetWindow(offset);
        int size = SizeFor(offset, MaxRead);
        bool isThrough = ReadsThrough(rest.Length, size);
        int lead = isThrough ? 0 : LeadOf(offset, size, rest.Length);
        ValueTask<int> read = _handle.ReadAsync(isThrough ? rest : WindowOf(size).Memory(size), offset - lead, cancellationToken);
        bool isHot = read.IsCompleted;
        int length = await read.ConfigureAwait(false);
        if (isThrough)
        {
            EndReadThrough(offset + length, length == rest.Length);
        }
        else
        {
            ShowRead(offset - lead, lead, length, length == size);
            length = TakeAvailable(rest.Span);
        }

        if (!isHot && IsAdaptive && _sizing is { IsSequential: true, Current: >= AdaptiveSize.Large } && _handle.CanSeek)
        {
            _readAhead ??= new ReadAhead(_handle);
            await _readAhead.StartAsync(_readEnd != 0 ? _base + _readEnd : _base).ConfigureAwait(false);
        }

        return length;
    }

    /// <summary>Reads without the gate: several calls can be in progress, as with <see cref="FileStream"/>, each at an offset of its own.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadUnbufferedAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        int count = buffer.Length;
        long offset = AdvancePosition(count);
        int bytes = 0;
        try
        {
            bytes = await _handle.ReadAsync(buffer, offset, cancellationToken).ConfigureAwait(false);
            return bytes;
        }
        finally
        {
            if (bytes != count)
            {
                AdvancePosition(bytes - count);
            }
        }
    }

    /// <summary>Moves the position of a stream without a buffer. Returns the previous position.</summary>
    private long AdvancePosition(int count) => Interlocked.Add(ref _base, count) - count;
}
