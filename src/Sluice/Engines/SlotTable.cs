using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// Which operation an entry of the ring belongs to. Slot and generation together are its user data, never 0: a late request to cancel
/// never meets the slot's next tenant. Filling and freeing are for who has the submission lock; emptying is for whoever took the
/// slot's completion, once.
/// </summary>
internal sealed class SlotTable
{
    private readonly IoOperation?[] _slots;
    private readonly int[] _free;
    private readonly uint[] _generations;
    private int _freeCount;

    public SlotTable(int count)
    {
        _slots = new IoOperation?[count];
        _free = new int[count];
        _generations = new uint[count];
        _freeCount = count;
        for (int i = 0; i < count; i++)
        {
            _free[i] = count - 1 - i;
        }
    }

    /// <summary>
    /// Whether an operation may take a slot. Not the last ones where it may wait for ever: what ends by itself finds room in the end.
    /// </summary>
    public bool HasRoomFor(IoOperation operation) =>
        _freeCount > (operation.WaitsForOthers ? _slots.Length / Tuning.KeptPlacesPart : 0);

    /// <summary>The operation that was added last, if nothing was freed since; else anything or null.</summary>
    public IoOperation? Newest => _freeCount < _free.Length ? _slots[_free[_freeCount]] : null;

    /// <summary>The user data of the next <see cref="Add"/>; there must be room.</summary>
    public ulong NextUserData()
    {
        int slot = _free[_freeCount - 1];
        _generations[slot]++;
        return UserDataOf(slot);
    }

    public void Add(IoOperation operation, ulong userData)
    {
        _freeCount--;
        _slots[SlotOf(userData)] = operation;
        operation.RingUserData = userData;
    }

    /// <summary>Empties a slot, which is free only after <see cref="Free"/>.</summary>
    public IoOperation Empty(ulong userData)
    {
        ref IoOperation? slot = ref _slots[SlotOf(userData)];
        IoOperation operation = slot!;
        slot = null;
        operation.RingUserData = 0;
        return operation;
    }

    /// <summary>
    /// The next operation in here, from a slot on, that somebody wants cancelled. It may just be emptied: then its user data is nobody's.
    /// </summary>
    public bool TryFindCancelled(ref int slot, out ulong userData)
    {
        while (slot < _slots.Length)
        {
            bool isFound = Volatile.Read(ref _slots[slot])?.IsCancellationRequested == true;
            userData = UserDataOf(slot++);
            if (isFound)
            {
                return true;
            }
        }

        userData = 0;
        return false;
    }

    public void Free(ulong userData) => _free[_freeCount++] = SlotOf(userData);

    private ulong UserDataOf(int slot) => (uint)(slot + 1) | ((ulong)(_generations[slot] & 0x7FFF_FFFF) << 32);

    private static int SlotOf(ulong userData) => (int)(uint)userData - 1;
}

/// <summary>
/// Requests to cancel operations in a ring, until they are entries there. One that finds no memory is not kept, but is not lost: what it is
/// about is among the slots, and wants to be cancelled. For who has the submission lock.
/// </summary>
internal struct CancelRequests()
{
    private readonly Queue<ulong> _targets = new();

    public readonly bool AreQueued => _targets.Count > 0;

    /// <summary>There are some that were not kept: <see cref="MakeForgotten"/>, once the kernel has all that was queued.</summary>
    public bool AreForgotten { get; private set; }

    public void Add(ulong target)
    {
        try
        {
            _targets.Enqueue(target);
        }
        catch (OutOfMemoryException)
        {
            AreForgotten = true;
        }
    }

    /// <summary>The oldest becomes an entry; false where there is none, or no room.</summary>
    public readonly bool TryQueue(Ring ring) =>
        _targets.TryPeek(out ulong target)
            && OperationEncoder.TryEncodeCancel(ring, target, RingEntries.ExtraUserData) && _targets.TryDequeue(out _);

    /// <summary>Cancels whatever in the slots is to be cancelled, by calls that need no entry, no memory, and not to be let in.</summary>
    public void MakeForgotten(Ring ring, SlotTable slots)
    {
        AreForgotten = false;
        for (int slot = 0; slots.TryFindCancelled(ref slot, out ulong target);)
        {
            _ = ring.Cancel(target);
        }
    }

    public readonly void Clear() => _targets.Clear();
}
