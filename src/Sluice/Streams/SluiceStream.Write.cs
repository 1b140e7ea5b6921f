using System.Runtime.CompilerServices;
using Sluice.Streams;

namespace Sluice;

// Synchronous writing.
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
        int count = buffer.Length;
        _isCopying = true;
        int pos = _pos;
        if (count <= _writeEnd - pos && count != 0)
        {
            buffer.CopyTo(_buffer.AsSpan(pos));
            _pos = pos + count;
            _isCopying = false;
            if (_isGivenUp)
            {
                ThrowIfLeftOut(pos + count);
            }

            return;
        }

        WriteSlow(buffer);
    }

    /// <summary>Writes one byte at the position of the stream. The byte can stay in the buffer until the next flush.</summary>
    /// <param name="value">The byte to write.</param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte})" path="/exception"/>
    public override void WriteByte(byte value)
    {
        _isCopying = true;
        int pos = _pos;
        if (pos < _writeEnd)
        {
            _buffer[pos] = value;
            _pos = pos + 1;
            _isCopying = false;
            if (_isGivenUp)
            {
                ThrowIfLeftOut(pos + 1);
            }

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

    // Apart: a span over the argument would keep it on the stack, and in the caller's loop too, where WriteByte is inlined.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteByteSlow(byte value) => WriteSlow([value]);

    private void WriteSlow(ReadOnlySpan<byte> buffer)
    {
        EndQuickWay();
        ThrowUnlessWritable();
        ThrowIfClosed();
        if (!IsBuffered)
        {
            WriteUnbuffered(buffer);
            return;
        }

        EnterGate();
        bool isOpen = true;
        bool isInWindow = false;
        try
        {
            isInWindow = WriteInGate(buffer);
        }
        finally
        {
            isOpen = ExitGate();
        }

        if (isInWindow && !isOpen)
        {
            // A pipe that another thread has closed meanwhile, which waits for nobody.
            StreamErrors.ThrowClosed();
        }
    }

    /// <returns>Whether the last of it is in the window; else all of it is in the file.</returns>
    private bool WriteInGate(ReadOnlySpan<byte> buffer)
    {
        int put = 0;
        try
        {
            LeaveReading();
            while (true)
            {
                put = PutAvailable(buffer);
                buffer = buffer[put..];
                if (buffer.IsEmpty)
                {
                    return put > 0;
                }

                HandDown();
                put = 0;
                WriteBehind?.Settle();
                int size = SizeFor(_base, AdaptiveSize.MaxWrite);
                if (WritesThrough(buffer.Length, size))
                {
                    WriteThrough(buffer);
                    NoteWritten(_base, buffer.Length);
                    _base += buffer.Length;
                    _sizing.Ended(_base, wasWhole: true);
                    return false;
                }

                BeginWriting(size);
            }
        }
        catch
        {
            TakeBack(put);
            throw;
        }
    }

    /// <summary>Takes its place first: an asynchronous write in front of it may be cancelled meanwhile.</summary>
    private void WriteUnbuffered(ReadOnlySpan<byte> buffer)
    {
        long offset = TakePlace(buffer.Length);
        try
        {
            _handle.Write(buffer, offset);
        }
        catch
        {
            _ = TakePlace(-buffer.Length);
            throw;
        }

        NoteWritten(offset, buffer.Length);
    }

    /// <summary>Writes what no window is to take; where space is reserved, piece by piece.</summary>
    private void WriteThrough(ReadOnlySpan<byte> buffer)
    {
        long offset = _base;
        while (ReservesInPieces(buffer.Length))
        {
            ReserveSpace(offset, OpenFile.MaxInlineBytes);
            _handle.Write(buffer[..OpenFile.MaxInlineBytes], offset);
            buffer = buffer[OpenFile.MaxInlineBytes..];
            offset += OpenFile.MaxInlineBytes;
        }

        ReserveSpace(offset, buffer.Length);
        _handle.Write(buffer, offset);
    }

    /// <summary>Whether a write of <paramref name="length"/> bytes gains nothing from a window of <paramref name="size"/> bytes.</summary>
    private bool WritesThrough(int length, int size) => length >= (IsAdaptive ? Math.Min(size, AdaptiveSize.MaxRead) : size);

    private bool HasUnwritten => _writeEnd != 0 || WriteBehind is { IsPending: true };

    /// <summary>Before reading: everything written is in the file.</summary>
    private void LeaveWriting()
    {
        WriteBehind?.Settle();
        HandDown();
    }

    /// <summary>Before writing: nothing is read ahead.</summary>
    private void LeaveReading()
    {
        if (ReadAhead is { } ahead)
        {
            ahead.Abandon();
        }

        if (_readEnd != 0)
        {
            CheckUnreadBytes();
            Forget(_base + _pos);
            _sizing.Reset();
        }
    }

    /// <summary>What was read ahead of the caller from a pipe or a terminal cannot be put back.</summary>
    private void CheckUnreadBytes()
    {
        if (_readEnd > _pos && !_handle.CanSeek)
        {
            StreamErrors.ThrowUnreadBytes();
        }
    }

    /// <summary>Everything written is in the file, and nothing is read ahead.</summary>
    private void FlushBuffer()
    {
        EnterGate();
        try
        {
            LeaveWriting();
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

    /// <summary>Writes what is in memory; called by the finalizer of the extras when both are collected.</summary>
    internal void FlushAtFinalization()
    {
        try
        {
            if (IsOpen && !_handle.IsClosed)
            {
                LeaveWriting();
                ReleaseWindow();
                WriteBehind?.ReleaseSpare();
                ReadAhead?.ReleaseSpare();
            }
        }
#pragma warning disable CA1031 // Nobody is there to hear of it, and a finalizer must not throw.
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }
}
