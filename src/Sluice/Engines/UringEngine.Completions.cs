using System.Collections.Concurrent;
using System.Diagnostics;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// What the threads of a ring do: those of the pool, which run callers' continuations and may wait in the ring between them, and the
/// completion thread. <see cref="CompletionDuty"/> says what comes next; here it is done.
/// </summary>
internal sealed partial class UringEngine : IThreadPoolWorkItem
{
    /// <summary>The turn that this thread is on: submissions from inside a continuation find it here.</summary>
    [ThreadStatic]
    private static DutyTurn? t_turn;

    private readonly ConcurrentQueue<IoOperation> _completed = new();
    private CompletionDuty.Taker<IoUringCqe> _take = null!;
    private CacheLinePadded _executing;
    private CacheLinePadded _passes;

    /// <summary>Something has completed and waits for a thread to run it.</summary>
    public bool HasCompleted => !_completed.IsEmpty;

    /// <summary>Whether the pool has work that is not this engine's own.</summary>
    private bool IsPoolWanted => ThreadPool.PendingWorkItemCount > _duty.Asked;

    /// <summary>
    /// Whether a call that is queued now soon has a thread: operations are few, and so is the pool's work. What has completed is passed
    /// by so few times only. Else the ring: there an operation is on its way whether or not the pool has threads, and many share a wait.
    /// </summary>
    private bool HasPoolThreads =>
        _duty.InFlight + _completed.Count < Tuning.CallsPerProcessor * Environment.ProcessorCount
            && ThreadPool.PendingWorkItemCount < Environment.ProcessorCount
            && (_completed.IsEmpty || Interlocked.Increment(ref _passes.Value) <= Environment.ProcessorCount);

    /// <summary>Has a plain call that was made for this engine go on, with the caller's continuation, and books what that takes.</summary>
    /// <returns><see cref="IoOperation.GoesOnAfter"/></returns>
    public bool GoesOnAfterCall(IoOperation operation, int result)
    {
        DutyTurn turn = t_turn ??= new DutyTurn();
        turn.Begin(this);
        turn.BeginRun();
        try
        {
            return operation.GoesOnAfter(result);
        }
        finally
        {
            turn.Engine = null;
            _duty.Measure(turn.EndRun());
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Increment(ref _executing.Value);
        DutyTurn turn = t_turn ??= new DutyTurn();
        turn.Begin(this);
        try
        {
            ExecutionContext? context = ExecutionContext.Capture();
            IoOperation? picked = null;
            Volatile.Write(ref _passes.Value, 0);
            DutyStep step = _duty.Begin(turn);
            while (step != DutyStep.Leave)
            {
                step = step switch
                {
                    DutyStep.Pick => _duty.Picked(turn, _completed.TryDequeue(out picked), !_completed.IsEmpty),
                    DutyStep.AskHelp => AskHelp(turn),
                    DutyStep.Run => Run(turn, picked!, context),
                    DutyStep.Consider => _duty.Considered(turn, IsPoolWanted, Environment.TickCount64),
                    DutyStep.Summon => Summon(turn),
                    DutyStep.Take => TakeAsLeader(turn),
                    DutyStep.RunAlone => RunAlone() ? _duty.RanAlone(turn, true, false) : _duty.RanAlone(turn, false, IsPoolWanted),
                    DutyStep.Wait => CompletionDuty.Waited(turn, Wait(turn)),
                    DutyStep.Retire => Retire(turn),
                    _ => throw new UnreachableException(),
                };
            }
        }
        finally
        {
            turn.Engine = null;
            if (turn.HasLed)
            {
                Flush(turn);
            }

            Interlocked.Decrement(ref _executing.Value);
        }
    }

    private DutyStep AskHelp(DutyTurn turn)
    {
        QueueDuty();
        turn.Pause();
        return CompletionDuty.HelpAsked(turn);
    }

    /// <summary>Has the pool run what is queued.</summary>
    public void QueueDuty() => PoolWork.Queue(this);

    /// <summary>Ends one operation and runs its continuation; only what the caller's code takes is measured.</summary>
    private DutyStep Run(DutyTurn turn, IoOperation operation, ExecutionContext? context)
    {
        turn.BeginRun();
        ThreadPoolEngine.Complete(operation, operation.RingResult);
        _duty.Measure(turn.EndRun());
        // What one caller's continuation leaves on the thread is not the next one's, as between work items of the pool.
        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }

        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }

        bool more = !_completed.IsEmpty;

        // While more continuations wait their turn, much that was gathered, or a quarter of what is in flight, is handed over now: a
        // device with little to do must not wait for the end of the batch.
        if (more && _entries.Refusal == 0 && _ring.Pending is var pending && pending > 0
            && (pending >= Tuning.MaxGathered || pending * Tuning.GatheredPartOfInFlight >= _duty.InFlight))
        {
            Flush(turn);
            turn.Pause();
        }

        return _duty.Ran(turn, more, (_duty.AreContinuationsLong || !_duty.Leads(turn)) && IsPoolWanted);
    }

    /// <summary>The completion thread must watch from now on: out of its sleep, and out of its wait in the kernel.</summary>
    private DutyStep Summon(DutyTurn turn)
    {
        _watcher.Wake();
        using (_entries.Hold())
        {
            _entries.TryQueueWaker();
            _entries.Enter();
        }

        return _duty.Summoned(turn);
    }

    private DutyStep TakeAsLeader(DutyTurn turn)
    {
        int count = Take(turn.Role, turn);
        turn.Pause();
        return CompletionDuty.Taken(turn, count, HasCompleted, count > 0 && IsPoolWanted);
    }

    /// <summary>Takes what is ready and queues it; <see cref="CompletionDuty.Lost"/> when the role has gone to somebody else.</summary>
    public int Take(int role, DutyTurn? turn)
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[Tuning.CompletionsAtOnce];
        int count = _duty.Take(role, cqes, _take);
        if (count <= 0)
        {
            return count;
        }

        cqes = cqes[..count];
        foreach (ref readonly IoUringCqe cqe in cqes)
        {
            if (cqe.UserData != RingEntries.ExtraUserData)
            {
                IoOperation operation = _entries.Slots.Empty(cqe.UserData);
                operation.TakeRingResult(cqe.Res);
                operation.MakeWay();
                _duty.Exit();
                _completed.Enqueue(operation);
            }
        }

        using (_entries.Hold())
        {
            foreach (ref readonly IoUringCqe cqe in cqes)
            {
                if (cqe.UserData == RingEntries.ExtraUserData)
                {
                    _entries.Extras--;
                }
                else
                {
                    _entries.Slots.Free(cqe.UserData);
                }
            }

            _entries.QueueBacklog();
            _entries.QueueCancels();
            if (_ring.Pending > 0 && (turn is null || !_duty.Gathers(turn, _entries.Entering > 0)))
            {
                _entries.Enter();
            }
        }

        return count;
    }

    /// <summary>
    /// With one gathered transfer of a file and nothing else in flight, the plain system call is the shortest way: this thread would
    /// only wait for the ring. False when there is more, or something that cannot be left to a blocking call.
    /// </summary>
    private bool RunAlone()
    {
        IoOperation operation;
        using (_entries.Hold())
        {
            if (_duty.InFlight != 1 || _entries.Backlog.First is not null || _entries.IsStarved || _entries.Refusal != 0
                || _ring.Pending != 1 || _entries.Slots.Newest is not { IsPlainTransfer: true } last
                || !_ring.TryTakeBack(last.RingUserData))
            {
                return false;
            }

            ulong userData = last.RingUserData;
            operation = _entries.Slots.Empty(userData);
            _entries.Slots.Free(userData);
            _duty.Exit();
        }

        operation.TakeRingResult(LinuxTransfer.Run(operation));
        operation.MakeWay();
        _completed.Enqueue(operation);
        return true;
    }

    /// <summary>Submits what was gathered and waits; false when nothing completed in time.</summary>
    private bool Wait(DutyTurn turn)
    {
        // From here on: who waits for the lock waits for others' calls of the kernel, and no continuation is stuck.
        _duty.EnterKernel(turn);
        uint pending;
        using (_entries.Hold())
        {
            if (_entries.Refusal != 0)
            {
                _duty.LeaveKernel(turn);
                return false;
            }

            _ = _entries.QueueStaged();
            pending = _ring.Publish();
            _entries.Entering++;
        }

        FuseThreads.NoteSubmission();

        // Others may submit the same entries meanwhile: the kernel then finds fewer, and returns at once.
        int result = _ring.EnterPublished(pending, 1, Tuning.LeaderWaitMs);
        _duty.LeaveKernel(turn);
        using (_entries.Hold())
        {
            _entries.EndEntering(result);
        }

        // Where the kernel has no memory, the completion thread tries again, once in a while.
        return _ring.CqReady > 0 || (result is not -Errno.ETIME && pending > 0 && !Ring.IsPassing(result));
    }

    private DutyStep Retire(DutyTurn turn)
    {
        turn.Pause();
        Flush(turn);
        bool wake;
        using (_entries.Hold())
        {
            wake = _duty.StepDown(turn, _entries.Backlog.First is null);

            // What others have gathered since.
            if (_ring.Pending > 0)
            {
                _entries.Enter();
            }
        }

        if (wake)
        {
            _watcher.Wake();
        }

        return CompletionDuty.Retired(turn, HasCompleted);
    }

    private void Flush(DutyTurn turn)
    {
        if (_entries.Refusal != 0)
        {
            return;
        }

        // Handing over may take long (a read that misses starts its device access in it), and is no caller's code that blocks.
        bool leads = _duty.Leads(turn);
        if (leads)
        {
            _duty.EnterKernel(turn);
        }

        _entries.HandOver();
        if (leads)
        {
            _duty.LeaveKernel(turn);
        }
    }

    /// <summary>Hands over what a leader has gathered who has lost the role.</summary>
    public void TakeOver() => _entries.HandOver();

    /// <summary>The completion thread's last step.</summary>
    public void Close()
    {
        // Whoever comes after the refusal does not touch the ring; those that came before it are waited for.
        while (Volatile.Read(ref _executing.Value) > 0)
        {
            Thread.Sleep(Tuning.RefusedLookMs);
        }

        using (_entries.Hold())
        {
            try
            {
                _ring.Dispose();
            }
            catch (InvalidOperationException)
            {
                // The kernel says that something is in flight and lets nobody wait for it: the ring stays, as do its descriptor and memory.
            }
        }
    }

    /// <summary>Waits in the kernel; EINTR and the like only lead to another look.</summary>
    public void WaitForCompletion()
    {
        if (_entries.Refusal != 0)
        {
            Thread.Sleep(Tuning.RefusedLookMs);
            return;
        }

        int result = _ring.Wait(1, _entries.IsStarved ? Tuning.StarvedRetryMs : Tuning.LookAgainMs);
        bool isRefusal = result < 0 && result is not (-Errno.ETIME or -Errno.EINTR) && !Ring.IsPassing(result);
        bool mayIdle = result == -Errno.ETIME && _duty.InFlight == 0;
        if (Ring.IsPassing(result) && _ring.CqReady == 0)
        {
            // It has not waited, and there is nothing to take that others wait for.
            Thread.Sleep(Tuning.StarvedRetryMs);
        }

        if (!isRefusal && !mayIdle && !_entries.IsStarved)
        {
            return;
        }

        using (_entries.Hold())
        {
            if (isRefusal)
            {
                _entries.Refuse(result);
                return;
            }

            if (mayIdle)
            {
                _duty.BecomeIdle(_entries.Backlog.First is null);
            }

            if (_entries.IsStarved)
            {
                _entries.TryStarvedAgain();
            }
        }
    }
}
