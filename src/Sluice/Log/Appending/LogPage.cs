using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Sluice.Log.Frames;

namespace Sluice.Log.Appending;

/// <summary>
/// A page of records that are to be written to the file. Threads reserve space in the page with one compare-and-swap and copy their records
/// in parallel. The thread that writes the sealed page waits for the copies.
/// </summary>
internal sealed class LogPage
{
    // State: bits 0 to 30 the reserved bytes, 32 to 62 the number of records, 63 set if the page is sealed.
    private const long SealedBit = long.MinValue;
    private const int CountShift = 32;

    private readonly int _capacity;

    /// <summary>The memory of the page, which is allocated when it is first used.</summary>
    private byte[]? _bytes;
    private Hot _hot;

    public LogPage(int capacity)
    {
        _capacity = capacity;
        _hot.State = SealedBit;
    }

    /// <summary>Gets the space for one frame: its header, its records and the zeros after them.</summary>
    public Span<byte> Bytes => _bytes ?? Allocate();

    /// <summary>The sequence number of the first record. It does not change while a copy is in progress.</summary>
    public long FirstSequence { get; private set; }

    /// <summary>
    /// The ring's <see cref="PageRing.Epoch"/> when the page was opened. Like <see cref="FirstSequence"/>, it does not change while a copy
    /// is in progress.
    /// </summary>
    public int Epoch { get; private set; }

    /// <summary>The end of the last record of a sealed page.</summary>
    public int End { get; private set; }

    /// <summary>The number of records of a sealed page.</summary>
    public int Count { get; private set; }

    /// <summary>True if records of the page were withdrawn because a write failed.</summary>
    public bool HasWithdrawnRecords { get; private set; }

    public int ReservedCount => (int)((Volatile.Read(ref _hot.State) & ~SealedBit) >> CountShift);

    /// <summary>
    /// Empties the page and opens it for reservations after the first <paramref name="start"/> bytes. In a page that is opened sealed, no
    /// thread can reserve space.
    /// </summary>
    public void Open(long firstSequence, int start, int epoch = 0, bool isSealed = false)
    {
        (FirstSequence, Epoch, HasWithdrawnRecords) = (firstSequence, epoch, false);
        Volatile.Write(ref _hot.Copied, start);
        if (isSealed)
        {
            (End, Count) = (start, 0);
            Volatile.Write(ref _hot.State, SealedBit + start);
            return;
        }

        // The state is written last: from here on, other threads can reserve space.
        Volatile.Write(ref _hot.State, start);
    }

    /// <summary>Reserves space for records. Returns false if the page is sealed or does not have enough space.</summary>
    /// <param name="bytes">The size of all records.</param>
    /// <param name="count">The number of records.</param>
    /// <param name="offset">The offset of the first record.</param>
    /// <param name="sequence">The sequence number of the first record.</param>
    public bool TryReserve(int bytes, int count, out int offset, out long sequence)
    {
        // The memory is allocated before space is reserved: a page with reserved space that is never filled could not be written.
        byte[] space = Volatile.Read(ref _bytes) ?? Allocate();
        long state = Volatile.Read(ref _hot.State);
        while (state >= 0)
        {
            offset = (int)state;
            if (bytes > space.Length - 8 - offset)
            {
                break;
            }

            // Records of a raw log can be empty, so the count can reach its limit too.
            long taken = state + ((long)count << CountShift) + bytes;
            if (taken < 0)
            {
                break;
            }

            long before = Interlocked.CompareExchange(ref _hot.State, taken, state);
            if (before == state)
            {
                // The sequence number is read after the swap: before it, the page may have been reopened. Now the page is not reopened
                // until this copy is done.
                sequence = FirstSequence + (state >> CountShift);
                return true;
            }

            state = before;
        }

        (offset, sequence) = (0, 0);
        return false;
    }

    /// <summary>Counts <paramref name="count"/> records of <paramref name="bytes"/> bytes in total as copied.</summary>
    public void EndCopy(int bytes, int count) => Interlocked.Add(ref _hot.Copied, ((long)count << CountShift) + bytes);

    /// <summary>Seals the page: no more space can be reserved. Returns false if the page was sealed before.</summary>
    public bool TrySeal()
    {
        long state = Interlocked.Or(ref _hot.State, SealedBit);
        if (state < 0)
        {
            return false;
        }

        (End, Count) = ((int)state, (int)(state >> CountShift));
        return true;
    }

    /// <summary>True if all records of a sealed page are copied.</summary>
    public bool IsFilled => Volatile.Read(ref _hot.Copied) == ((long)Count << CountShift) + End;

    /// <summary>Waits until all records of a sealed page are copied, which takes no longer than copying a record or batch.</summary>
    public void AwaitCopies()
    {
        SpinWait spin = default;
        while (!IsFilled)
        {
            spin.SpinOnce();
        }
    }

    /// <summary>Marks consecutive, copied records as withdrawn, because their append failed.</summary>
    public void Withdraw(in PageReservation reserved, int count)
    {
        HasWithdrawnRecords = true;
        int offset = reserved.Offset;
        for (int i = 0; i < count; i++)
        {
            Span<byte> at = Bytes[offset..];
            uint header = BinaryPrimitives.ReadUInt32LittleEndian(at);
            BinaryPrimitives.WriteUInt32LittleEndian(at, header | LogLayout.Withdrawn);
            offset += LogLayout.RecordHeaderBytes + (int)(header & LogLayout.LengthMask);
        }
    }

    /// <summary>
    /// Returns a copy of the sealed page in which withdrawn records keep their sequence numbers but have no bytes, which saves space on a
    /// full disk. The page itself is not changed, because waiting threads refer to offsets in it.
    /// </summary>
    public LogPage WithoutWithdrawnBytes()
    {
        int end = CopyRecords([]);
        LogPage copy = new(LogLayout.Padded(end)) { FirstSequence = FirstSequence, Epoch = Epoch, End = end, Count = Count };
        CopyRecords(copy.Bytes);
        return copy;
    }

    private byte[] Allocate()
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(_capacity);
        return Interlocked.CompareExchange(ref _bytes, bytes, null) ?? bytes;
    }

    /// <returns>The end of the copied records.</returns>
    private int CopyRecords(Span<byte> target)
    {
        (int from, int to) = (LogLayout.FrameHeaderBytes, LogLayout.FrameHeaderBytes);
        for (int i = 0; i < Count; i++)
        {
            uint header = BinaryPrimitives.ReadUInt32LittleEndian(Bytes[from..]);
            bool isWithdrawn = (header & LogLayout.Withdrawn) == LogLayout.Withdrawn;
            int bytes = LogLayout.RecordHeaderBytes + (int)(header & LogLayout.LengthMask);
            int kept = isWithdrawn ? LogLayout.RecordHeaderBytes : bytes;
            if (!target.IsEmpty)
            {
                Bytes.Slice(from, kept).CopyTo(target[to..]);
                BinaryPrimitives.WriteUInt32LittleEndian(target[to..], isWithdrawn ? LogLayout.Withdrawn : header);
            }

            (from, to) = (from + bytes, to + kept);
        }

        return to;
    }

    /// <summary>The fields that all threads write, in a cache line other than the fields that they read.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Hot
    {
        [FieldOffset(64)]
        public long State;

        /// <summary>
        /// The copied bytes and records in the layout of <see cref="State"/>, without its sealed bit. Records are counted because a record
        /// may have no bytes.
        /// </summary>
        [FieldOffset(128)]
        public long Copied;
    }
}
