using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// The window: a piece of the file in memory, either read and not yet consumed, or written and not yet handed down. All members work on
// these fields; nothing else knows where the stream stands.
//
// The position is always _base + _pos. Three states: empty (_readEnd and _writeEnd are 0, so is _pos), reading (bytes from _pos to
// _readEnd are ahead of the caller; none where he has moved behind them), writing (bytes from the window's start to _pos are not in the
// file yet, and there is room up to _writeEnd). While an asynchronous operation waits, the window is empty or full, so that the quick ways
// of other members do not touch it.
//
// The quick ways take no lock, and another thread may close the stream meanwhile. They set _isCopying, read _pos and then _readEnd or
// _writeEnd, copy, move _pos and take the mark off; whoever takes the window away sets the ends to 0 or below before _pos, and gives
// memory that was a window to RetiredMemory, never to the pool itself. Those that write then look whether closing has given them up
// (_isGivenUp).
public sealed partial class SluiceStream : IMemoryUser
{
    // The lease of the window in parts: a field of its type would make each stream 8 bytes longer (decision 0006).
    private AlignedBuffer? _windowBuffer;
    private int _windowUse;
    private byte[] _buffer = [];
    private volatile bool _isCopying;
    private long _base;
    private int _pos;
    private int _readEnd;
    private int _writeEnd;
    private AdaptiveSize _sizing = new();
    private OperationGate _gate;
    private StreamExtras? _extras;

    bool IMemoryUser.IsCopying => _isCopying;

    private MemoryLease Window => new(_windowBuffer, _windowUse);

    private StreamExtras Extras => _extras ??= StreamExtras.Rent(this);

    private ReadAhead? ReadAhead => _extras?.ReadAhead;

    private WriteBehind? WriteBehind => _extras?.WriteBehind;

    /// <summary>Bytes at once that a transfer beginning at <paramref name="offset"/> is worth.</summary>
    private int SizeFor(long offset, int most)
    {
        if (!IsAdaptive)
        {
            return _bufferSize;
        }

        // A stream that cannot seek must not ask for more than comes; files are spared the question until they have grown.
        int size = _sizing.Next(offset, most);
        return size <= AdaptiveSize.Start || _handle.CanSeek ? size : AdaptiveSize.Start;
    }

    /// <summary>The window is empty and the position is <paramref name="position"/>.</summary>
    private void Forget(long position)
    {
        _readEnd = 0;
        _writeEnd = 0;
        Volatile.Write(ref _pos, 0);
        Volatile.Write(ref _base, position);
    }

    /// <summary>Moves the position; bytes that were read are kept until something is read or written elsewhere, unless they are behind
    /// it. Written bytes were handed down before.</summary>
    private void MoveTo(long target)
    {
        if (_readEnd != 0)
        {
            // Behind it, too: the end of an archive's entry is moved to before its beginning is read.
            long index = target - _base;
            if (index >= Window.Start && index <= int.MaxValue)
            {
                if (index > _readEnd)
                {
                    ReadAhead?.Abandon();
                }

                _pos = (int)index;
                return;
            }
        }

        if (target != _base + _pos)
        {
            ReadAhead?.Abandon();
        }

        Forget(target);
    }

    /// <summary>Memory for a window of at least <paramref name="size"/> bytes; the window is empty.</summary>
    private MemoryLease WindowOf(int size)
    {
        if (Window.Length < size)
        {
            ReleaseWindow();
            MemoryLease spare = WriteBehind?.TakeSpare(size) ?? default;
            if (spare.IsEmpty && _extras is { HasRetiredWindow: true } extras)
            {
                // Still in the processor's cache, where a stream is flushed again and again.
                spare = RetiredMemory.TakeBack(this, size);
                extras.HasRetiredWindow = !spare.IsEmpty;
            }

            SetWindow(spare.IsEmpty ? AlignedBufferPool.Rent(size) : spare);
        }

        return Window;
    }

    private void SetWindow(MemoryLease window)
    {
        (_windowBuffer, _windowUse) = window;
        _buffer = window.IsEmpty ? [] : window.Array;
    }

    /// <summary>After a flush: an idle stream keeps no more memory than FileStream.</summary>
    private void ReleaseIdleWindow()
    {
        WriteBehind?.ReleaseSpare();
        ReadAhead?.ReleaseSpare();
        if (Window.Length > AdaptiveSize.Start && _readEnd == 0 && _writeEnd == 0)
        {
            ReleaseWindow();
        }
    }

    private void ReleaseWindow()
    {
        MemoryLease window = Window;
        SetWindow(default);
        RetiredMemory.Add(window, this);
        if (_extras is { } extras && !window.IsEmpty)
        {
            extras.HasRetiredWindow = true;
        }
    }

    /// <summary>
    /// Bytes before <paramref name="offset"/> with which a read of <paramref name="size"/> bytes should begin, to be aligned: none
    /// unless the file is direct, and none where <paramref name="needed"/> bytes would not fit behind them.
    /// </summary>
    private int LeadOf(long offset, int size, int needed)
    {
        int alignment = _handle.Alignment.Offset;
        int lead = (int)(offset % alignment);
        return size % alignment == 0 && size - lead >= needed ? lead : 0;
    }

    /// <summary>The window holds what was read: <paramref name="length"/> bytes from <paramref name="start"/> of the file on.</summary>
    private void ShowRead(long start, int lead, int length, bool wasWhole)
    {
        int first = Window.Start;
        _base = start - first;
        _pos = first + lead;
        Volatile.Write(ref _readEnd, first + length);
        if (length <= lead)
        {
            // The end of the file is at or before the position.
            Forget(start + lead);
        }
        else
        {
            _sizing.Ended(start + length, wasWhole);
        }
    }

    /// <summary>Copies what is ahead in the window.</summary>
    private int TakeAvailable(Span<byte> destination)
    {
        int count = Math.Min(_readEnd - _pos, destination.Length);
        if (count <= 0)
        {
            return 0;
        }

        _buffer.AsSpan(_pos, count).CopyTo(destination);
        _pos += count;
        return count;
    }

    /// <summary>Books a read that no window took, as <see cref="ShowRead"/> does one that is in it.</summary>
    private void EndReadThrough(long end, bool wasWhole)
    {
        _base = end;
        _sizing.Ended(end, wasWhole);
    }

    /// <summary>Opens an empty window for writing at the position.</summary>
    private void BeginWriting(int size)
    {
        MemoryLease window = WindowOf(size);
        long offset = _base;

        // Where the window reaches a block's border it ends at one, so that what follows are whole blocks.
        int lead = IsAdaptive ? (int)(offset % _handle.Alignment.Offset) : 0;
        int room = size - (lead % size);

        // Before there is something to be written, for it sees to that should nobody dispose this stream; and closing needs it.
        _ = Extras;
        _base = offset - window.Start;
        _pos = window.Start;
        Volatile.Write(ref _writeEnd, window.Start + room);
    }

    /// <summary>
    /// Reserves the space of a large window that extends the file, where that makes writing it cheaper. The first bytes are left to
    /// delayed allocation: with it ext4 also writes a file that replaces an old one when it is closed (mount option auto_da_alloc). Cached
    /// files only: ext4 may leave zeros where space is reserved beside pages that RWF_DONTCACHE is writing back (decision 0005).
    /// </summary>
    private void ReserveSpace(long offset, int length)
    {
        if (offset >= SluiceHandle.ReserveFrom && length >= AdaptiveSize.Large && Reserves
            && offset + length > _handle.Length)
        {
            _handle.Reserve(offset, length);
        }
    }

    // What is appended stays whole, and is not cut for it.
    private bool Reserves =>
        IsAdaptive
        && (Extras.Reserves ??= _handle is { Caching: FileCaching.Cached, DelaysAllocation: true } && !_handle.IsAppending()) == true;

    /// <summary>
    /// Whether a write is cut, so that no more space is reserved than is written next: what a process that is killed, or a cancellation,
    /// leaves behind the end is less than a piece.
    /// </summary>
    private bool ReservesInPieces(int length) => length > OpenFile.MaxInlineBytes && Reserves;

    /// <summary>Books bytes that the handle has taken, or that are on their way behind the caller.</summary>
    private void NoteWritten(long offset, int length) => _extras?.Writeback.Wrote(_handle, offset, length);

    /// <summary>Copies as much as there is room for.</summary>
    private int PutAvailable(ReadOnlySpan<byte> source)
    {
        int count = Math.Min(_writeEnd - _pos, source.Length);
        if (count <= 0)
        {
            return 0;
        }

        source[..count].CopyTo(_buffer.AsSpan(_pos));
        _pos += count;
        return count;
    }

    /// <summary>Waits for asynchronous operations that are under way; sync members are not serialised otherwise.</summary>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    private void EnterGate() => _gate.Enter(this);

    /// <summary>Leaves the gate; where the stream was closed around this operation, ends it.</summary>
    /// <returns>False where it was closed: what the operation has left in the window is lost.</returns>
    internal bool ExitGate()
    {
        if (_gate.Exit(this))
        {
            return true;
        }

        if (ReadAhead is { IsBusy: true } ahead)
        {
            // Behind: whoever has closed the stream has not waited for this read either.
            _ = Blocking.AsTask(ahead.DrainAsync());
        }

        EndClosed();
        return false;
    }
}
