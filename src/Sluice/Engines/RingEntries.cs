using System.Diagnostics;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// What goes into a ring: operations with their slots, the backlog of those that find no room, requests to cancel, wakers. Also the
/// refusal after which nothing goes in any more.
/// </summary>
/// <remarks>All of it is for who has <see cref="Hold"/>, the submission lock, unless a member says something else.</remarks>
internal sealed class RingEntries(Ring ring, CompletionDuty duty, CompletionThread watcher)
{
    /// <summary>User data of entries that are no operations, requests to cancel and wakers: no slot has this low half.</summary>
    public const ulong ExtraUserData = 0x7FFF_FFFF_FFFF_FFFF;

    private readonly Lock _gate = new();
    private readonly SubmissionStage _stage = new();
    private int _refusal;
    private bool _isRefusalToTell;
    private bool _isWatcherToWake;

    /// <summary>What is to be completed as cancelled by the pool, linked by Next: queued there when the lock is free again.</summary>
    private IoOperation? _cancelled;

    private readonly CancelRequests _cancels = new();
    private SubmissionContention _contention;
    private StarvedLooks _starvedLooks;
    private int _lastPassing;

    public SlotTable Slots { get; } = new((int)ring.CqEntries - Tuning.MaxExtras);

    public Backlog Backlog { get; } = new();

    /// <summary>Requests to cancel and wakers in the ring.</summary>
    public int Extras { get; set; }

    /// <summary>Threads that show entries to the kernel without the lock.</summary>
    public int Entering { get; set; }

    /// <summary>The kernel had no memory: what is queued must be tried again. May be read without the lock.</summary>
    public bool IsStarved { get; private set; }

    /// <summary>The negative errno with which the kernel has refused to be entered; 0 while not. May be read without the lock.</summary>
    public int Refusal => Volatile.Read(ref _refusal);

    /// <summary>
    /// The submission lock, until what this gives is disposed of. Nothing that may wait for memory, for others' locks but that of
    /// <see cref="CompletionDuty"/>, or for the pool is done under it: that follows when it is free.
    /// </summary>
    public Held Hold()
    {
        _gate.Enter();
        return new Held(this, null);
    }

    /// <summary>
    /// The submission lock, for who brings an operation; or false, and whoever has the lock puts the operation in: it may be another one's
    /// afterwards.
    /// </summary>
    /// <param name="operation">What is brought.</param>
    /// <param name="turn">
    /// The turn that it is brought in: what is waited for, or done for others, until the lock is given back is not the continuation's time.
    /// </param>
    /// <param name="held">The lock.</param>
    public bool TryHold(IoOperation operation, DutyTurn? turn, out Held held)
    {
        bool isTaken = !_gate.TryEnter();
        _contention.Look(isTaken);
        if (isTaken && !HoldsAfterOthers(operation, turn))
        {
            held = default;
            return false;
        }

        held = new Held(this, turn);
        return true;
    }

    /// <summary>The lock is another thread's: leaves the operation to it, or waits for the lock where no more may be left: true.</summary>
    private bool HoldsAfterOthers(IoOperation operation, DutyTurn? turn)
    {
        long began = turn is null ? 0 : Stopwatch.GetTimestamp();
        bool waits = _stage.IsClosed;
        if (waits)
        {
            _gate.Enter();
        }
        else
        {
            _stage.Add(operation);
            if (_gate.TryEnter())
            {
                Release(null);
            }
        }

        turn?.NoteSubmission(began);
        return waits;
    }

    /// <summary>Queues what others have left for whoever has the lock; false where there was nothing.</summary>
    public bool QueueStaged()
    {
        IoOperation? next = _stage.TakeAll();
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
                CancelSoon(operation);
            }
            else
            {
                QueueOrKeep(operation);
            }
        }

        LeaveIdle();
        return true;
    }

    /// <summary>Into the ring, or into the backlog where that is full: false.</summary>
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

    /// <summary>Somebody must wait for what is in the ring.</summary>
    public void LeaveIdle() => _isWatcherToWake |= duty.LeaveIdle();

    /// <summary>Completes on the pool what never went in.</summary>
    public void CancelSoon(IoOperation operation)
    {
        operation.Next = _cancelled;
        _cancelled = operation;
    }

    /// <summary>Asks for an operation in the ring to be cancelled.</summary>
    public void Cancel(ulong target)
    {
        _cancels.Add(target);
        QueueCancels();
        Enter();
    }

    private bool TryQueue(IoOperation operation)
    {
        if (!Slots.HasRoomFor(operation))
        {
            return false;
        }

        // Before it is encoded: a leader may show it to the kernel at once.
        operation.NoteTaken();
        ulong userData = Slots.NextUserData();
        if (!OperationEncoder.TryEncode(ring, operation, userData))
        {
            Enter();
            if (Refusal != 0 || !OperationEncoder.TryEncode(ring, operation, userData))
            {
                return false;
            }
        }

        Slots.Add(operation, userData);
        duty.Enter();
        return true;
    }

    /// <summary>Queues the requests to cancel that there is room for; the others follow when completions have been taken.</summary>
    public void QueueCancels()
    {
        while (Extras < Tuning.MaxExtras && _cancels.TryQueue(ring))
        {
            Extras++;
        }
    }

    /// <summary>An entry that completes at once and so ends a wait in the kernel; needless where others are about to complete.</summary>
    public void TryQueueWaker()
    {
        if (Refusal == 0 && Extras < Tuning.MaxExtras && OperationEncoder.TryEncodeNop(ring, ExtraUserData))
        {
            Extras++;
        }
    }

    /// <summary>Moves the backlog up, as far as there are slots.</summary>
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
                CancelSoon(operation);
            }
        }
    }

    public void Enter()
    {
        if (Refusal != 0)
        {
            return;
        }

        FuseThreads.NoteSubmission();
        AfterEnter(ring.Submit());
        if (_cancels.AreQueued && Refusal == 0 && !IsStarved)
        {
            // Those that found the queue full: what they are about may be all that is in flight, and nothing else comes to make room.
            QueueCancels();
            if (ring.Pending > 0)
            {
                AfterEnter(ring.Submit());
            }
        }
    }

    /// <summary>Hands over again what the kernel had no memory for; to take nothing of it so often is a refusal (0001).</summary>
    public void TryStarvedAgain()
    {
        QueueCancels();
        QueueBacklog();
        Enter();
        if (IsStarved && Refusal == 0 && _starvedLooks.AreOver(ring.Consumed))
        {
            Refuse(_lastPassing);
        }
    }

    /// <summary>Hands over what is queued. To be called without the lock.</summary>
    public void HandOver()
    {
        using (Hold())
        {
            if (ring.Pending > 0)
            {
                Enter();
            }
        }
    }

    /// <summary>A thread that has shown entries to the kernel without the lock is back, with what the kernel said.</summary>
    public void EndEntering(int result)
    {
        Entering--;
        if (Refusal != 0)
        {
            Refuse(Refusal);
        }
        else if (result is < 0 and not (-Errno.ETIME or -Errno.EINTR))
        {
            AfterEnter(result);
        }
    }

    private void AfterEnter(int result)
    {
        if (result < 0 && !Ring.IsPassing(result))
        {
            Refuse(result);
            return;
        }

        // No memory at this moment, or completions to be taken first: the entries stay queued, and whoever waits tries again. The kernel
        // may also have run out of memory behind the first entries: their count then hides the refusal.
        // What then found no room though there are slots is tried again too: perhaps nothing completes that would move it up.
        IsStarved = ring.Pending > 0 || Backlog.NextFor(Slots) is not null;
        _lastPassing = result < 0 ? result : -Errno.EAGAIN;
    }

    /// <summary>
    /// The kernel will not be entered any more. What it has not taken is tried again, by the pool; what it has will complete, and the
    /// completion thread sees that without entering.
    /// </summary>
    public void Refuse(int errno)
    {
        if (Refusal == 0)
        {
            Volatile.Write(ref _refusal, errno);
            duty.Refuse();
            _isRefusalToTell = true;
        }

        _cancels.Clear();
        while (Backlog.First is { } waiting)
        {
            _ = Backlog.TryRemove(waiting);
            CancelSoon(waiting);
        }

        if (Entering > 0)
        {
            // A leader is showing entries to the kernel at this moment: it does the rest when it is back.
            return;
        }

        while (ring.TryTakeBackUnused(out ulong userData))
        {
            if (userData == ExtraUserData)
            {
                Extras--;
                continue;
            }

            IoOperation operation = Slots.Empty(userData);
            Slots.Free(userData);
            duty.Exit();
            CancelSoon(operation);
        }

        // Requests to cancel have not come through, but a refusal to enter need not be one to register.
        Slots.CancelRequested(ring);
    }

    /// <summary>Gives the lock back, and does what was left for that time.</summary>
    private void Release(DutyTurn? turn)
    {
        long began = turn is null || _stage.IsEmpty ? 0 : Stopwatch.GetTimestamp();
        if (QueueStaged())
        {
            Enter();
        }

        if (began != 0)
        {
            turn!.NoteSubmission(began);
        }

        IoOperation? cancelled = _cancelled;
        int refusal = _isRefusalToTell ? Refusal : 0;
        bool wakes = _isWatcherToWake;
        _cancelled = null;
        _isRefusalToTell = false;
        _isWatcherToWake = false;
        _gate.Exit();

        // Full fence: who adds something from here on finds the lock free; who has added it before is seen.
        Interlocked.MemoryBarrier();
        if (!_stage.IsEmpty && _gate.TryEnter())
        {
            // First, since what follows may take a while. So often only as others did not yet wait for the lock.
            Release(turn);
        }

        if (wakes)
        {
            watcher.Wake();
        }

        if (refusal != 0)
        {
            SluiceEngines.RefuseEntering(refusal);
        }

        IoOperation.QueueCancelled(cancelled);
    }

    /// <summary>Has the submission lock.</summary>
    public readonly ref struct Held(RingEntries entries, DutyTurn? turn)
    {
        private readonly RingEntries _entries = entries;
        private readonly DutyTurn? _turn = turn;

        public void Dispose() => _entries.Release(_turn);
    }
}
