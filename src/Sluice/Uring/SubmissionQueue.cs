using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The submission queue. Entries are taken with <see cref="TryTake"/>, filled, and made visible to the kernel together by
/// <see cref="Publish"/>. Not thread-safe: the owner's lock admits one thread at a time.
/// </summary>
internal sealed unsafe class SubmissionQueue
{
    private readonly uint* _head;
    private readonly uint* _tail;
    private readonly uint* _flags;
    private readonly uint _mask;
    private readonly IoUringSqe* _sqes;
    private readonly RingFaults? _faults;
    private uint _localTail;

    public SubmissionQueue(RingMemory memory, in IoUringParams p)
    {
        byte* sq = memory.Sq;
        _head = (uint*)(sq + p.SqOff.Head);
        _tail = (uint*)(sq + p.SqOff.Tail);
        _flags = (uint*)(sq + p.SqOff.Flags);
        _mask = *(uint*)(sq + p.SqOff.RingMask);
        _sqes = memory.Sqes;
        Entries = p.SqEntries;
        _localTail = *_tail;
        _faults = memory.Faults;

        // The indirection array always maps entry i of the ring to slot i of the entries.
        uint* array = (uint*)(sq + p.SqOff.Array);
        for (uint i = 0; i < p.SqEntries; i++)
        {
            array[i] = i;
        }
    }

    public uint Entries { get; }

    /// <summary>The number of entries that were taken and that the kernel has not consumed yet.</summary>
    public uint Pending => _localTail - Volatile.Read(ref *_head);

    /// <summary>The number of entries that the kernel has consumed since the ring was created, modulo 2^32.</summary>
    public uint Consumed => Volatile.Read(ref *_head);

    /// <summary>True if completions wait in the kernel because the completion queue is full, or task work waits to run.</summary>
    public bool NeedsEnterForCompletions =>
        ((SqRingFlags)Volatile.Read(ref *_flags) & (SqRingFlags.CqOverflow | SqRingFlags.TaskRun)) != SqRingFlags.None;

    /// <summary>Returns the next free entry, zeroed, or null if the queue is full until the kernel consumes entries.</summary>
    public IoUringSqe* TryTake()
    {
        // Acquire: the kernel reads a slot before it stores the head that releases the slot.
        if (_localTail - Volatile.Read(ref *_head) >= Entries)
        {
            return null;
        }

        IoUringSqe* sqe = &_sqes[_localTail & _mask];
        _localTail++;
        *sqe = default;
        return sqe;
    }

    /// <summary>Takes the newest entry back. Returns false if it has been published or has other user data.</summary>
    public bool TryTakeBack(ulong userData)
    {
        if (_localTail == *_tail || _sqes[(_localTail - 1) & _mask].UserData != userData)
        {
            return false;
        }

        _localTail--;
        return true;
    }

    /// <summary>
    /// Takes back the newest entry that was not consumed, published or not. Returns false if there is none. No thread may be entering the
    /// kernel.
    /// </summary>
    public bool TryTakeBackUnused(out ulong userData)
    {
        if (Pending == 0)
        {
            userData = 0;
            return false;
        }

        _localTail--;
        userData = _sqes[_localTail & _mask].UserData;
        _ = _faults?.Remove(userData, out _);
        Publish();
        return true;
    }

    /// <summary>Makes all entries taken so far visible to the kernel.</summary>
    public void Publish()
    {
        if (SystemCallFaults.IsOn)
        {
            AlterUnpublished();
        }

        // Release: the kernel must see the entries' contents before it sees the tail that covers them.
        Volatile.Write(ref *_tail, _localTail);
    }

    private void AlterUnpublished()
    {
        // The published tail precedes the local one by the number of new entries. It follows the local one if entries were taken back.
        for (uint i = *_tail; (int)(_localTail - i) > 0; i++)
        {
            IoUringSqe* entry = &_sqes[i & _mask];
            ulong userData = entry->UserData;
            if (SystemCallFaults.Alter(entry) is < 0 and int result)
            {
                _faults?.Add(userData, result);
            }
        }
    }
}
