using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>A ring that one thread uses for one batch: one submission of all entries, and one wait for all of them.</summary>
internal sealed class BatchRing : BorrowedRing
{
    /// <summary>The maximum number of entries of one submission. A longer batch has several.</summary>
    public const int MaxEntries = 256;

    private static readonly RingPool<BatchRing> Pool = new(Tuning.BatchRingMaxKept, TryCreate);

    private BatchRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>The entries of a submission, to be filled by the thread that uses the ring.</summary>
    public BatchEntry[] Entries { get; } = new BatchEntry[MaxEntries];

    /// <summary>Returns a ring that only this thread uses until <see cref="Return"/>; null if there can be none.</summary>
    public static BatchRing? TryRent() => Pool.TryRent();

    public void Return() => Pool.Return(this);

    /// <summary>Transfers the first <paramref name="count"/> entries, and waits for all of them.</summary>
    public void Run(bool isRead, int fd, int count, RwFlags flags)
    {
        for (int i = 0; i < count; i++)
        {
            ref BatchEntry entry = ref Entries[i];
            QueueTransfer(isRead, fd, entry.Address, entry.Length, entry.Offset, flags, (ulong)i);
        }

        Wait(count);
    }

    protected override void OnCompleted(ulong userData, int result) => Entries[(int)userData].Result = result;

    private static BatchRing? TryCreate() =>
        TryCreate(MaxEntries, staysOnThread: true, static ring => new BatchRing(ring), out _);
}

/// <summary>One transfer of a batch. Its memory stays pinned until its completion has been taken.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct BatchEntry
{
    public MemoryHandle Pin;
    public MemoryLease Bounce;

    /// <summary>The index of the request.</summary>
    public int Request;

    /// <summary>The offset of the request in the file.</summary>
    public long RequestOffset;

    /// <summary>
    /// The address of the transfer's memory. Address, offset and length differ from the request's if there is a bounce buffer.
    /// </summary>
    public nint Address;
    public long Offset;
    public int Length;

    /// <summary>The number of bytes at the start of the bounce buffer that do not belong to the request.</summary>
    public int Skip;

    /// <summary>The number of bytes, or a negative errno.</summary>
    public int Result;

    private nint _memory;
    private int _memoryLength;

    /// <summary>The caller's memory, while it is pinned.</summary>
    public readonly Span<byte> Memory => PinnedMemory.SpanOf(_memory, _memoryLength);

    /// <summary>Pins the memory of a request.</summary>
    public void Fill(Memory<byte> buffer, long fileOffset)
    {
        Pin = buffer.Pin();
        Address = _memory = PinnedMemory.AddressOf(Pin);
        Length = _memoryLength = buffer.Length;
        Offset = RequestOffset = fileOffset;
    }
}
