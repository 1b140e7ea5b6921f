using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// The operations in a ring. The user data of an entry, which is never 0, consists of its slot and the slot's generation, so a late
/// request to cancel does not affect the next operation in the slot. Slots are filled and freed under the submission lock. The thread that
/// has taken the completion empties the slot, once.
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

    /// <summary>Returns true if an operation may use a slot. An operation that may wait forever may not use the last free slots.</summary>
    public bool HasRoomFor(IoOperation operation) =>
        _freeCount > (operation.WaitsForOthers ? _slots.Length / Tuning.ReservedSlotsPart : 0);

    /// <summary>The operation that was added last, if no slot was freed since; otherwise, any operation or null.</summary>
    public IoOperation? Newest => _freeCount < _free.Length ? _slots[_free[_freeCount]] : null;

    /// <summary>Returns the user data for the next <see cref="Add"/>. There must be a free slot.</summary>
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

    /// <summary>Empties a slot. It is free only after <see cref="Free"/>.</summary>
    public IoOperation Empty(ulong userData)
    {
        ref IoOperation? slot = ref _slots[SlotOf(userData)];
        IoOperation operation = slot!;
        slot = null;
        operation.RingUserData = 0;
        return operation;
    }

    public void Free(ulong userData) => _free[_freeCount++] = SlotOf(userData);

    private ulong UserDataOf(int slot) => (uint)(slot + 1) | ((ulong)(_generations[slot] & 0x7FFF_FFFF) << 32);

    private static int SlotOf(ulong userData) => (int)(uint)userData - 1;
}
