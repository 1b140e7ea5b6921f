using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// Public asynchronous transfers by one ring that every thread may enter. Alone in flight, the caller enters the kernel; so do writes.
/// Otherwise the entry is queued and one pooled work item submits all that have gathered. One thread waits for completions and hands
/// continuations to the pool. docs/architecture.md has the measurements that chose this.
/// </summary>
internal sealed class UringEngine : IoEngine, IThreadPoolWorkItem
{
    private const uint SqEntries = 512;
    private const uint CqEntries = 4096;
    private const ulong CancelUserData = long.MaxValue;

    private readonly Ring _ring;
    private readonly Lock _submitLock = new();
    private readonly IoOperation?[] _slots;
    private readonly int[] _freeSlots;
    private readonly uint[] _generations;
    private int _freeCount;
    private int _inFlight;
    private bool _flushQueued;
    private IoOperation? _backlogFirst;
    private IoOperation? _backlogLast;

    private UringEngine(Ring ring)
    {
        _ring = ring;

        // As many operations as completions have room, less some for cancellations: the completion queue never overflows by ours.
        int slots = (int)ring.CqEntries - 64;
        _slots = new IoOperation?[slots];
        _freeSlots = new int[slots];
        _generations = new uint[slots];
        _freeCount = slots;
        for (int i = 0; i < slots; i++)
        {
            _freeSlots[i] = slots - 1 - i;
        }
    }

    public override string Name => "uring";

    /// <summary>Operations that the kernel or the backlog holds now.</summary>
    public int InFlight => Volatile.Read(ref _inFlight);

    /// <summary>Sets a ring up and starts its completion thread; null and a negative errno where that is refused.</summary>
    public static UringEngine? TryCreate(out int errno)
    {
        SetupFlags flags = RingProbe.Current.SupportsSubmitAll ? SetupFlags.SubmitAll : SetupFlags.None;
        Ring? ring = Ring.TryCreate(SqEntries, CqEntries, flags, out errno);
        if (ring is null)
        {
            return null;
        }

        UringEngine engine = new(ring);
        new Thread(engine.CompletionLoop) { IsBackground = true, Name = "Sluice completions" }.UnsafeStart();
        return engine;
    }

    /// <summary>Asks the kernel to cancel an operation; its completion still comes, and only then is its memory free.</summary>
    public void Cancel(IoOperation operation)
    {
        lock (_submitLock)
        {
            ulong target = operation.RingUserData;
            if (target == 0)
            {
                // Not in the ring: Submit and the backlog look at the request themselves.
                return;
            }

            if (!OperationEncoder.TryEncodeCancel(_ring, target, CancelUserData))
            {
                EnterLocked();
                if (!OperationEncoder.TryEncodeCancel(_ring, target, CancelUserData))
                {
                    // The queue is full and the kernel takes none now: the operation then ends by itself.
                    return;
                }
            }

            EnterLocked();
        }
    }

    /// <summary>The pooled flush: submits all that have gathered.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        lock (_submitLock)
        {
            _flushQueued = false;
            EnterLocked();
        }
    }

    internal override void Submit(IoOperation operation)
    {
        if (operation.NeedsBlocking)
        {
            ThreadPoolEngine.Instance.Submit(operation);
            return;
        }

        operation.Ring = this;
        bool cancelled = false;
        bool flush = false;
        lock (_submitLock)
        {
            if (operation.IsCancellationRequested)
            {
                cancelled = true;
            }
            else if (!TryQueueLocked(operation))
            {
                AddToBacklogLocked(operation);
            }
            else if (_inFlight == 1 || !operation.IsRead)
            {
                EnterLocked();
            }
            else if (!_flushQueued)
            {
                _flushQueued = true;
                flush = true;
            }
        }

        if (cancelled)
        {
            operation.Complete(-Errno.ECANCELED);
        }
        else if (flush)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private bool TryQueueLocked(IoOperation operation)
    {
        if (_freeCount == 0)
        {
            return false;
        }

        int slot = _freeSlots[_freeCount - 1];

        // Slot and generation together: a late request to cancel never meets the slot's next tenant. Never 0.
        ulong userData = (uint)(slot + 1) | ((ulong)(++_generations[slot] & 0x7FFF_FFFF) << 32);
        if (!OperationEncoder.TryEncode(_ring, operation, userData))
        {
            EnterLocked();
            if (!OperationEncoder.TryEncode(_ring, operation, userData))
            {
                return false;
            }
        }

        _freeCount--;
        _slots[slot] = operation;
        operation.RingUserData = userData;
        Interlocked.Increment(ref _inFlight);
        return true;
    }

    private void AddToBacklogLocked(IoOperation operation)
    {
        operation.Next = null;
        if (_backlogLast is null)
        {
            _backlogFirst = operation;
        }
        else
        {
            _backlogLast.Next = operation;
        }

        _backlogLast = operation;
    }

    private void EnterLocked()
    {
        int result = _ring.Submit();
        if (result >= 0)
        {
            return;
        }

        if (result is not (-Errno.EAGAIN or -Errno.EBUSY))
        {
            // The kernel's view of the ring is not ours any more: buffers would be lost or written twice.
            Environment.FailFast($"io_uring_enter failed with errno {-result}.");
        }

        // No memory at this moment, or completions to be taken first: the entries stay queued for the next try.
        if (!_flushQueued)
        {
            _flushQueued = true;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    private void CompletionLoop()
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[128];
        Span<int> freed = stackalloc int[128];
        while (true)
        {
            int count = _ring.Take(cqes);
            if (count == 0)
            {
                // EINTR and the like only lead to another look.
                _ = _ring.Wait(1);
                continue;
            }

            int freedCount = 0;
            for (int i = 0; i < count; i++)
            {
                ulong userData = cqes[i].UserData;
                if (userData == CancelUserData)
                {
                    continue;
                }

                int slot = (int)(uint)userData - 1;
                IoOperation operation = _slots[slot]!;
                _slots[slot] = null;
                freed[freedCount++] = slot;
                Interlocked.Decrement(ref _inFlight);
                operation.RingUserData = 0;
                operation.Complete(cqes[i].Res);
            }

            AfterBatch(freed[..freedCount]);
        }
    }

    /// <summary>Gives slots back, moves the backlog up, and submits what has gathered: so nothing waits on a starved pool.</summary>
    private void AfterBatch(ReadOnlySpan<int> freed)
    {
        IoOperation? cancelled = null;
        lock (_submitLock)
        {
            foreach (int slot in freed)
            {
                _freeSlots[_freeCount++] = slot;
            }

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

            if (_ring.Pending > 0)
            {
                EnterLocked();
            }
        }

        while (cancelled is not null)
        {
            IoOperation operation = cancelled;
            cancelled = operation.Next;
            operation.Next = null;
            operation.Complete(-Errno.ECANCELED);
        }
    }
}
