using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// Walks a list of segments: pins the next up to IOV_MAX of them and lays them out as an iovec array, again and again until all are
/// transferred. Pooled; its native array lives as long as the object.
/// </summary>
/// <remarks>The pins and the array belong to the operation from Load until the next Load or <see cref="Return"/>.</remarks>
internal sealed unsafe class SegmentCursor
{
    private const int MostShared = 128;

    private static readonly Lock SharedLock = new();
    private static readonly Stack<SegmentCursor> Shared = new(MostShared);

    [ThreadStatic]
    private static SegmentCursor? t_spare;

    private readonly MemoryHandle[] _pins = new MemoryHandle[Iovec.Max];
    private readonly Iovec* _iovecs = (Iovec*)NativeMemory.Alloc(Iovec.Max, (nuint)sizeof(Iovec));
    private readonly int[] _lengths = new int[Iovec.Max];
    private int _count;
    private int _segment;
    private int _offsetInSegment;

    private SegmentCursor()
    {
    }

    ~SegmentCursor() => NativeMemory.Free(_iovecs);

    public nint Address => (nint)_iovecs;

    /// <summary>Whether every loaded segment has an aligned address and length.</summary>
    public bool IsAligned { get; private set; }

    public static SegmentCursor Rent()
    {
        if (t_spare is { } spare)
        {
            t_spare = null;
            return spare;
        }

        lock (SharedLock)
        {
            return Shared.TryPop(out SegmentCursor? shared) ? shared : new SegmentCursor();
        }
    }

    public void Return()
    {
        Unpin();
        _segment = 0;
        _offsetInSegment = 0;
        if (t_spare is null)
        {
            t_spare = this;
            return;
        }

        // The thread that finishes is not the thread that starts.
        lock (SharedLock)
        {
            if (Shared.Count < MostShared)
            {
                Shared.Push(this);
            }
        }
    }

    public int Load(IReadOnlyList<Memory<byte>> buffers, FileAlignment alignment, out int bytes)
    {
        Unpin();
        while (_segment < buffers.Count && buffers[_segment].Length == _offsetInSegment)
        {
            // A load of empty segments only would transfer nothing, which reads as the end of the file.
            _segment++;
            _offsetInSegment = 0;
        }

        long total = 0;
        int skip = _offsetInSegment;
        IsAligned = true;
        for (int i = _segment; i < buffers.Count && _count < Iovec.Max && total < SluiceHandle.MostBytesPerTransfer; i++)
        {
            Memory<byte> buffer = buffers[i][skip..];
            skip = 0;
            Add(buffer.Pin(), buffer.Length, alignment, ref total);
        }

        bytes = (int)total;
        return _count;
    }

    public int Load(IReadOnlyList<ReadOnlyMemory<byte>> buffers, FileAlignment alignment, out int bytes)
    {
        Unpin();
        while (_segment < buffers.Count && buffers[_segment].Length == _offsetInSegment)
        {
            // A load of empty segments only would transfer nothing, which reads as the end of the file.
            _segment++;
            _offsetInSegment = 0;
        }

        long total = 0;
        int skip = _offsetInSegment;
        IsAligned = true;
        for (int i = _segment; i < buffers.Count && _count < Iovec.Max && total < SluiceHandle.MostBytesPerTransfer; i++)
        {
            ReadOnlyMemory<byte> buffer = buffers[i][skip..];
            skip = 0;
            Add(buffer.Pin(), buffer.Length, alignment, ref total);
        }

        bytes = (int)total;
        return _count;
    }

    /// <summary>Moves past <paramref name="bytes"/> transferred bytes, segments of length 0 included.</summary>
    public void Advance(int bytes)
    {
        int i = 0;
        while (i < _count && bytes >= _lengths[i])
        {
            bytes -= _lengths[i];
            _segment++;
            _offsetInSegment = 0;
            i++;
        }

        _offsetInSegment += bytes;
    }

    /// <summary>Cuts what is loaded to <paramref name="length"/> bytes; returns the number of iovecs left.</summary>
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

    private void Add(MemoryHandle pin, int length, FileAlignment alignment, ref long total)
    {
        // What one call carries is bounded (MAX_RW_COUNT): the last segment of a load is cut, and the next load begins in it.
        _lengths[_count] = length;
        length = (int)Math.Min(length, SluiceHandle.MostBytesPerTransfer - total);
        _pins[_count] = pin;
        _iovecs[_count].Base = (byte*)pin.Pointer;
        _iovecs[_count].Len = (nuint)length;
        IsAligned &= alignment.IsAligned((nint)pin.Pointer, 0, length);
        _count++;
        total += length;
    }

    private void Unpin()
    {
        for (int i = 0; i < _count; i++)
        {
            _pins[i].Dispose();
            _pins[i] = default;
        }

        _count = 0;
    }
}
