using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Walks the segments of a vectored transfer: pins the next up to IOV_MAX of them and lays them out as an iovec array, again and again
/// until all are transferred. Pooled; its arrays grow to what was asked for and stay.
/// </summary>
/// <remarks>
/// The caller's list is read once, when the cursor is rented. Pins and iovecs belong to the transfer from Load until the next Load or
/// <see cref="Return"/>.
/// </remarks>
internal sealed unsafe class SegmentCursor
{
    /// <summary>Cursors of vectored transfers that are kept for all threads; one more for each thread. No measurement.</summary>
    private const int MaxShared = 128;

    /// <summary>Cursors that grew beyond this are left to the collector.</summary>
    private const int MaxKeptSegments = 4096;

    private static readonly Lock SharedLock = new();
    private static readonly Stack<SegmentCursor> Shared = new(MaxShared);

    /// <summary>This thread's alone, so that taking one needs no lock.</summary>
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

    /// <summary>The segments as they were when the list was read; memory of a write is not written to.</summary>
    public ReadOnlySpan<Memory<byte>> Segments => _segments.AsSpan(0, _segmentCount);

    /// <summary>Bytes of all segments.</summary>
    public long Total { get; private set; }

    /// <summary>The iovec array.</summary>
    public nint Address => (nint)_iovecs;

    /// <summary>How many iovecs are loaded.</summary>
    public int Count => _loaded;

    /// <summary>Whether every loaded segment has an aligned address and length.</summary>
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

    /// <summary>Gives pins and cursor back.</summary>
    /// <returns>What a caller's memory threw when it was unpinned; null when nothing did.</returns>
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

        // The thread that finishes is not the thread that starts.
        lock (SharedLock)
        {
            if (Shared.Count < MaxShared)
            {
                Shared.Push(this);
            }
        }

        return error;
    }

    /// <summary>Pins and lays out what comes next, as much as one call carries; returns the bytes.</summary>
    public int Load(FileAlignment alignment)
    {
        if (Unpin() is { } error)
        {
            throw error;
        }

        // A load of empty segments only would transfer nothing, which reads as the end of the file.
        Advance(0);
        Reserve(Math.Min(_segmentCount - _segment, Iovec.Max));
        long total = 0;
        int skip = _offsetInSegment;
        IsAligned = true;
        for (int i = _segment; i < _segmentCount && _loaded < Iovec.Max && total < OpenFile.MaxBytesPerTransfer; i++)
        {
            // What one call carries is bounded (MAX_RW_COUNT): the last segment of a load is cut, and the next load begins in it.
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

    /// <summary>Moves past <paramref name="bytes"/> transferred bytes, and past segments of length 0 that follow.</summary>
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

    /// <summary>Cuts what is loaded to <paramref name="length"/> bytes; the pins stay.</summary>
    /// <returns>The number of iovecs left.</returns>
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

    /// <summary>Gathers the first bytes of what is loaded.</summary>
    public void CopyTo(Span<byte> target)
    {
        for (int i = 0; !target.IsEmpty; i++)
        {
            Span<byte> segment = Loaded(i, target.Length);
            segment.CopyTo(target);
            target = target[segment.Length..];
        }
    }

    /// <summary>Scatters bytes over the first of what is loaded.</summary>
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
