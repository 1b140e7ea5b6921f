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

    /// <summary>Cancels each operation whose caller canceled it, by calls that need no entry and do not enter the ring.</summary>
    public void CancelRequested(Ring ring)
    {
        for (int slot = 0; slot < _slots.Length; slot++)
        {
            // It may have completed meanwhile: then no operation has its user data.
            if (Volatile.Read(ref _slots[slot])?.IsCancellationRequested == true)
            {
                _ = ring.Cancel(UserDataOf(slot));
            }
        }
    }

    public void Free(ulong userData) => _free[_freeCount++] = SlotOf(userData);

    private ulong UserDataOf(int slot) => (uint)(slot + 1) | ((ulong)(_generations[slot] & 0x7FFF_FFFF) << 32);

    private static int SlotOf(ulong userData) => (int)(uint)userData - 1;
}

/// <summary>Requests to cancel operations in a ring, until they are entries there. The caller holds the submission lock.</summary>
internal readonly struct CancelRequests()
{
    private readonly Queue<ulong> _targets = new();

    public bool AreQueued => _targets.Count > 0;

    public void Add(ulong target) => _targets.Enqueue(target);

    /// <summary>Makes the oldest an entry; returns false if there is none, or no room.</summary>
    public bool TryQueue(Ring ring) =>
        _targets.TryPeek(out ulong target)
            && OperationEncoder.TryEncodeCancel(ring, target, RingEntries.ExtraUserData) && _targets.TryDequeue(out _);

    public void Clear() => _targets.Clear();
}
