using System.Diagnostics;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// The submission side of a ring: the submission lock, operations and their slots, the backlog, cancellation, and the refusal of the ring by
/// the kernel.
/// </summary>
/// <remarks>
/// Unless a member says otherwise, it is called under the submission lock (<see cref="EnterLock"/>). Under this lock a thread enters no
/// other lock than that of <see cref="CompletionDuty"/> and does not use the pool. Work of that kind is done after the lock is released.
/// </remarks>
internal sealed class RingEntries(Ring ring, CompletionDuty duty, CompletionThread completionThread)
{
    /// <summary>The user data of a wake-up. No slot has this user data.</summary>
    public const ulong WakeUpUserData = 0x7FFF_FFFF_FFFF_FFFF;

    private readonly Lock _lock = new();
    private readonly PendingSubmissions _pending = new();
    private int _refusal;
    private bool _isRefusalToReport;
    private bool _isThreadToWake;

    /// <summary>Canceled operations, linked by Next. The pool completes them after the lock is released.</summary>
    private IoOperation? _cancelled;

    private SubmissionContention _contention;

    public SlotTable Slots { get; } = new((int)ring.CqEntries - Tuning.MaxWakeUps);

    public Backlog Backlog { get; } = new();

    /// <summary>The number of wake-ups in the ring.</summary>
    public int WakeUps { get; set; }

    /// <summary>The number of threads that submit published entries without the lock.</summary>
    public int Entering { get; set; }

    /// <summary>The negative errno with which the kernel has refused the ring; otherwise, 0. May be read without the lock.</summary>
    public int Refusal => Volatile.Read(ref _refusal);

    /// <summary>Enters the submission lock, until the result is disposed.</summary>
    public LockScope EnterLock()
    {
        _lock.Enter();
        return new LockScope(this, null);
    }

    /// <summary>
    /// Enters the submission lock to submit an operation. Returns false if another thread has the lock: that thread submits the operation,
    /// which may have ended, and may be in use for another call, when this method returns.
    /// </summary>
    /// <param name="operation">The operation.</param>
    /// <param name="turn">
    /// The calling thread's turn, if it runs a continuation. The time in which it waits for the lock, or submits operations of other threads,
    /// does not count as the continuation's.
    /// </param>
    /// <param name="scope">Releases the lock when it is disposed.</param>
    public bool TryEnterLock(IoOperation operation, DutyTurn? turn, out LockScope scope)
    {
        bool isContended = !_lock.TryEnter();
        _contention.Count(isContended);
        if (isContended && !WaitsForLock(operation, turn))
        {
            scope = default;
            return false;
        }

        scope = new LockScope(this, turn);
        return true;
    }

    /// <summary>
    /// Enters the lock and returns true if the thread that has it submits no more operations of others. Otherwise, leaves the operation to
    /// that thread.
    /// </summary>
    private bool WaitsForLock(IoOperation operation, DutyTurn? turn)
    {
        long began = turn is null ? 0 : Stopwatch.GetTimestamp();
        bool waits = _pending.IsClosed;
        if (waits)
        {
            _lock.Enter();
        }
        else
        {
            _pending.Add(operation);
            if (_lock.TryEnter())
            {
                Release(null);
            }
        }

        turn?.NoteSubmission(began);
        return waits;
    }

    /// <summary>Queues the operations of threads that found the lock taken. Returns false if there were none.</summary>
    public bool QueuePending()
    {
        IoOperation? next = _pending.TakeAll();
        if (next is null)
        {
            return false;
        }

        while (next is { } operation)
        {
            next = operation.Next;
            operation.Next = null;
            if (Refusal != 0 || operation.IsCancellationRequested)
            {
                CancelLater(operation);
            }
            else
            {
                QueueOrKeep(operation);
            }
        }

        EndIdle();
        return true;
    }

    /// <summary>Adds an operation to the submission queue. Returns false if there is no slot and it was added to the backlog.</summary>
    public bool QueueOrKeep(IoOperation operation)
    {
        if (TryQueue(operation))
        {
            return true;
        }

        Backlog.Add(operation);
        if (Refusal != 0)
        {
            Refuse(Refusal);
        }

        return false;
    }

    /// <summary>Makes sure that some thread waits for the operations in the ring.</summary>
    public void EndIdle() => _isThreadToWake |= duty.LeaveIdle();

    /// <summary>Lets the pool complete an operation that the kernel did not get as canceled, after the lock is released.</summary>
    public void CancelLater(IoOperation operation)
    {
        operation.Next = _cancelled;
        _cancelled = operation;
    }

    /// <summary>Cancels an operation in the ring, as far as the kernel can. Its own completion still follows.</summary>
    public void Cancel(IoOperation operation)
    {
        // The kernel finds only operations that it has accepted.
        SubmitQueued();
        if (operation.RingUserData is not 0 and var userData)
        {
            _ = ring.Cancel(userData);
        }
    }

    private bool TryQueue(IoOperation operation)
    {
        if (!Slots.HasRoomFor(operation))
        {
            return false;
        }

        ulong userData = Slots.NextUserData();
        if (!OperationEncoder.TryEncode(ring, operation, userData))
        {
            Submit();
            if (Refusal != 0 || !OperationEncoder.TryEncode(ring, operation, userData))
            {
                return false;
            }
        }

        Slots.Add(operation, userData);
        duty.Enter();
        return true;
    }

    /// <summary>
    /// Queues an entry that completes immediately and so ends a wait in the kernel, unless enough of them are in the ring or the ring is
    /// refused.
    /// </summary>
    public void TryQueueWakeUp()
    {
        if (Refusal == 0 && WakeUps < Tuning.MaxWakeUps && OperationEncoder.TryEncodeNop(ring, WakeUpUserData))
        {
            WakeUps++;
        }
    }

    /// <summary>Queues operations of the backlog for which there are slots.</summary>
    public void QueueBacklog()
    {
        while (Backlog.NextFor(Slots) is { } operation)
        {
            if (!operation.IsCancellationRequested && !TryQueue(operation))
            {
                return;
            }

            _ = Backlog.TryRemove(operation);
            if (operation.IsCancellationRequested && operation.RingUserData == 0)
            {
                CancelLater(operation);
            }
        }
    }

    /// <summary>Submits the entries that are queued, if there are any.</summary>
    public void SubmitQueued()
    {
        if (ring.Pending > 0)
        {
            Submit();
        }
    }

    /// <summary>
    /// Submits all entries, unless the ring is refused. The ring becomes refused if the kernel does not accept all of them, for example for
    /// lack of memory.
    /// </summary>
    public void Submit()
    {
        if (Refusal != 0)
        {
            return;
        }

        FuseThreads.NoteSubmission();
        int result = ring.Submit();
        if (result < 0 || ring.Pending > 0)
        {
            Refuse(result < 0 ? result : -Errno.EAGAIN);
        }
    }

    /// <summary>Ends a submission of published entries that was made without the lock.</summary>
    public void EndEntering(int result)
    {
        Entering--;
        if (Refusal != 0)
        {
            Refuse(Refusal);
        }
        else if (result is < 0 and not (-Errno.ETIME or -Errno.EINTR))
        {
            Refuse(result);
        }
    }

    /// <summary>
    /// Ends the use of the ring. Operations that the kernel has not accepted are completed as canceled by the pool, and then repeated there.
    /// The completion thread takes the completions of the others, without entering the kernel.
    /// </summary>
    public void Refuse(int errno)
    {
        if (Refusal == 0)
        {
            Volatile.Write(ref _refusal, errno);
            duty.Refuse();
            _isRefusalToReport = true;
        }

        while (Backlog.First is { } waiting)
        {
            _ = Backlog.TryRemove(waiting);
            CancelLater(waiting);
        }

        if (Entering > 0)
        {
            // A thread is submitting. It calls this method when it returns from the kernel.
            return;
        }

        while (ring.TryTakeBackUnused(out ulong userData))
        {
            if (userData == WakeUpUserData)
            {
                WakeUps--;
                continue;
            }

            IoOperation operation = Slots.Empty(userData);
            Slots.Free(userData);
            duty.Exit();
            CancelLater(operation);
        }
    }

    /// <summary>Submits pending operations, releases the lock, and does the work that must not be done under the lock.</summary>
    private void Release(DutyTurn? turn)
    {
        long began = turn is null || _pending.IsEmpty ? 0 : Stopwatch.GetTimestamp();
        if (QueuePending())
        {
            Submit();
        }

        if (began != 0)
        {
            turn!.NoteSubmission(began);
        }

        IoOperation? cancelled = _cancelled;
        int refusal = _isRefusalToReport ? Refusal : 0;
        bool wakes = _isThreadToWake;
        _cancelled = null;
        _isRefusalToReport = false;
        _isThreadToWake = false;
        _lock.Exit();

        // A full fence: a thread that adds an operation from now on finds the lock free; an operation that was added before is found here.
        Interlocked.MemoryBarrier();
        if (!_pending.IsEmpty && _lock.TryEnter())
        {
            Release(turn);
        }

        if (wakes)
        {
            completionThread.Wake();
        }

        if (refusal != 0)
        {
            SluiceEngines.RefuseEntering(refusal);
        }

        IoOperation.QueueCancelled(cancelled);
    }

    /// <summary>Has the submission lock.</summary>
    public readonly ref struct LockScope(RingEntries entries, DutyTurn? turn)
    {
        private readonly RingEntries _entries = entries;
        private readonly DutyTurn? _turn = turn;

        public void Dispose() => _entries.Release(_turn);
    }
}
