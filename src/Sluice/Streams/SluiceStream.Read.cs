using System.Runtime.CompilerServices;
using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Synchronous reading.
public sealed partial class SluiceStream
{
    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    /// <summary>Reads from the position on.</summary>
    /// <returns>How many bytes; fewer than asked only at the end of the file, or where it cannot seek; 0 at the end.</returns>
    /// <exception cref="NotSupportedException">The stream was not opened for reading.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="IOException">The operating system reported an error; the position has not moved.</exception>
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

    /// <summary>Reads a byte; -1 at the end of the file.</summary>
    /// <inheritdoc cref="Read(Span{byte})"/>
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
            int bytes = _handle.Read(rest, offset, BeginReadThrough(offset, rest.Length));
            EndReadThrough(offset + bytes, bytes == rest.Length);
            return bytes;
        }

        int lead = LeadOf(offset, size, rest.Length);
        MemoryLease window = WindowOf(size);
        bool isKept = BeginWindow(offset, size);
        int length = _handle.Read(window.Array.AsSpan(window.Start, size), offset - lead, isKept);
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
