using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// Taking completions, and the completion thread. Completions are taken by one thread at a time: by the completion thread
/// (<see cref="RoleCompletionThread"/>), by a leader from the pool (a positive number, its own), or by nobody while nothing is in
/// flight (<see cref="RoleIdle"/>).
/// </summary>
internal sealed partial class UringEngine
{
    private const int StarvedRetryMs = 1;
    private const int RoleCompletionThread = 0;
    private const int RoleIdle = -1;
    private const int CompletionsAtOnce = 64;

    /// <summary>How often the completion thread looks whether a leader is stuck in a caller's continuation.</summary>
    private const int WatchMs = 2;

    /// <summary>The engine whose completions this thread is booking: continuations then go to its queue.</summary>
    [ThreadStatic]
    private static UringEngine? t_booking;

    private readonly Lock _reapLock = new();
    private readonly object _standby = new();
    private int _role = RoleCompletionThread;
    private int _watchedRole;
    private LeaderPenalty _penalty;

    /// <summary>The engine that is booking completions on this thread, on which no caller's code may run now.</summary>
    public static UringEngine? Booking => t_booking;

    private void CompletionLoop()
    {
        while (true)
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
    }

    /// <summary>
    /// Waits in the kernel; EINTR and the like only lead to another look. While continuations are queued, not for long: the one before
    /// them may block until one of them has run.
    /// </summary>
    private void WaitForCompletion()
    {
        if (_continuations.IsEmpty)
        {
            _ = _ring.Wait(1);
            return;
        }

        int lastBeat = Volatile.Read(ref _beat);
        if (_ring.Wait(1, WatchMs) == -Errno.ETIME && Volatile.Read(ref _beat) == lastBeat)
        {
            ScheduleDrain();
        }
    }

    /// <summary>Takes what is ready and books it; -1 when the role has gone to somebody else.</summary>
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
        t_booking = this;
        for (int i = 0; i < count; i++)
        {
            ulong userData = cqes[i].UserData;
            if (userData != CancelUserData)
            {
                freed[freedCount++] = CompleteSlot(userData, cqes[i].Res);
            }
        }

        IoOperation? cancelled;
        lock (_submitLock)
        {
            cancelled = FreeSlotsLocked(freed[..freedCount]);
            if (!IsGathering && _ring.Pending > 0)
            {
                EnterLocked();
            }
        }

        CompleteCancelled(cancelled);
        t_booking = null;
        return count;
    }

    private int CompleteSlot(ulong userData, int result)
    {
        int slot = (int)(uint)userData - 1;
        IoOperation operation = _slots[slot]!;
        _slots[slot] = null;
        Interlocked.Decrement(ref _inFlight);
        operation.RingUserData = 0;
        operation.Complete(result);
        return slot;
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
            if (role == RoleCompletionThread)
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
            if (_ring.Pending > 0)
            {
                EnterLocked();
            }
        }

        ScheduleDrain();
    }

    private void WakeCompletionThread()
    {
        lock (_standby)
        {
            Monitor.Pulse(_standby);
        }
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
