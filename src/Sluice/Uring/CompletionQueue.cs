using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The completion queue. Not thread-safe: one thread at a time takes completions, independently of the submitting threads.
/// </summary>
internal sealed unsafe class CompletionQueue
{
    private readonly uint* _head;
    private readonly uint* _tail;
    private readonly uint* _overflow;
    private readonly uint _mask;
    private readonly IoUringCqe* _cqes;
    private readonly RingFaults? _faults;

    public CompletionQueue(RingMemory memory, in IoUringParams p)
    {
        byte* cq = memory.Cq;
        _head = (uint*)(cq + p.CqOff.Head);
        _tail = (uint*)(cq + p.CqOff.Tail);
        _overflow = (uint*)(cq + p.CqOff.Overflow);
        _mask = *(uint*)(cq + p.CqOff.RingMask);
        _cqes = (IoUringCqe*)(cq + p.CqOff.Cqes);
        Entries = p.CqEntries;
        _faults = memory.Faults;
    }

    public uint Entries { get; }

    /// <summary>The number of completions that can be taken without entering the kernel.</summary>
    public uint Ready => Volatile.Read(ref *_tail) - *_head;

    /// <summary>
    /// The number of lost completions. With IORING_FEAT_NODROP, the kernel loses one only if it has no memory to keep it (EBADR).
    /// </summary>
    public uint Lost => Volatile.Read(ref *_overflow);

    /// <summary>Takes completions, at most as many as fit into <paramref name="destination"/>. Returns their number.</summary>
    public int Take(Span<IoUringCqe> destination)
    {
        uint head = *_head;

        // Acquire: the kernel stored the completions before the tail that covers them.
        uint ready = Volatile.Read(ref *_tail) - head;
        int count = (int)Math.Min(ready, (uint)destination.Length);
        for (int i = 0; i < count; i++)
        {
            destination[i] = _cqes[(head + (uint)i) & _mask];
        }

        if (SystemCallFaults.IsOn)
        {
            _faults?.Answer(destination[..count]);
        }

        // Release: the copies are made before the kernel may write into these slots again.
        Volatile.Write(ref *_head, head + (uint)count);
        return count;
    }
}
