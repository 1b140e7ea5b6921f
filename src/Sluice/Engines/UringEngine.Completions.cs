using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Taking completions, and the completion thread. Completions are taken by one thread at a time: by the completion thread
/// (<see cref="RoleCompletionThread"/>), by a leader from the pool (a positive number, its own), or by nobody while nothing is in
/// flight (<see cref="RoleIdle"/>). Whoever takes them only queues them: what follows a completion runs on the pool.
/// </summary>
internal sealed partial class UringEngine
{
    private const int RoleCompletionThread = 0;
    private const int RoleIdle = -1;
    private const int CompletionsAtOnce = 64;

    /// <summary>How often the completion thread looks whether a leader is stuck in a caller's continuation.</summary>
    private const int WatchMs = 2;

    /// <summary>How soon it tries again what the kernel had no memory for.</summary>
    private const int StarvedRetryMs = 1;

    /// <summary>It cannot be woken to do so where the kernel takes no entry: so it looks by itself, seldom.</summary>
    private const int LookAgainMs = 500;

    /// <summary>How often it looks for completions where it may not wait for them in the kernel.</summary>
    private const int RefusedLookMs = 1;

    private readonly Lock _reapLock = new();
    private readonly object _standby = new();
    private int _role = RoleCompletionThread;
    private int _watchedRole;
    private LeaderPenalty _penalty;

    private void CompletionLoop()
    {
        while (!HasEnded())
        {
            if (Volatile.Read(ref _role) != RoleCompletionThread)
            {
                StandBy();
                continue;
            }

            int count = Reap(RoleCompletionThread);
            if (count > 0)
            {
                ScheduleDrain();
            }
            else if (count == 0)
            {
                WaitForCompletion();
            }
        }

        Close();
    }

    /// <summary>A refused ring in which nothing is in flight has nothing more to wait for.</summary>
    private bool HasEnded() =>
        Volatile.Read(ref _refusal) != 0 && Volatile.Read(ref _inFlight) == 0 && Volatile.Read(ref _role) <= RoleCompletionThread;

    private void Close()
    {
        // Whoever comes after the refusal does not touch the ring; those that came before it are waited for.
        while (Volatile.Read(ref _executing) > 0)
        {
            Thread.Sleep(RefusedLookMs);
        }

        lock (_submitLock)
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
    private void WaitForCompletion()
    {
        if (Volatile.Read(ref _refusal) != 0)
        {
            Thread.Sleep(RefusedLookMs);
            return;
        }

        int result = _ring.Wait(1, _starved ? StarvedRetryMs : LookAgainMs);
        if (result == -Errno.ETIME && Volatile.Read(ref _inFlight) == 0)
        {
            BecomeIdle();
        }

        bool isRefusal = result < 0 && result is not (-Errno.ETIME or -Errno.EINTR) && !Ring.IsPassing(result);
        if (!isRefusal && !_starved)
        {
            return;
        }

        lock (_submitLock)
        {
            if (isRefusal)
            {
                RefuseLocked(result);
            }
            else
            {
                QueueCancelsLocked();
                EnterLocked();
            }
        }
    }

    /// <summary>Nothing is in flight: the next submission wakes this thread, which needs not look until then.</summary>
    private void BecomeIdle()
    {
        lock (_submitLock)
        {
            lock (_reapLock)
            {
                if (_role == RoleCompletionThread && _inFlight == 0 && _backlogFirst is null)
                {
                    _role = RoleIdle;
                }
            }
        }
    }

    /// <summary>Takes what is ready and queues it; -1 when the role has gone to somebody else.</summary>
    private int Reap(int role)
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[CompletionsAtOnce];
        Span<int> freed = stackalloc int[CompletionsAtOnce];
        int count;
        lock (_reapLock)
        {
            if (_role != role)
            {
                return -1;
            }

            count = _ring.Take(cqes);
        }

        if (count == 0)
        {
            return 0;
        }

        int freedCount = 0;
        foreach (ref readonly IoUringCqe cqe in cqes[..count])
        {
            if (cqe.UserData == ExtraUserData)
            {
                continue;
            }

            int slot = (int)(uint)cqe.UserData - 1;
            IoOperation operation = _slots[slot]!;
            _slots[slot] = null;
            operation.RingUserData = 0;
            operation.RingResult = cqe.Res;
            Interlocked.Decrement(ref _inFlight);
            _continuations.Enqueue(operation);
            freed[freedCount++] = slot;
        }

        lock (_submitLock)
        {
            foreach (int slot in freed[..freedCount])
            {
                _freeSlots[_freeCount++] = slot;
            }

            _extras -= count - freedCount;
            QueueBacklogLocked();
            QueueCancelsLocked();
            if (!IsGathering && _ring.Pending > 0)
            {
                EnterLocked();
            }
        }

        return count;
    }

    /// <summary>
    /// Sleeps while a leader takes the completions, and looks now and then whether it still does: one that is stuck in a caller's
    /// continuation loses the role, and for a while nobody gets it.
    /// </summary>
    private void StandBy()
    {
        int lastBeat = Volatile.Read(ref _beat);
        int role;
        lock (_standby)
        {
            role = Volatile.Read(ref _role);
            if (role == RoleCompletionThread || HasEnded())
            {
                return;
            }

            if (role == RoleIdle)
            {
                Monitor.Wait(_standby);
                return;
            }

            // From here on this leader may gather: until its role has gone, this thread comes back here and nowhere else.
            Volatile.Write(ref _watchedRole, role);
            if (Monitor.Wait(_standby, WatchMs))
            {
                return;
            }
        }

        if (Volatile.Read(ref _beat) != lastBeat || Volatile.Read(ref _leaderInKernel))
        {
            return;
        }

        lock (_reapLock)
        {
            if (_role == role && Volatile.Read(ref _beat) == lastBeat)
            {
                _role = RoleCompletionThread;
                if (Volatile.Read(ref _inFlight) > 0 || !_continuations.IsEmpty)
                {
                    _penalty.Begin(Environment.TickCount64);
                }
            }
        }

        // What the stuck leader has gathered and not submitted, and the continuations behind the one it is stuck in.
        lock (_submitLock)
        {
            EnterLocked();
        }

        ScheduleDrain();
    }

    private void WakeCompletionThread()
    {
        // A submission that is on its way must not end in an exception.
        bool isInterrupted = false;
        Uninterrupted.Enter(_standby, ref isInterrupted);
        Monitor.Pulse(_standby);
        Monitor.Exit(_standby);
        Uninterrupted.Restore(isInterrupted);
    }

    /// <summary>With an operation in the ring somebody must wait for it: true when the completion thread is to be woken for that.</summary>
    private bool LeaveIdleLocked()
    {
        if (Volatile.Read(ref _role) != RoleIdle)
        {
            return false;
        }

        Volatile.Write(ref _role, RoleCompletionThread);
        return true;
    }
}
