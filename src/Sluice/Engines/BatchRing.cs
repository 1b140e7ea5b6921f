using System.Buffers;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// A ring that one thread borrows for one batch: all entries in one submission, and one wait for all of them.
/// </summary>
internal sealed class BatchRing : BorrowedRing
{
    /// <summary>Entries of one submission; a longer batch goes in several.</summary>
    public const int MaxEntries = 256;

    private static readonly RingPool<BatchRing> Pool = new(Tuning.BatchRingMaxKept, TryCreate);

    private BatchRing(Ring ring)
        : base(ring)
    {
    }

    /// <summary>Room for the entries of one submission; the borrower's.</summary>
    public BatchEntry[] Entries { get; } = new BatchEntry[MaxEntries];

    /// <summary>A ring for this thread alone until <see cref="Return"/>; null where rings are refused.</summary>
    public static BatchRing? TryRent() => Pool.TryRent();

    public void Return() => Pool.Return(this);

    /// <summary>
    /// Transfers the entries from <paramref name="first"/> up to <paramref name="end"/>; each has its result when this returns, and none is
    /// in flight.
    /// </summary>
    public void Run(bool isRead, int fd, int first, int end, RwFlags flags)
    {
        for (int i = first; i < end; i++)
        {
            ref BatchEntry entry = ref Entries[i];
            QueueTransfer(isRead, fd, entry.Address, entry.Length, entry.Offset, flags, (ulong)i);
        }

        Wait(end - first);
    }

    protected override void OnCompleted(ulong userData, int result) => Entries[(int)userData].Result = result;

    private static BatchRing? TryCreate() =>
        TryCreate(MaxEntries, staysOnThread: true, static ring => new BatchRing(ring), out _);
}

/// <summary>
/// One transfer of a batch while it runs. The pin, or the bounce buffer, is held from the entry's making until its completion has been
/// taken; <see cref="BatchRing"/> waits for all of them before it returns.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal struct BatchEntry
{
    public MemoryHandle Pin;
    public MemoryLease Bounce;

    /// <summary>The request that this entry carries.</summary>
    public int Request;

    /// <summary>Where in the file the request begins.</summary>
    public long Place;

    /// <summary>Where the transfer begins, in memory and in the file; a bounce buffer's own place when there is one.</summary>
    public nint Address;
    public long Offset;
    public int Length;

    /// <summary>Bytes at the front of a bounce buffer that were not asked for.</summary>
    public int Skip;

    /// <summary>The kernel's answer.</summary>
    public int Result;

    private nint _memory;
    private int _memoryLength;

    /// <summary>The caller's memory; valid while the pin is held.</summary>
    public readonly Span<byte> Memory => PinnedMemory.SpanOf(_memory, _memoryLength);

    /// <summary>Pins the memory of a request, which is not asked again.</summary>
    public void Fill(Memory<byte> buffer, int request, long place)
    {
        Pin = buffer.Pin();
        Request = request;
        Address = _memory = PinnedMemory.AddressOf(Pin);
        Length = _memoryLength = buffer.Length;
        Offset = Place = place;
    }
}
