using System.Runtime.InteropServices;
using Sluice.Log.Frames;
using Sluice.Memory;

namespace Sluice.Log.Kept;

/// <summary>
/// A page in memory that outlives the process, with a slot for each record: where it stands, once it is whole. Slots are filled in any
/// order, each by one store behind all of the record's bytes.
/// </summary>
internal sealed class KeptPage
{
    /// <summary>In front of all pages.</summary>
    public const int HeaderBytes = 64;

    private const int StateBytes = 64;
    private const int SlotBytes = 8;
    private const int CountShift = 32;
    private const int AlignmentBytes = 4096;

    private readonly SharedMemory _memory;
    private readonly long _state;
    private readonly long _slots;
    private readonly long _start;
    private readonly int _bytes;

    /// <param name="memory">Where.</param>
    /// <param name="index">Which page.</param>
    /// <param name="pages">How many there are.</param>
    /// <param name="pageBytes">Bytes of each.</param>
    public KeptPage(SharedMemory memory, int index, int pages, int pageBytes)
    {
        (_memory, _bytes) = (memory, pageBytes);
        _state = HeaderBytes + ((long)index * StateBytes);
        _slots = HeaderBytes + ((long)pages * StateBytes) + (index * SlotsBytes(pageBytes));
        _start = Aligned(HeaderBytes + (pages * (StateBytes + SlotsBytes(pageBytes)))) + (index * Aligned(pageBytes));
    }

    public Span<byte> Bytes => _memory.At(_start, _bytes);

    /// <summary>One for each record of the page; 0 where it is not whole. No record is shorter than its header.</summary>
    public Span<long> Slots => MemoryMarshal.Cast<byte, long>(_memory.At(_slots, (int)SlotsBytes(_bytes)));

    /// <summary>How many records it has, up to the last that is whole.</summary>
    public int RecordCount
    {
        get
        {
            int last = Slots.LastIndexOfAnyExcept(0L);
            return last < 0 ? 0 : (int)Math.Min(last + (long)Math.Max(Read(Slots[last]).Count, 1), int.MaxValue);
        }
    }

    /// <summary>Whether it may have records that are not in the files.</summary>
    public bool IsInUse => State[1] != 0;

    public long FirstSequence => State[0];

    private Span<long> State => MemoryMarshal.Cast<byte, long>(_memory.At(_state, StateBytes));

    /// <summary>How much memory a number of pages takes.</summary>
    public static long TotalBytes(int pages, int pageBytes) =>
        Aligned(HeaderBytes + (pages * (StateBytes + SlotsBytes(pageBytes)))) + (pages * Aligned(pageBytes));

    /// <summary>Where the records of a slot stand, and how many: one, or a batch.</summary>
    public static (int Offset, int Count) Read(long slot) => ((int)(slot & uint.MaxValue), (int)(slot >> CountShift));

    /// <summary>It is empty, for records from a sequence on.</summary>
    /// <param name="firstSequence">The sequence.</param>
    /// <param name="usedSlots">How many slots may be filled.</param>
    public void Open(long firstSequence, int usedSlots)
    {
        Free();
        Slots[..usedSlots].Clear();
        State[0] = firstSequence;
        Volatile.Write(ref State[1], 1);
    }

    /// <summary>Records that stand one behind another are whole.</summary>
    public void Commit(int index, int offset, int count) =>
        Volatile.Write(ref Slots[index], ((long)count << CountShift) | (uint)offset);

    /// <summary>All of its records are in the files.</summary>
    public void Free() => Volatile.Write(ref State[1], 0);

    private static long SlotsBytes(int pageBytes) => (long)pageBytes / LogLayout.RecordHeaderBytes * SlotBytes;

    private static long Aligned(long bytes) => (bytes + AlignmentBytes - 1) & -AlignmentBytes;
}
