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

    public bool IsFull => _freeCount == 0;

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
