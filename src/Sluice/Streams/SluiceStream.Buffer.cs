using System.Runtime.CompilerServices;
using Sluice.Errors;
using Sluice.Streams;

namespace Sluice;

// The window: a range of the file in memory. The position of the stream is _base + _pos. The window is in one of three states:
// - empty: _readEnd and _writeEnd are 0, and _pos is 0;
// - reading: the bytes from _pos to _readEnd were read and not yet consumed (none if the position was set behind them);
// - writing: the bytes from the start of the window to _pos are not yet written to the file, and there is room up to _writeEnd.
// A call that the window cannot satisfy holds the gate.
public sealed partial class SluiceStream
{
    private StreamWindow _window = StreamWindow.None;
    private long _base;
    private int _pos;
    private int _readEnd;
    private int _writeEnd;
    private AdaptiveSize _sizing = new();
    private CallGate _gate;
    private ReadAhead? _readAhead;
    private FinalFlush? _finalFlush;

    private bool IsDirect => _handle.Caching == FileCaching.Direct;

    private int MaxRead => IsDirect ? AdaptiveSize.MaxDirect / 2 : AdaptiveSize.MaxRead;

    private int MaxWrite => IsDirect ? AdaptiveSize.MaxDirect : AdaptiveSize.MaxWrite;

    /// <summary>Returns the size of a transfer that begins at <paramref name="offset"/>.</summary>
    private int SizeFor(long offset, int most)
    {
        if (!IsAdaptive)
        {
            return _bufferSize;
        }

        // For a file that cannot seek, the size stays small, so that a read returns the data that is available.
        int size = _sizing.Next(offset, most);
        return size <= AdaptiveSize.Start || _handle.CanSeek ? size : AdaptiveSize.Start;
    }

    /// <summary>Makes the window empty and sets the position.</summary>
    private void ResetWindow(long position)
    {
        _readEnd = 0;
        _writeEnd = 0;
        _pos = 0;
        _base = position;
    }

    /// <summary>
    /// Sets the position. Bytes that were read are kept unless the new position is before them, because a program may move to the end of a
    /// block and then back to its beginning.
    /// </summary>
    private void MoveTo(long target)
    {
        long index = target - _base;
        bool isKept = _readEnd != 0 && index >= _window.Start && index <= int.MaxValue;
        if (isKept ? index > _readEnd : index != _pos)
        {
            _readAhead?.Abandon();
        }

        if (isKept)
        {
            _pos = (int)index;
        }
        else
        {
            ResetWindow(target);
        }
    }

    /// <summary>Returns memory of at least <paramref name="size"/> bytes for the window, which must be empty.</summary>
    private StreamWindow WindowOf(int size)
    {
        if (_window.Length < size)
        {
            _window = StreamWindow.Allocate(size, _handle.Alignment.Memory);
        }

        return _window;
    }

    /// <summary>
    /// Returns the number of bytes before <paramref name="offset"/> with which a direct read of <paramref name="size"/> bytes should begin
    /// in order to be aligned; 0 if <paramref name="needed"/> bytes would not fit behind them.
    /// </summary>
    private int LeadOf(long offset, int size, int needed)
    {
        int alignment = _handle.Alignment.Offset;
        int lead = (int)(offset % alignment);
        return size % alignment == 0 && size - lead >= needed ? lead : 0;
    }

    /// <summary>Records that the window contains <paramref name="length"/> bytes that were read from <paramref name="start"/>.</summary>
    private void ShowRead(long start, int lead, int length, bool wasWhole)
    {
        if (length <= lead)
        {
            // The end of the file is at or before the position.
            ResetWindow(start + lead);
            return;
        }

        _base = start - _window.Start;
        _pos = _window.Start + lead;
        _readEnd = _window.Start + length;
        _sizing.Ended(start + length, wasWhole);
    }

    /// <summary>Copies bytes that were read from the window to the destination. Returns their number.</summary>
    private int TakeAvailable(Span<byte> destination)
    {
        int count = Math.Min(_readEnd - _pos, destination.Length);
        if (count <= 0)
        {
            return 0;
        }

        _window.Array.AsSpan(_pos, count).CopyTo(destination);
        _pos += count;
        return count;
    }

    /// <summary>Opens an empty window for writing at the position.</summary>
    private void BeginWriting(int size)
    {
        // Another thread may have closed the stream, and would not write these bytes.
        ThrowIfClosed();
        _finalFlush ??= new FinalFlush(this);
        int start = WindowOf(size).Start;

        // The window ends at the border of a block, so that the following direct writes are aligned.
        int lead = IsAdaptive ? (int)(_base % _handle.Alignment.Offset) : 0;
        _base -= start;
        _pos = start;
        _writeEnd = start + size - (lead % size);
    }

    /// <summary>Copies bytes into the window, as far as there is room. Returns their number.</summary>
    private int PutAvailable(ReadOnlySpan<byte> source)
    {
        int count = Math.Min(_writeEnd - _pos, source.Length);
        if (count <= 0)
        {
            return 0;
        }

        source[..count].CopyTo(_window.Array.AsSpan(_pos));
        _pos += count;
        return count;
    }

    /// <summary>Writes the bytes of the window to the file. If that fails, the bytes that were not written stay in the window.</summary>
    private void FlushWrites()
    {
        if (_writeEnd == 0)
        {
            return;
        }

        int length = _pos - _window.Start;
        if (length > 0)
        {
            try
            {
                _handle.Write(_window.Span(length), _base + _window.Start);
            }
            catch (Exception e)
            {
                KeepUnwritten(e);
                throw;
            }

            _sizing.Ended(_base + _pos, wasWhole: _pos == _writeEnd);
        }

        ResetWindow(_base + _pos);
    }

    /// <inheritdoc cref="FlushWrites"/>
    private ValueTask FlushWritesAsync() => _writeEnd == 0 ? ValueTask.CompletedTask : FlushWritesSlowAsync();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask FlushWritesSlowAsync()
    {
        int length = _pos - _window.Start;
        if (length > 0)
        {
            try
            {
                await _handle.WriteAsync(_window.Memory(length), _base + _window.Start, CancellationToken.None).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                KeepUnwritten(e);
                throw;
            }

            _sizing.Ended(_base + _pos, wasWhole: _pos == _writeEnd);
        }

        ResetWindow(_base + _pos);
    }

    /// <summary>
    /// Removes the bytes from the window that were written before a write failed: the next attempt would write them a second time to a pipe
    /// or at the end of a file. The position stays.
    /// </summary>
    private void KeepUnwritten(Exception error)
    {
        int written = PartialWrite.Of(error, _handle);
        if (written > 0)
        {
            int start = _window.Start;
            _window.Array.AsSpan(start + written, _pos - start - written).CopyTo(_window.Array.AsSpan(start));
            (_base, _pos, _writeEnd) = (_base + written, _pos - written, _writeEnd - written);
        }
    }

    /// <summary>Undoes <see cref="PutAvailable"/> if the window could not be written: the caller learns that its bytes were not accepted.</summary>
    private void UndoPut(int put)
    {
        _pos -= put;
        if (put > 0 && _pos < _window.Start)
        {
            // Some of these bytes were written.
            ResetWindow(_base + _pos);
        }
    }

    /// <summary>Undoes <see cref="TakeAvailable"/> if the rest of a read failed.</summary>
    private void UndoTake(int taken)
    {
        if (taken != 0)
        {
            ResetWindow(_base + _pos - taken);
        }
    }

    /// <summary>
    /// Discards unread bytes of the window and of the read-ahead, before a write. Throws if the file cannot seek and there are unread bytes,
    /// because they would be lost.
    /// </summary>
    private void DiscardReadAhead()
    {
        _readAhead?.Abandon();
        if (_readEnd != 0)
        {
            if (_readEnd > _pos && !_handle.CanSeek)
            {
                StreamErrors.ThrowUnreadBytes();
            }

            ResetWindow(_base + _pos);
            _sizing.Reset();
        }
    }

    /// <summary>Enters the gate after the calls in progress. Throws if the stream is closed.</summary>
    private void EnterGate()
    {
        _gate.Enter();
        CheckEntered();
    }

    /// <inheritdoc cref="EnterGate"/>
    private ValueTask EnterGateAsync(CancellationToken cancellationToken)
    {
        if (!_gate.TryEnter())
        {
            return WaitForGateAsync(cancellationToken);
        }

        CheckEntered();
        return ValueTask.CompletedTask;
    }

    private async ValueTask WaitForGateAsync(CancellationToken cancellationToken)
    {
        await _gate.EnterAsync(cancellationToken).ConfigureAwait(false);
        CheckEntered();
    }

    private void CheckEntered()
    {
        if (!HasOpenFile)
        {
            _gate.Exit();
            StreamErrors.ThrowClosed();
        }
    }

    private void ExitGate()
    {
        if (!IsOpen)
        {
            // Another thread has closed the stream during this call.
            _readEnd = 0;
            _writeEnd = 0;
        }

        _gate.Exit();
    }

    /// <summary>
    /// Writes the bytes of a stream that was not disposed, as <see cref="FileStream"/> does. The first buffered write creates it.
    /// </summary>
    private sealed class FinalFlush(SluiceStream stream)
    {
        ~FinalFlush()
        {
            try
            {
                if (stream.IsOpen && !stream._handle.IsClosed)
                {
                    stream.FlushWrites();
                }
            }
#pragma warning disable CA1031 // A finalizer must not throw.
            catch (Exception)
#pragma warning restore CA1031
            {
            }
        }
    }
}
