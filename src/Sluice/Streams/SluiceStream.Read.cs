using System.Runtime.CompilerServices;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Synchronous reading.
public sealed partial class SluiceStream
{
    /// <summary>Reads bytes from the position of the stream into an array.</summary>
    /// <param name="buffer">The array that receives the bytes.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to store.</param>
    /// <param name="count">The maximum number of bytes to read.</param>
    /// <returns>
    /// The number of bytes read; 0 at the end of the file. It is less than <paramref name="count"/> only at the end of the file, or if the
    /// file cannot seek.
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
    /// file, or if the file cannot seek.
    /// </returns>
    /// <exception cref="NotSupportedException">The stream does not support reading.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="IOException">The operating system reported an error. The position has not changed.</exception>
    public override int Read(Span<byte> buffer)
    {
        int count = buffer.Length;
        _isCopying = true;
        int pos = _pos;
        if (count <= _readEnd - pos && count != 0)
        {
            _buffer.AsSpan(pos, count).CopyTo(buffer);
            _pos = pos + count;
            _isCopying = false;
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
        // No mark, which would cost a quarter: a byte of memory that was taken away meanwhile is not given out.
        int pos = _pos;
        byte[] buffer = _buffer;
        if ((uint)pos < (uint)buffer.Length)
        {
            byte value = Volatile.Read(ref buffer[pos]);
            if (pos < _readEnd)
            {
                _pos = pos + 1;
                return value;
            }
        }

        return ReadByteSlow();
    }

    private int ReadByteSlow()
    {
        byte value = 0;
        return ReadSlow(new Span<byte>(ref value)) == 0 ? -1 : value;
    }

    private int ReadSlow(Span<byte> buffer)
    {
        EndQuickWay();
        ThrowUnlessReadable();
        ThrowIfClosed();
        if (!IsBuffered)
        {
            int bytes = _handle.Read(buffer, _base);
            _base += bytes;
            return bytes;
        }

        if (!_gate.TryEnterToRead())
        {
            EnterGate();
        }

        try
        {
            if (HasUnwritten)
            {
                _gate.StopReading();
                LeaveWriting();
            }

            _gate.StartReading();
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
                StepBack(done);
                throw;
            }
        }
        finally
        {
            ExitGate();
        }
    }

    /// <summary>The window is used up: reads through a new one, or into the caller's memory where that is as large.</summary>
    private int ReadRest(Span<byte> rest)
    {
        long offset = _base + _pos;
        Forget(offset);
        ReadAhead?.Abandon();
        int size = SizeFor(offset, AdaptiveSize.MaxRead);
        if (PassesThrough(rest.Length, size))
        {
            int bytes = _handle.Read(rest, offset);
            EndReadThrough(offset + bytes, bytes == rest.Length);
            return bytes;
        }

        int lead = LeadOf(offset, size, rest.Length);
        MemoryLease window = WindowOf(size);
        int length = _handle.Read(window.Array.AsSpan(window.Start, size), offset - lead);
        ShowRead(offset - lead, lead, length, length == size);
        return TakeAvailable(rest);
    }

    /// <summary>Whether a transfer of so many bytes gains nothing from a window of <paramref name="size"/> bytes.</summary>
    private bool PassesThrough(int length, int size) => length >= (IsAdaptive ? Math.Min(size, AdaptiveSize.Large) : size);

    /// <summary>Undoes what a read took from the window before its rest failed: the caller has seen none of it.</summary>
    private void StepBack(int bytes)
    {
        if (bytes != 0)
        {
            Forget(_base + _pos - bytes);
        }
    }
}
