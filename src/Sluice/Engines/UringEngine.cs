using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Public asynchronous transfers by one ring that every thread may enter. A caller's thread submits by itself; what continuations
/// submit is gathered and goes in with the wait that follows them. Who waits, and who runs what follows, is <see cref="CompletionDuty"/>'s
/// to say and stands in the other part. While continuations take long, a transfer of a file is a plain call on a thread of the pool.
/// </summary>
/// <remarks>
/// The ring and its thread are made by <see cref="TryStart"/>. Should the kernel refuse the ring later, what it has not taken goes to
/// the pool, what it has is waited for, and all that follows is the pool's.
/// </remarks>
internal sealed partial class UringEngine : IoEngine
{
    /// <summary>User data of entries that are no operations, requests to cancel and wakers: no slot has this low half.</summary>
    private const ulong ExtraUserData = 0x7FFF_FFFF_FFFF_FFFF;

    private readonly Lock _submitLock = new();
    private readonly Backlog _backlog = new();
    private readonly Queue<ulong> _cancels = new();
    private readonly CompletionDuty _duty = new(Tuning.LongContinuationMicroseconds * Stopwatch.Frequency / 1_000_000);
    private SlotTable _slots = null!;
    private Ring _ring = null!;
    private int _extras;
    private int _refusal;
    private bool _isServing;
    private bool _starved;

    public override string Name => _refusal != 0 ? ThreadPoolEngine.Instance.Name : "uring";

    /// <summary>Operations that the kernel or the submission queue holds now.</summary>
    public int InFlight => _duty.InFlight;

    /// <summary>What the kernel lets its workers be, for each thread that submits; negative where it does not say.</summary>
    public int MaxWorkers => _ring.LimitWorkers(0, 0, out _, out uint unbounded) < 0 ? -1 : (int)unbounded;

    internal override bool BlocksThreads => _refusal != 0;

    /// <summary>Why the kernel will not be entered any more, for a negative errno.</summary>
    public static string ExplainRefusal(int errno) => -errno is Errno.EPERM or Errno.EACCES
        ? $"io_uring_enter was refused after rings had been in use ({(errno == -Errno.EPERM ? "EPERM" : "EACCES")}: a seccomp filter or a security module)"
        : $"io_uring_enter failed after rings had been in use (errno {-errno})";

    /// <summary>Sets the ring up and starts its completion thread; false, with the reason in one line, where that is refused.</summary>
    public bool TryStart([NotNullWhen(false)] out string? reason)
    {
        Ring? ring = Ring.TryCreate(Tuning.RingEntries, Tuning.RingCompletions, SetupFlags.SubmitAll, out int errno);
        if (ring is null)
        {
            reason = RingProbe.Explain(-errno);
            return false;
        }

        _ = ring.LimitWorkers(0, Tuning.MaxBlockingWorkers, out _, out _);
        _slots = new SlotTable((int)ring.CqEntries - Tuning.MaxExtras);
        _take = ring.Take;
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
                if (_backlog.TryRemove(operation))
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

        DutyTurn? turn = t_turn is { } mine && mine.Engine == this ? mine : null;
        long begin = turn is null ? 0 : Stopwatch.GetTimestamp();
        bool cancelled = operation.IsCancellationRequested;
        bool wake = false;
        if (!cancelled && operation.IsPlainCall && _duty.PrefersCalls(Environment.TickCount64) && HasPoolThreads)
        {
            operation.Ring = null;
            operation.Meter = this;
            operation.QueueTransfer(preferLocal: true);
        }
        else if (!TrySubmit(operation, turn, ref cancelled, out wake))
        {
            operation.Ring = null;
            ThreadPoolEngine.Instance.Submit(operation);
            return;
        }

        if (turn is not null)
        {
            turn.SubmitTicks += Stopwatch.GetTimestamp() - begin;
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

    /// <summary>Into the ring or its backlog; false where the ring is refused. Afterwards the operation may be another one's.</summary>
    private bool TrySubmit(IoOperation operation, DutyTurn? turn, ref bool cancelled, out bool wake)
    {
        wake = false;
        operation.Ring = this;
        using (_submitLock.EnterUninterrupted())
        {
            if (_refusal != 0)
            {
                return false;
            }

            // Again: from here on a request to cancel finds it under this lock.
            cancelled = operation.IsCancellationRequested;
            if (cancelled)
            {
                return true;
            }

            if (!TryQueueLocked(operation))
            {
                _backlog.Add(operation);
                if (_refusal != 0)
                {
                    RefuseLocked(_refusal);
                }
            }
            else if (turn is null || !_duty.Gathers(turn))
            {
                EnterLocked();
            }

            wake = _duty.LeaveIdle();
            return true;
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
        if (_slots.IsFull)
        {
            return false;
        }

        ulong userData = _slots.NextUserData();
        if (!OperationEncoder.TryEncode(_ring, operation, userData))
        {
            EnterLocked();
            if (_refusal != 0 || !OperationEncoder.TryEncode(_ring, operation, userData))
            {
                return false;
            }
        }

        _slots.Add(operation, userData);
        _duty.Enter();
        return true;
    }

    /// <summary>Queues the requests to cancel that there is room for; the others follow when completions have been taken.</summary>
    private void QueueCancelsLocked()
    {
        while (_extras < Tuning.MaxExtras && _cancels.TryPeek(out ulong target) && OperationEncoder.TryEncodeCancel(_ring, target, ExtraUserData))
        {
            _extras++;
            _cancels.Dequeue();
        }
    }

    /// <summary>An entry that completes at once and so ends a wait in the kernel; needless where others are about to complete.</summary>
    private void TryQueueWakerLocked()
    {
        if (_refusal == 0 && _extras < Tuning.MaxExtras && OperationEncoder.TryEncodeNop(_ring, ExtraUserData))
        {
            _extras++;
        }
    }

    /// <summary>Moves the backlog up, as far as there are slots.</summary>
    private void QueueBacklogLocked()
    {
        while (_backlog.First is { } operation)
        {
            if (!operation.IsCancellationRequested && !TryQueueLocked(operation))
            {
                return;
            }

            _ = _backlog.TryRemove(operation);
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
            _duty.Refuse();
        }

        _cancels.Clear();
        while (_backlog.First is { } waiting)
        {
            _ = _backlog.TryRemove(waiting);
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

            IoOperation operation = _slots.Empty(userData);
            _slots.Free(userData);
            _duty.Exit();
            CancelSoon(operation);
        }
    }
}
