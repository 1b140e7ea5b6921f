using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Public asynchronous transfers by one ring that every thread may enter. A caller's thread submits by itself; what continuations
/// submit is gathered and goes in with the wait that follows them. Who waits is decided in the other parts: a thread of the pool that
/// runs the continuations too (the leader), or the completion thread when the pool has other work or continuations take long.
/// </summary>
/// <remarks>
/// The ring and its thread are made by <see cref="TryStart"/>. Should the kernel refuse the ring later, what it has not taken goes to
/// the pool, what it has is waited for, and all that follows is the pool's.
/// </remarks>
internal sealed partial class UringEngine : IoEngine
{
    private const uint SqEntries = 512;
    private const uint CqEntries = 4096;

    /// <summary>User data of entries that are no operations, requests to cancel and wakers: no slot has this low half.</summary>
    private const ulong ExtraUserData = 0x7FFF_FFFF_FFFF_FFFF;

    /// <summary>
    /// So many of them at once. Together with the slots they are as many as completions have room, so that none can be lost.
    /// </summary>
    private const int MaxExtras = 64;

    /// <summary>Kernel workers, for each thread that submits, that may block in files which cannot be polled; the kernel's own limit is
    /// RLIMIT_NPROC.</summary>
    private const uint MaxBlockingWorkers = 64;

    private readonly Lock _submitLock = new();
    private readonly Queue<ulong> _cancels = new();
    private Ring _ring = null!;
    private IoOperation?[] _slots = [];
    private int[] _freeSlots = [];
    private uint[] _generations = [];
    private int _freeCount;
    private int _inFlight;
    private int _extras;
    private int _refusal;
    private bool _isServing;
    private bool _starved;
    private IoOperation? _backlogFirst;
    private IoOperation? _backlogLast;

    public override string Name => _refusal != 0 ? ThreadPoolEngine.Instance.Name : "uring";

    /// <summary>Operations that the kernel or the submission queue holds now.</summary>
    public int InFlight => Volatile.Read(ref _inFlight);

    /// <summary>What the kernel lets its workers be, for each thread that submits; negative where it does not say.</summary>
    public int MaxWorkers => _ring.LimitWorkers(0, 0, out _, out uint unbounded) < 0 ? -1 : (int)unbounded;

    internal override bool BlocksThreads => _refusal != 0;

    /// <summary>Why the kernel will not be entered any more, for a negative errno.</summary>
    public static string ExplainRefusal(int errno) => -errno is Errno.EPERM or Errno.EACCES
        ? $"io_uring_enter was refused after rings had been in use ({(errno == -Errno.EPERM ? "EPERM" : "EACCES")}: "
            + "a seccomp filter or a security module)"
        : $"io_uring_enter failed after rings had been in use (errno {-errno})";

    /// <summary>Sets the ring up and starts its completion thread; false, with the reason in one line, where that is refused.</summary>
    public bool TryStart([NotNullWhen(false)] out string? reason)
    {
        Ring? ring = Ring.TryCreate(SqEntries, CqEntries, SetupFlags.SubmitAll, out int errno);
        if (ring is null)
        {
            reason = RingProbe.Explain(-errno);
            return false;
        }

        _ = ring.LimitWorkers(0, MaxBlockingWorkers, out _, out _);
        int slots = (int)ring.CqEntries - MaxExtras;
        _slots = new IoOperation?[slots];
        _freeSlots = new int[slots];
        _generations = new uint[slots];
        _freeCount = slots;
        for (int i = 0; i < slots; i++)
        {
            _freeSlots[i] = slots - 1 - i;
        }

        _ring = ring;
        try
        {
            new Thread(CompletionLoop) { IsBackground = true, Name = "Sluice completions" }.UnsafeStart();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            ring.Dispose();
            reason = $"no thread can be made to take a ring's completions ({e.Message})";
            return false;
        }

        reason = null;
        Volatile.Write(ref _isServing, true);
        return true;
    }

    /// <summary>Has everything that follows go to the pool, and the thread end when nothing is in flight.</summary>
    public void Stop()
    {
        if (!Volatile.Read(ref _isServing))
        {
            return;
        }

        lock (_submitLock)
        {
            // Out of its wait in the kernel, while that can still be entered.
            TryQueueWakerLocked();
            EnterLocked();
            RefuseLocked(-Errno.ECANCELED);
        }

        WakeCompletionThread();
    }

    /// <summary>Asks the kernel to cancel an operation; its completion still comes, and only then is its memory free.</summary>
    public void Cancel(IoOperation operation)
    {
        using (_submitLock.EnterUninterrupted())
        {
            ulong target = operation.RingUserData;
            if (target == 0)
            {
                // Not in the ring: Submit looks at the request itself; the backlog may wait for long.
                if (TryRemoveFromBacklogLocked(operation))
                {
                    CancelSoon(operation);
                }
            }
            else if (_refusal != 0)
            {
                // A refusal to enter need not be one to register. Else the operation ends by itself.
                _ = _ring.Cancel(target);
            }
            else
            {
                _cancels.Enqueue(target);
                QueueCancelsLocked();
                EnterLocked();
            }
        }
    }

    internal override void Submit(IoOperation operation)
    {
        if (operation.NeedsBlocking || operation.LeavesRing || operation.IsSynchronous)
        {
            operation.Ring = null;
            ThreadPoolEngine.Instance.Submit(operation);
            return;
        }

        if (!_isServing)
        {
            SubmitFirst(operation);
            return;
        }

        operation.Ring = this;
        bool cancelled = false;
        bool wake = false;
        bool helps = t_draining == this && !IsGathering;
        long begin = helps ? Stopwatch.GetTimestamp() : 0;
        using (_submitLock.EnterUninterrupted())
        {
            if (_refusal != 0)
            {
                operation.Ring = null;
                ThreadPoolEngine.Instance.Submit(operation);
                return;
            }

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

    private static void SubmitFirst(IoOperation operation)
    {
        SluiceEngines.Start();
        SluiceEngines.ForDescriptor(operation.Descriptor).Submit(operation);
    }

    private static void CancelSoon(IoOperation operation) =>
        ThreadPool.UnsafeQueueUserWorkItem(static o => o.Complete(-Errno.ECANCELED), operation, preferLocal: false);

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
            if (_refusal != 0 || !OperationEncoder.TryEncode(_ring, operation, userData))
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

    /// <summary>Queues the requests to cancel that there is room for; the others follow when completions have been taken.</summary>
    private void QueueCancelsLocked()
    {
        while (_extras < MaxExtras && _cancels.TryPeek(out ulong target) && OperationEncoder.TryEncodeCancel(_ring, target, ExtraUserData))
        {
            _extras++;
            _cancels.Dequeue();
        }
    }

    /// <summary>An entry that completes at once and so ends a wait in the kernel; needless where others are about to complete.</summary>
    private void TryQueueWakerLocked()
    {
        if (_refusal == 0 && _extras < MaxExtras && OperationEncoder.TryEncodeNop(_ring, ExtraUserData))
        {
            _extras++;
        }
    }

    private void AddToBacklogLocked(IoOperation operation)
    {
        operation.Next = null;
        operation.Previous = _backlogLast;
        if (_backlogLast is null)
        {
            _backlogFirst = operation;
        }
        else
        {
            _backlogLast.Next = operation;
        }

        _backlogLast = operation;
        if (_refusal != 0)
        {
            RefuseLocked(_refusal);
        }
    }

    private bool TryRemoveFromBacklogLocked(IoOperation operation)
    {
        if (operation != _backlogFirst && operation.Previous is null)
        {
            return false;
        }

        if (operation.Previous is { } previous)
        {
            previous.Next = operation.Next;
        }
        else
        {
            _backlogFirst = operation.Next;
        }

        if (operation.Next is { } next)
        {
            next.Previous = operation.Previous;
        }
        else
        {
            _backlogLast = operation.Previous;
        }

        operation.Next = null;
        operation.Previous = null;
        return true;
    }

    /// <summary>Moves the backlog up, as far as there are slots.</summary>
    private void QueueBacklogLocked()
    {
        while (_backlogFirst is { } operation)
        {
            if (!operation.IsCancellationRequested && !TryQueueLocked(operation))
            {
                return;
            }

            _ = TryRemoveFromBacklogLocked(operation);
            if (operation.IsCancellationRequested && operation.RingUserData == 0)
            {
                CancelSoon(operation);
            }
        }
    }

    private void EnterLocked()
    {
        if (_refusal == 0)
        {
            AfterEnterLocked(_ring.Submit());
        }
    }

    private void AfterEnterLocked(int result)
    {
        if (result < 0 && !Ring.IsPassing(result))
        {
            RefuseLocked(result);
            return;
        }

        // No memory at this moment, or completions to be taken first: the entries stay queued, and whoever waits tries again. The kernel
        // may also have run out of memory behind the first entries: their count then hides the refusal.
        _starved = _ring.Pending > 0;
    }

    /// <summary>
    /// The kernel will not be entered any more. What it has not taken is tried again, by the pool; what it has will complete, and the
    /// completion thread sees that without entering.
    /// </summary>
    private void RefuseLocked(int errno)
    {
        if (_refusal == 0)
        {
            SluiceEngines.Refuse(ExplainRefusal(errno));
            Volatile.Write(ref _refusal, errno);
        }

        _cancels.Clear();
        while (_backlogFirst is { } waiting)
        {
            _ = TryRemoveFromBacklogLocked(waiting);
            CancelSoon(waiting);
        }

        if (_entering > 0)
        {
            // A leader is showing entries to the kernel at this moment: it does the rest when it is back.
            return;
        }

        while (_ring.TryTakeBackUnused(out ulong userData))
        {
            if (userData == ExtraUserData)
            {
                _extras--;
                continue;
            }

            int slot = (int)(uint)userData - 1;
            IoOperation operation = _slots[slot]!;
            _slots[slot] = null;
            _freeSlots[_freeCount++] = slot;
            operation.RingUserData = 0;
            Interlocked.Decrement(ref _inFlight);
            CancelSoon(operation);
        }
    }
}
