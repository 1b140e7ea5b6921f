using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// A ring with one borrower at a time, who queues, submits, waits and takes completions on the thread that calls: no lock, and no hop.
/// What an entry is, and what follows its completion, is the derived class's.
/// </summary>
/// <remarks>
/// The kernel may refuse to be entered at any time (a seccomp filter that comes later), or take no entry any more. What it has not taken
/// then completes with -ECANCELED, what it has is waited for without entering it, and the borrower sees <see cref="Refusal"/>: no memory is
/// given back while the kernel may write to it. Thread.Interrupt does not end a wait.
/// </remarks>
internal abstract unsafe class BorrowedRing : IDisposable
{
    private readonly Ring _ring;
    private long _queued;
    private long _completed;
    private StarvedLooks _starvedLooks;

    protected BorrowedRing(Ring ring) => _ring = ring;

    /// <summary>Entries that are queued or in flight.</summary>
    public int InFlight => (int)(_queued - _completed);

    /// <summary>The negative errno with which the kernel has refused this ring since it was made; 0 while it serves.</summary>
    public int Refusal { get; private set; }

    /// <summary>Null and a negative errno where there is no ring. There is room for twice as many completions as entries.</summary>
    /// <param name="entries">The most entries in flight.</param>
    /// <param name="staysOnThread">
    /// Whoever waits is whoever submitted: then completions need not interrupt it, they run when it enters the kernel to wait.
    /// </param>
    /// <param name="make">Makes the borrowers' object of it.</param>
    /// <param name="errno">0, or why there is none.</param>
    protected static T? TryCreate<T>(int entries, bool staysOnThread, Func<Ring, T> make, out int errno)
        where T : BorrowedRing
    {
        if (!SluiceEngines.AllowsRings)
        {
            errno = -Errno.EOPNOTSUPP;
            return null;
        }

        SetupFlags flags = SetupFlags.SubmitAll;
        if (staysOnThread && RingProbe.Current.SupportsCoopTaskrun)
        {
            flags |= SetupFlags.CoopTaskrun;
        }

        Ring? ring = Ring.TryCreate((uint)entries, (uint)entries * 2, flags, out errno);
        T? made = null;
        try
        {
            return made = ring is null ? null : make(ring);
        }
        finally
        {
            if (made is null)
            {
                ring?.Dispose();
            }
        }
    }

    /// <summary>Hands what is queued to the kernel, and takes what has completed.</summary>
    public void Submit()
    {
        if (_ring.Pending > 0)
        {
            Enter(0);
        }

        Reap();
    }

    /// <summary>Hands what is queued to the kernel, and waits until <paramref name="count"/> more entries have completed.</summary>
    public void Wait(int count)
    {
        long target = _completed + count;
        while (_completed < target)
        {
            Enter((uint)(target - _completed));
            Reap();
        }
    }

    /// <summary>Cancels what can be cancelled, and returns when nothing is in flight.</summary>
    public void Drain()
    {
        if (InFlight > 0)
        {
            Submit();
            _ = _ring.CancelAll();
            Wait(InFlight);
        }
    }

    /// <summary>Gives the ring up; nothing may be in flight.</summary>
    public void Dispose()
    {
        _ring.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>The next entry, zeroed, to be filled at once. No more may be in flight than the ring was made for.</summary>
    protected IoUringSqe* Queue()
    {
        IoUringSqe* entry;
        while ((entry = _ring.TryTake()) is null)
        {
            // Entries that a passing refusal left queued.
            Enter(0);
        }

        _queued++;
        return entry;
    }

    /// <summary>Queues a read or a write of one piece of memory, which is the kernel's until <see cref="OnCompleted"/>.</summary>
    protected void QueueTransfer(bool isRead, int fd, nint address, int length, long offset, RwFlags flags, ulong userData) =>
        Prep.Transfer(Queue(), isRead, fd, (byte*)address, (uint)length, offset, flags, userData);

    /// <summary>An entry has its result, or -ECANCELED where the kernel never took it. May queue others.</summary>
    protected abstract void OnCompleted(ulong userData, int result);

    private void Enter(uint minComplete)
    {
        int result = Refusal;
        bool isRefused = result != 0;
        if (!isRefused)
        {
            result = minComplete == 0 ? _ring.Submit() : _ring.SubmitAndWait(minComplete);
            if (result >= 0)
            {
                return;
            }

            isRefused = !Ring.IsPassing(result) || (_ring.Pending > 0 && _starvedLooks.AreOver(_ring.Consumed));
        }

        if (isRefused)
        {
            Refusal = result;
            SluiceEngines.RefuseEntering(result);
            while (_ring.TryTakeBackUnused(out ulong userData))
            {
                Complete(userData, -Errno.ECANCELED);
            }
        }

        if (InFlight > 0)
        {
            PollCalls.Sleep(Tuning.StarvedRetryMs);
        }
    }

    private void Reap()
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[Tuning.CompletionsAtOnce];
        int taken;
        while ((taken = _ring.Take(cqes)) > 0)
        {
            foreach (ref readonly IoUringCqe cqe in cqes[..taken])
            {
                Complete(cqe.UserData, cqe.Res);
            }
        }
    }

    private void Complete(ulong userData, int result)
    {
        _completed++;
        OnCompleted(userData, result);
    }
}

/// <summary>
/// How often in a row a kernel was shown entries of a ring and took none, for want of memory as it says: it is not asked for ever, since
/// callers wait meanwhile, whom the pool could serve. One thread's at a time.
/// </summary>
internal struct StarvedLooks
{
    private uint _consumed;
    private int _count;

    /// <summary>Once more: whether that was the last time.</summary>
    /// <param name="consumed">Entries that the kernel has taken since the ring was made.</param>
    public bool AreOver(uint consumed)
    {
        if (consumed != _consumed)
        {
            _consumed = consumed;
            _count = 0;
        }

        return ++_count >= Tuning.MaxStarvedLooks;
    }
}
