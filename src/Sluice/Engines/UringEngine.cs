using System.Diagnostics;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// Public asynchronous transfers by one ring that every thread may enter. A caller's thread submits by itself; what continuations
/// submit is gathered and goes in with the wait that follows them. Who waits is decided in the other parts: a thread of the pool that
/// runs the continuations too (the leader), or the completion thread when the pool has other work. docs/architecture.md has the
/// measurements that chose this.
/// </summary>
internal sealed partial class UringEngine : IoEngine
{
    private const uint SqEntries = 512;
    private const uint CqEntries = 4096;

    /// <summary>User data of a request to cancel: no slot has this low half.</summary>
    private const ulong CancelUserData = 0x7FFF_FFFF_FFFF_FFFF;

    private readonly Ring _ring;
    private readonly Lock _submitLock = new();
    private readonly IoOperation?[] _slots;
    private readonly int[] _freeSlots;
    private readonly uint[] _generations;
    private int _freeCount;
    private int _inFlight;
    private bool _starved;
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

    /// <summary>Operations that the kernel or the submission queue holds now.</summary>
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
                // Not in the ring: Submit looks at the request itself; the backlog may wait for long.
                if (TryRemoveFromBacklogLocked(operation))
                {
                    ThreadPool.UnsafeQueueUserWorkItem(static o => o.Complete(-Errno.ECANCELED), operation, preferLocal: false);
                }

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

    internal override void Submit(IoOperation operation)
    {
        if (operation.NeedsBlocking)
        {
            ThreadPoolEngine.Instance.Submit(operation);
            return;
        }

        operation.Ring = this;
        bool cancelled = false;
        bool wake = false;
        bool helps = t_draining == this && !IsGathering;
        long begin = helps ? Stopwatch.GetTimestamp() : 0;
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
            else if (!IsGathering)
            {
                EnterLocked();
            }

            wake = !cancelled && LeaveIdleLocked();
        }

        if (helps)
        {
            t_submittingTicks += Stopwatch.GetTimestamp() - begin;
        }

        if (cancelled)
        {
            operation.Complete(-Errno.ECANCELED);
        }
        else if (wake)
        {
            WakeCompletionThread();
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

    private bool TryRemoveFromBacklogLocked(IoOperation operation)
    {
        IoOperation? previous = null;
        for (IoOperation? at = _backlogFirst; at is not null; previous = at, at = at.Next)
        {
            if (at != operation)
            {
                continue;
            }

            if (previous is null)
            {
                _backlogFirst = at.Next;
            }
            else
            {
                previous.Next = at.Next;
            }

            if (_backlogLast == at)
            {
                _backlogLast = previous;
            }

            at.Next = null;
            return true;
        }

        return false;
    }

    /// <summary>Gives slots back and moves the backlog up; operations that were cancelled in it are returned as a list.</summary>
    private IoOperation? FreeSlotsLocked(ReadOnlySpan<int> freed)
    {
        foreach (int slot in freed)
        {
            _freeSlots[_freeCount++] = slot;
        }

        IoOperation? cancelled = null;
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

        return cancelled;
    }

    private static void CompleteCancelled(IoOperation? cancelled)
    {
        while (cancelled is not null)
        {
            IoOperation operation = cancelled;
            cancelled = operation.Next;
            operation.Next = null;
            operation.Complete(-Errno.ECANCELED);
        }
    }

    private void EnterLocked() => AfterEnterLocked(_ring.Submit());

    private void AfterEnterLocked(int result)
    {
        // The kernel may also have run out of memory behind the first entries: their count then hides the refusal.
        if (result >= 0 && _ring.Pending == 0)
        {
            return;
        }

        if (result < 0 && !Ring.IsPassing(result))
        {
            // The kernel's view of the ring is not ours any more: buffers would be lost or written twice.
            Environment.FailFast($"io_uring_enter failed with errno {-result}.");
        }

        // No memory at this moment, or completions to be taken first: the entries stay queued for another try.
        if (!_starved)
        {
            _starved = true;
            _ = RetryAsync();
        }
    }

    private async Task RetryAsync()
    {
        await Task.Delay(StarvedRetryMs).ConfigureAwait(false);
        lock (_submitLock)
        {
            _starved = false;
            EnterLocked();
        }
    }
}
