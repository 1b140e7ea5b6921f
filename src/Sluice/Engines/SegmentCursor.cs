using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// The segments of a vectored transfer, and the position in them. <see cref="Load"/> pins the next segments, up to IOV_MAX, and writes them
/// to an iovec array. Pooled, with its arrays.
/// </summary>
/// <remarks>
/// The caller's list is read once, when the cursor is rented. Segments stay pinned until the next Load or <see cref="Return"/>.
/// </remarks>
internal sealed unsafe class SegmentCursor
{
    /// <summary>The maximum number of unused cursors, in addition to one for each thread. Not measured.</summary>
    private const int MaxShared = 128;

    /// <summary>The maximum size of a cursor that is kept, in segments.</summary>
    private const int MaxKeptSegments = 4096;

    private static readonly Lock SharedLock = new();
    private static readonly Stack<SegmentCursor> Shared = new(MaxShared);

    /// <summary>A cursor for the thread's next transfer, which needs no lock.</summary>
    [ThreadStatic]
    private static SegmentCursor? t_spare;

    private Memory<byte>[] _segments = new Memory<byte>[Tuning.SegmentCursorFirstSegments];
    private MemoryHandle[] _pins = [];
    private Iovec* _iovecs;
    private int _segmentCount;
    private int _loaded;
    private int _segment;
    private int _offsetInSegment;

    private SegmentCursor()
    {
    }

    ~SegmentCursor() => NativeMemory.Free(_iovecs);

    /// <summary>The length of all segments, in bytes.</summary>
    public long Total { get; private set; }

    /// <summary>The iovec array.</summary>
    public nint Address => (nint)_iovecs;

    /// <summary>The number of loaded iovecs.</summary>
    public int Count => _loaded;

    /// <summary>True if every loaded segment has an aligned address and length.</summary>
    public bool IsAligned { get; private set; }

    public static SegmentCursor Rent(IReadOnlyList<Memory<byte>> buffers)
    {
        int count = buffers.Count;
        SegmentCursor cursor = RentFor(count);
        try
        {
            for (int i = 0; i < count; i++)
            {
                cursor.Add(buffers[i]);
            }
        }
        catch
        {
            cursor.Return();
            throw;
        }

        return cursor;
    }

    public static SegmentCursor Rent(IReadOnlyList<ReadOnlyMemory<byte>> buffers)
    {
        int count = buffers.Count;
        SegmentCursor cursor = RentFor(count);
        try
        {
            for (int i = 0; i < count; i++)
            {
                cursor.Add(MemoryMarshal.AsMemory(buffers[i]));
            }
        }
        catch
        {
            cursor.Return();
            throw;
        }

        return cursor;
    }

    /// <summary>Unpins the segments, and returns the cursor to the pool unless it is too large.</summary>
    /// <returns>The exception that the caller's memory threw when it was unpinned; otherwise, null.</returns>
    public Exception? Return()
    {
        Exception? error = Unpin();
        _segments.AsSpan(0, _segmentCount).Clear();
        _segmentCount = 0;
        _segment = 0;
        _offsetInSegment = 0;
        Total = 0;
        if (_segments.Length > MaxKeptSegments)
        {
            return error;
        }

        if (t_spare is null)
        {
            t_spare = this;
            return error;
        }

        // The cursor is shared, because the thread that ends a transfer is not always the one that starts the next.
        lock (SharedLock)
        {
            if (Shared.Count < MaxShared)
            {
                Shared.Push(this);
            }
        }

        return error;
    }

    /// <summary>Pins the next segments for one system call, and fills the iovec array. Returns their length in bytes.</summary>
    public int Load(FileAlignment alignment)
    {
        if (Unpin() is { } error)
        {
            throw error;
        }

        // Skips empty segments: a transfer of 0 bytes would look like the end of the file.
        Advance(0);
        Reserve(Math.Min(_segmentCount - _segment, Iovec.Max));
        long total = 0;
        int skip = _offsetInSegment;
        IsAligned = true;
        for (int i = _segment; i < _segmentCount && _loaded < Iovec.Max && total < OpenFile.MaxBytesPerTransfer; i++)
        {
            // One call transfers at most MAX_RW_COUNT bytes, so the last segment may be cut. The next load begins inside it.
            Memory<byte> segment = _segments[i][skip..];
            int length = (int)Math.Min(segment.Length, OpenFile.MaxBytesPerTransfer - total);
            skip = 0;
            MemoryHandle pin = segment.Pin();
            _pins[_loaded] = pin;
            _iovecs[_loaded].Base = (byte*)pin.Pointer;
            _iovecs[_loaded].Len = (nuint)length;
            IsAligned &= alignment.IsAligned((nint)pin.Pointer, 0, length);
            _loaded++;
            total += length;
        }

        return (int)total;
    }

    /// <summary>
    /// Transfers the next segments with one system call on the calling thread. Returns the number of bytes or a negative errno.
    /// </summary>
    public int Transfer(bool isRead, int fd, long offset, RwFlags flags)
    {
        _ = Load(FileAlignment.None);
        return isRead ? Libc.ReadV(fd, _iovecs, _loaded, offset, flags) : Libc.WriteV(fd, _iovecs, _loaded, offset, flags);
    }

    /// <summary>Advances the position by <paramref name="bytes"/>, and past empty segments that follow.</summary>
    public void Advance(long bytes)
    {
        while (_segment < _segmentCount && bytes >= _segments[_segment].Length - _offsetInSegment)
        {
            bytes -= _segments[_segment].Length - _offsetInSegment;
            _segment++;
            _offsetInSegment = 0;
        }

        _offsetInSegment += (int)bytes;
    }

    /// <summary>Shortens the loaded iovecs to <paramref name="length"/> bytes. Returns the number of iovecs that remain.</summary>
    public int Shorten(int length)
    {
        int i = 0;
        while (length > (int)_iovecs[i].Len)
        {
            length -= (int)_iovecs[i].Len;
            i++;
        }

        _iovecs[i].Len = (nuint)length;
        return i + 1;
    }

    /// <summary>Copies the first bytes of the loaded segments to <paramref name="target"/>.</summary>
    public void CopyTo(Span<byte> target)
    {
        for (int i = 0; !target.IsEmpty; i++)
        {
            Span<byte> segment = Loaded(i, target.Length);
            segment.CopyTo(target);
            target = target[segment.Length..];
        }
    }

    /// <summary>Copies bytes to the beginning of the loaded segments.</summary>
    public void CopyFrom(ReadOnlySpan<byte> source)
    {
        for (int i = 0; !source.IsEmpty; i++)
        {
            Span<byte> segment = Loaded(i, source.Length);
            source[..segment.Length].CopyTo(segment);
            source = source[segment.Length..];
        }
    }

    private static SegmentCursor RentFor(int count)
    {
        SegmentCursor? cursor = t_spare;
        t_spare = null;
        if (cursor is null)
        {
            lock (SharedLock)
            {
                cursor = Shared.TryPop(out SegmentCursor? shared) ? shared : new SegmentCursor();
            }
        }

        if (cursor._segments.Length < count)
        {
            cursor._segments = new Memory<byte>[count];
        }

        return cursor;
    }

    private void Add(Memory<byte> segment)
    {
        _segments[_segmentCount++] = segment;
        Total += segment.Length;
    }

    private void Reserve(int count)
    {
        if (_pins.Length < count)
        {
            _iovecs = (Iovec*)NativeMemory.Realloc(_iovecs, (nuint)count * (nuint)sizeof(Iovec));
            _pins = new MemoryHandle[count];
        }
    }

    private Span<byte> Loaded(int index, int most) => new(_iovecs[index].Base, (int)Math.Min(_iovecs[index].Len, (nuint)most));

    private Exception? Unpin()
    {
        Exception? error = null;
        while (_loaded > 0)
        {
            PinnedMemory.Release(ref _pins[--_loaded], ref error);
        }

        return error;
    }
}
