using System.Collections.Concurrent;
using System.Diagnostics;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// The work item that runs callers' continuations on the pool, many in a row, and then, as the leader, submits what they have
/// gathered, waits for the next completions in the same system call, and goes on with those: no hop between threads while I/O flows.
/// </summary>
/// <remarks>
/// A continuation is a caller's code and may compute or block. A leader therefore steps down when continuations have lately been long
/// (<see cref="_cost"/>), as soon as the pool has other work waiting, when nothing is in flight, and when nothing completes for a
/// millisecond. One that is stuck in a continuation loses the role to the completion thread (<see cref="StandBy"/>). Whoever runs
/// continuations without being watched like that asks for help before each, while others wait behind it: nothing that has completed is
/// without a thread that will run it.
/// </remarks>
internal sealed partial class UringEngine : IThreadPoolWorkItem
{
    private const int LeaderWaitMs = 1;

    /// <summary>So many gathered entries go in before the batch has ended: the device must not wait for it.</summary>
    private const int MaxGathered = 8;

    /// <summary>Above this the hop to another thread costs less than others' waiting does: a hop takes 5 to 10 us.</summary>
    private static readonly long LongCost = Stopwatch.Frequency / 100_000;

    /// <summary>The engine that this thread leads, and as whom.</summary>
    [ThreadStatic]
    private static UringEngine? t_leading;

    [ThreadStatic]
    private static int t_role;

    /// <summary>The engine whose continuations this thread runs, as a leader or beside one.</summary>
    [ThreadStatic]
    private static UringEngine? t_draining;

    /// <summary>How long this thread has been busy submitting since its <see cref="Drain"/> began: not the continuations' own
    /// time.</summary>
    [ThreadStatic]
    private static long t_submittingTicks;

    private readonly ConcurrentQueue<IoOperation> _continuations = new();
    private int _drainScheduled;
    private int _executing;
    private int _entering;
    private int _lastLeader;
    private int _beat;
    private bool _leaderInKernel;

    /// <summary>
    /// What continuations have lately cost, in ticks: an eighth of a long one at once, forgotten within a few hundred short ones. Races
    /// between threads lose a sample, nothing else.
    /// </summary>
    private long _cost;

    /// <summary>
    /// Whether this thread gathers what it submits, to hand it over together. Only while it holds the role, and only once the completion
    /// thread has begun to watch it, for that one submits what a continuation has gathered before it blocked on it. To be asked under the
    /// submission lock: who takes the role submits afterwards under that lock, so that nothing is gathered behind its back.
    /// </summary>
    private bool IsGathering => IsLeading && Volatile.Read(ref _watchedRole) == t_role;

    private bool IsLeading => t_leading == this && Volatile.Read(ref _role) == t_role;

    private bool AreContinuationsLong => Volatile.Read(ref _cost) > LongCost;

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Increment(ref _executing);
        try
        {
            // Full fence: whoever adds from here on either sees 0 and schedules, or added before we look.
            Interlocked.Exchange(ref _drainScheduled, 0);
            Drain();
            if (!TryLead(out int role))
            {
                return;
            }

            t_leading = this;
            t_role = role;
            try
            {
                Lead(role);
            }
            finally
            {
                t_leading = null;
                Flush();
            }
        }
        finally
        {
            Interlocked.Decrement(ref _executing);
        }
    }

    /// <summary>Sees to it that a pool thread runs what is queued.</summary>
    private void ScheduleDrain()
    {
        if (!_continuations.IsEmpty && Interlocked.Exchange(ref _drainScheduled, 1) == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Whether the pool has work that is not this engine's own.</summary>
    private bool IsPoolWanted => ThreadPool.PendingWorkItemCount > Volatile.Read(ref _drainScheduled);

    /// <summary>Ends what has completed and runs its continuations, until the queue is empty.</summary>
    private void Drain()
    {
        if (!_continuations.TryDequeue(out IoOperation? operation))
        {
            return;
        }

        ExecutionContext? clean = ExecutionContext.Capture();
        t_draining = this;
        t_submittingTicks = 0;
        long begin = Stopwatch.GetTimestamp();
        do
        {
            if (!_continuations.IsEmpty && (!IsLeading || AreContinuationsLong))
            {
                ScheduleDrain();
            }

            ThreadPoolEngine.Complete(operation, operation.RingResult);
            _beat++;
            FlushEarly();

            // Only what the callers' code takes: submitting is the engine's own work.
            long now = Stopwatch.GetTimestamp();
            Measure(now - begin - t_submittingTicks);
            begin = now;
            t_submittingTicks = 0;

            // As the pool does between two work items: what one continuation set, the next must not see.
            if (SynchronizationContext.Current is not null)
            {
                SynchronizationContext.SetSynchronizationContext(null);
            }

            if (clean is not null && ExecutionContext.Capture() != clean)
            {
                ExecutionContext.Restore(clean);
            }
        }
        while (_continuations.TryDequeue(out operation));

        t_draining = null;
    }

    /// <summary>Books the time of one continuation; one that was interrupted by others counts for little more than a long one.</summary>
    private void Measure(long ticks)
    {
        long cost = _cost;
        _cost = ticks > cost ? cost + ((Math.Min(ticks, LongCost * 8) - cost) >> 3) : cost - (cost >> 7);
    }

    private bool TryLead(out int role)
    {
        role = RoleCompletionThread;
        if (Volatile.Read(ref _inFlight) == 0 || AreContinuationsLong || Volatile.Read(ref _refusal) != 0 || IsPoolWanted)
        {
            return false;
        }

        if (!_penalty.IsOver(Environment.TickCount64))
        {
            return false;
        }

        lock (_reapLock)
        {
            if (_role > RoleCompletionThread)
            {
                return false;
            }

            _lastLeader = _lastLeader == int.MaxValue ? 1 : _lastLeader + 1;
            role = _lastLeader;
            _role = role;
        }

        // The completion thread must watch from now on: out of its sleep, and out of its wait in the kernel.
        WakeCompletionThread();
        lock (_submitLock)
        {
            TryQueueWakerLocked();
            EnterLocked();
        }

        return true;
    }

    private void Lead(int role)
    {
        while (true)
        {
            int count = Reap(role);
            if (count < 0)
            {
                return;
            }

            if (count > 0 || RunAlone())
            {
                Drain();
                continue;
            }

            bool isDone = Volatile.Read(ref _inFlight) == 0 || Volatile.Read(ref _refusal) != 0 || AreContinuationsLong;
            if (isDone || IsPoolWanted || !WaitAsLeader())
            {
                StepDown(role);
                return;
            }
        }
    }

    /// <summary>
    /// With one gathered transfer of a file and nothing else in flight, the plain system call is the shortest way: this thread would
    /// only wait for the ring. False when there is more, or something that cannot be left to a blocking call.
    /// </summary>
    private bool RunAlone()
    {
        IoOperation operation;
        int slot;
        lock (_submitLock)
        {
            if (_inFlight != 1 || _backlogFirst is not null || _starved || _refusal != 0 || _ring.Pending != 1)
            {
                return false;
            }

            slot = _freeSlots[_freeCount];
            if (_slots[slot] is not { } last || !last.IsPlainTransfer || !_ring.TryTakeBack())
            {
                return false;
            }

            operation = last;
            operation.RingUserData = 0;
            _slots[slot] = null;
            _freeCount++;
            Interlocked.Decrement(ref _inFlight);
        }

        // Not a wait in the ring: should it last, the completion thread takes the role for the operations of other threads.
        operation.RingResult = LinuxTransfer.Run(operation);
        _beat++;
        _continuations.Enqueue(operation);
        return true;
    }

    /// <summary>Submits what was gathered and waits; false when nothing completed in time.</summary>
    private bool WaitAsLeader()
    {
        uint pending;
        lock (_submitLock)
        {
            if (_refusal != 0)
            {
                return false;
            }

            pending = _ring.Publish();
            _entering++;
        }

        // Others may submit the same entries meanwhile: the kernel then finds fewer, and returns at once.
        Volatile.Write(ref _leaderInKernel, true);
        int result = _ring.EnterPublished(pending, 1, LeaderWaitMs);
        Volatile.Write(ref _leaderInKernel, false);
        _beat++;
        lock (_submitLock)
        {
            _entering--;
            if (_refusal != 0)
            {
                RefuseLocked(_refusal);
            }
            else if (result is < 0 and not (-Errno.ETIME or -Errno.EINTR))
            {
                AfterEnterLocked(result);
            }
        }

        return _ring.CqReady > 0 || (result is not -Errno.ETIME && pending > 0);
    }

    private void StepDown(int role)
    {
        Flush();
        lock (_submitLock)
        {
            lock (_reapLock)
            {
                if (_role != role)
                {
                    return;
                }

                // Under the submission lock nothing can enter the ring unseen: idle means that the next submission wakes somebody.
                _role = _inFlight == 0 && _backlogFirst is null ? RoleIdle : RoleCompletionThread;
                if (_role == RoleIdle)
                {
                    return;
                }
            }
        }

        WakeCompletionThread();
    }

    /// <summary>
    /// Hands over what is gathered while more continuations wait their turn, when it is much in itself, or a quarter of what is in
    /// flight: a device with little to do must not wait for the end of the batch.
    /// </summary>
    private void FlushEarly()
    {
        if (!_continuations.IsEmpty && Volatile.Read(ref _refusal) == 0 && _ring.Pending is var pending && pending > 0
            && (pending >= MaxGathered || pending * 4 >= _inFlight))
        {
            Flush();
        }
    }

    private void Flush()
    {
        if (Volatile.Read(ref _refusal) != 0)
        {
            return;
        }

        long begin = Stopwatch.GetTimestamp();
        bool leads = IsGathering;
        if (leads)
        {
            // Handing over may take long (a read that misses starts its device access in it), and is no caller's code that blocks.
            Volatile.Write(ref _leaderInKernel, true);
        }

        lock (_submitLock)
        {
            if (_ring.Pending > 0)
            {
                EnterLocked();
            }
        }

        if (leads)
        {
            Volatile.Write(ref _leaderInKernel, false);
        }

        t_submittingTicks += Stopwatch.GetTimestamp() - begin;
    }
}
