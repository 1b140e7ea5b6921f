using System.Collections.Concurrent;
using System.Diagnostics;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Takes completions and runs continuations: the steps of the pool threads, which may wait in the kernel between continuations, and those of
/// the completion thread. <see cref="CompletionDuty"/> decides on their order.
/// </summary>
internal sealed partial class UringEngine : IThreadPoolWorkItem
{
    /// <summary>The turn of this thread, for submissions that its continuations make.</summary>
    [ThreadStatic]
    private static DutyTurn? t_turn;

    private readonly ConcurrentQueue<IoOperation> _completed = new();
    private CompletionDuty.Taker<IoUringCqe> _take = null!;
    private CacheLinePadded _executing;
    private CacheLinePadded _passes;

    /// <summary>True if completed operations are queued.</summary>
    public bool HasCompleted => !_completed.IsEmpty;

    /// <summary>True if the pool has work other than that of this engine.</summary>
    private bool IsPoolWanted => ThreadPool.PendingWorkItemCount > _duty.Asked;

    /// <summary>
    /// Returns true if a queued call will soon get a pool thread: few operations are in flight, and the pool has little work. A call may
    /// get ahead of queued completed operations only a limited number of times. Otherwise, an operation uses the ring, which needs no pool
    /// thread.
    /// </summary>
    private bool HasPoolThreads =>
        _duty.InFlight + _completed.Count < Tuning.CallsPerProcessor * Environment.ProcessorCount
            && ThreadPool.PendingWorkItemCount < Environment.ProcessorCount
            && (_completed.IsEmpty || Interlocked.Increment(ref _passes.Value) <= Environment.ProcessorCount);

    /// <summary>
    /// Completes a submission like <see cref="IoOperation.GoesOnAfter"/>, after a blocking call in place of the ring, and measures the
    /// continuation.
    /// </summary>
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

    /// <summary>Queues a work item that runs the queued continuations.</summary>
    public void QueueDuty() => PoolWork.Queue(this);

    /// <summary>Completes an operation, runs its continuation, and measures the duration of the continuation.</summary>
    private DutyStep Run(DutyTurn turn, IoOperation operation, ExecutionContext? context)
    {
        turn.BeginRun();
        ThreadPoolEngine.Complete(operation, operation.RingResult);
        _duty.Measure(turn.EndRun());

        // A continuation may have changed the contexts of the thread. The pool resets them only between work items.
        if (context is not null)
        {
            ExecutionContext.Restore(context);
        }

        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }

        bool more = !_completed.IsEmpty;

        // Within a batch, entries are submitted when there are many, or a quarter of the operations in flight, so that the device does not
        // wait for the end of the batch.
        if (more && _entries.Refusal == 0 && _ring.Pending is var pending && pending > 0
            && (pending >= Tuning.MaxGathered || pending * Tuning.GatheredPartOfInFlight >= _duty.InFlight))
        {
            Flush(turn);
            turn.Pause();
        }

        return _duty.Ran(turn, more, (_duty.AreContinuationsLong || !_duty.Leads(turn)) && IsPoolWanted);
    }

    /// <summary>Ends the sleep of the completion thread, or its wait in the kernel: from now on it checks on this leader.</summary>
    private DutyStep Summon(DutyTurn turn)
    {
        _completionThread.Wake();
        using (_entries.EnterLock())
        {
            _entries.TryQueueWakeUp();
            _entries.Submit();
        }

        return _duty.Summoned(turn);
    }

    private DutyStep TakeAsLeader(DutyTurn turn)
    {
        int count = Take(turn.Role, turn);
        turn.Pause();
        return CompletionDuty.Taken(turn, count, HasCompleted, count > 0 && IsPoolWanted);
    }

    /// <summary>
    /// Takes completions and queues their operations. Returns their number, or <see cref="CompletionDuty.Lost"/> if another thread has the
    /// role.
    /// </summary>
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
            if (cqe.UserData != RingEntries.WakeUpUserData)
            {
                IoOperation operation = _entries.Slots.Empty(cqe.UserData);
                operation.RingResult = cqe.Res;
                operation.LeaveGate();
                _duty.Exit();
                _completed.Enqueue(operation);
            }
        }

        using (_entries.EnterLock())
        {
            foreach (ref readonly IoUringCqe cqe in cqes)
            {
                if (cqe.UserData == RingEntries.WakeUpUserData)
                {
                    _entries.WakeUps--;
                }
                else
                {
                    _entries.Slots.Free(cqe.UserData);
                }
            }

            _entries.QueueBacklog();
            if (turn is null || !_duty.Gathers(turn, _entries.Entering > 0))
            {
                _entries.SubmitQueued();
            }
        }

        return count;
    }

    /// <summary>
    /// Performs a gathered direct transfer with a system call if nothing else is in flight, since this thread would wait for it anyway.
    /// Returns false if it made no call.
    /// </summary>
    private bool RunAlone()
    {
        IoOperation operation;
        using (_entries.EnterLock())
        {
            if (_duty.InFlight != 1 || _entries.Backlog.First is not null || _entries.Refusal != 0
                || _ring.Pending != 1 || _entries.Slots.Newest is not { IsDirectTransfer: true } last
                || !_ring.TryTakeBack(last.RingUserData))
            {
                return false;
            }

            ulong userData = last.RingUserData;
            operation = _entries.Slots.Empty(userData);
            _entries.Slots.Free(userData);
            _duty.Exit();
        }

        operation.RingResult = LinuxTransfer.Run(operation);
        operation.LeaveGate();
        _completed.Enqueue(operation);
        return true;
    }

    /// <summary>
    /// Submits the gathered entries and waits. Returns true if a completion is ready, or if entries were submitted and the wait did not
    /// time out.
    /// </summary>
    private bool Wait(DutyTurn turn)
    {
        // EnterKernel precedes the lock: a thread that waits for the lock waits for system calls of other threads, and is not blocked in a
        // continuation.
        _duty.EnterKernel(turn);
        uint pending;
        using (_entries.EnterLock())
        {
            if (_entries.Refusal != 0)
            {
                _duty.LeaveKernel(turn);
                return false;
            }

            _ = _entries.QueuePending();
            pending = _ring.Publish();
            _entries.Entering++;
        }

        FuseThreads.NoteSubmission();

        // If other threads submit the same entries meanwhile, the kernel finds fewer, and returns immediately.
        int result = _ring.EnterPublished(pending, 1, Tuning.LeaderWaitMs);
        _duty.LeaveKernel(turn);
        using (_entries.EnterLock())
        {
            _entries.EndEntering(result);
        }

        return _ring.CqReady > 0 || (pending > 0 && result != -Errno.ETIME);
    }

    private DutyStep Retire(DutyTurn turn)
    {
        turn.Pause();
        Flush(turn);
        bool wake;
        using (_entries.EnterLock())
        {
            wake = _duty.StepDown(turn, _entries.Backlog.First is null);

            // Submits entries that other threads have gathered since the flush.
            _entries.SubmitQueued();
        }

        if (wake)
        {
            _completionThread.Wake();
        }

        return CompletionDuty.Retired(turn, HasCompleted);
    }

    private void Flush(DutyTurn turn)
    {
        if (_entries.Refusal != 0)
        {
            return;
        }

        // Submitting can take long, because a read that misses the page cache starts its device access. It is not a blocked continuation.
        bool leads = _duty.Leads(turn);
        if (leads)
        {
            _duty.EnterKernel(turn);
        }

        SubmitGathered();
        if (leads)
        {
            _duty.LeaveKernel(turn);
        }
    }

    /// <summary>Submits the entries that a leader has gathered.</summary>
    public void SubmitGathered()
    {
        using (_entries.EnterLock())
        {
            _entries.SubmitQueued();
        }
    }

    /// <summary>Closes the ring after a refusal, when nothing is in flight. The last step of the completion thread.</summary>
    public void Close()
    {
        // Threads that began before the refusal may still access the ring.
        while (Volatile.Read(ref _executing.Value) > 0)
        {
            Thread.Sleep(Tuning.RefusedPollMs);
        }

        using (_entries.EnterLock())
        {
            try
            {
                _ring.Dispose();
            }
            catch (InvalidOperationException)
            {
                // The kernel reports operations in flight and refuses to wait for them, so the ring keeps its descriptor and memory.
            }
        }
    }

    /// <summary>
    /// Waits in the kernel until an operation completes or there is none for some time. Ends the use of the ring if the kernel refuses to
    /// wait.
    /// </summary>
    public void WaitForCompletion()
    {
        if (_entries.Refusal != 0)
        {
            Thread.Sleep(Tuning.RefusedPollMs);
            return;
        }

        int result = _ring.Wait(1, Tuning.IdleMs);
        if (result is >= 0 or -Errno.EINTR)
        {
            return;
        }

        using (_entries.EnterLock())
        {
            if (result == -Errno.ETIME)
            {
                _duty.BecomeIdle(_entries.Backlog.First is null);
            }
            else
            {
                _entries.Refuse(result);
            }
        }
    }
}
