using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>The completion thread: takes completions, submits what has gathered, and sleeps in the kernel.</summary>
internal sealed partial class UringEngine
{
    private const int StarvedRetryMs = 1;

    [ThreadStatic]
    private static bool t_isCompletionThread;

    /// <summary>Whether this is a thread that no caller's code may run on.</summary>
    public static bool IsCompletionThread => t_isCompletionThread;

    private void CompletionLoop()
    {
        t_isCompletionThread = true;
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[128];
        Span<int> freed = stackalloc int[128];
        bool wakeArmed = false;
        while (true)
        {
            int count = _ring.Take(cqes);
            int freedCount = 0;
            for (int i = 0; i < count; i++)
            {
                ulong userData = cqes[i].UserData;
                if (userData == WakeUserData)
                {
                    wakeArmed = (cqes[i].Flags & CqeFlags.More) != CqeFlags.None;
                }
                else if (userData != CancelUserData)
                {
                    freed[freedCount++] = CompleteSlot(userData, cqes[i].Res);
                }
            }

            ContinuationQueue.Shared.Schedule();
            bool starved = AfterBatch(freed[..freedCount], ref wakeArmed, park: count == 0);
            if (count == 0)
            {
                // EINTR and the like only lead to another look.
                _ = starved ? _ring.Wait(1, StarvedRetryMs) : _ring.Wait(1);
                lock (_submitLock)
                {
                    _parked = false;
                    _waking = false;
                }
            }
        }
    }

    private int CompleteSlot(ulong userData, int result)
    {
        int slot = (int)(uint)userData - 1;
        IoOperation operation = _slots[slot]!;
        _slots[slot] = null;
        Interlocked.Decrement(ref _inFlight);
        operation.RingUserData = 0;
        operation.Complete(result);
        return slot;
    }

    /// <summary>
    /// Gives slots back, moves the backlog up, submits what has gathered, and says under the same lock whether this thread is about to
    /// sleep: so no entry is left behind by a caller who believed it awake. True when the kernel took none for want of memory.
    /// </summary>
    private bool AfterBatch(ReadOnlySpan<int> freed, ref bool wakeArmed, bool park)
    {
        IoOperation? cancelled = null;
        bool starved;
        lock (_submitLock)
        {
            foreach (int slot in freed)
            {
                _freeSlots[_freeCount++] = slot;
            }

            MoveBacklogLocked(ref cancelled);
            if (!wakeArmed)
            {
                wakeArmed = OperationEncoder.TryEncodeWake(_ring, _wake.Descriptor, WakeUserData);
            }

            _starved = false;
            if (_ring.Pending > 0)
            {
                EnterLocked();
            }

            starved = _starved;
            _parked = park && cancelled is null;
        }

        while (cancelled is not null)
        {
            IoOperation operation = cancelled;
            cancelled = operation.Next;
            operation.Next = null;
            operation.Complete(-Errno.ECANCELED);
        }

        return starved;
    }

    private void MoveBacklogLocked(ref IoOperation? cancelled)
    {
        while (_backlogFirst is { } operation)
        {
            IoOperation? next = operation.Next;
            if (operation.IsCancellationRequested)
            {
                operation.Next = cancelled;
                cancelled = operation;
            }
            else if (TryQueueLocked(operation))
            {
                operation.Next = null;
            }
            else
            {
                break;
            }

            _backlogFirst = next;
            if (next is null)
            {
                _backlogLast = null;
            }
        }
    }
}
