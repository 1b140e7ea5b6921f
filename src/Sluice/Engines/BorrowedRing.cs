using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// A ring that one thread at a time uses: it queues, submits, waits and takes completions on the calling thread, without a lock. A derived
/// class defines the entries and handles their completions.
/// </summary>
/// <remarks>
/// The kernel may refuse the ring at any time, because of a seccomp filter or for lack of memory (<see cref="Refusal"/>). Entries that it has
/// not accepted then complete with -ECANCELED; the others are waited for without entering the kernel, so memory is never released while the
/// kernel may write to it.
/// </remarks>
internal abstract unsafe class BorrowedRing : IDisposable
{
    private readonly Ring _ring;
    private long _queued;
    private long _completed;

    protected BorrowedRing(Ring ring) => _ring = ring;

    /// <summary>The number of entries that are queued or in flight.</summary>
    public int InFlight => (int)(_queued - _completed);

    /// <summary>The negative errno with which the kernel has refused the ring; otherwise, 0.</summary>
    public int Refusal { get; private set; }

    /// <summary>Creates a ring. Returns null, with a negative errno, if there can be none.</summary>
    /// <param name="entries">The maximum number of entries in flight. The completion queue has twice this size.</param>
    /// <param name="staysOnThread">
    /// The thread that waits is the one that submitted, so the kernel need not interrupt it for a completion (COOP_TASKRUN).
    /// </param>
    /// <param name="make">Creates the derived object.</param>
    /// <param name="errno">0 or a negative errno.</param>
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

    /// <summary>Submits the queued entries, and takes completions without waiting.</summary>
    public void Submit()
    {
        if (_ring.Pending > 0)
        {
            Enter(0);
        }

        Reap();
    }

    /// <summary>Submits the queued entries, and waits until <paramref name="count"/> more entries have completed.</summary>
    public void Wait(int count)
    {
        long target = _completed + count;
        while (_completed < target)
        {
            Enter((uint)(target - _completed));
            Reap();
        }
    }

    /// <summary>Cancels the entries in flight, as far as the kernel can, and waits for all of them.</summary>
    public void Drain()
    {
        if (InFlight > 0)
        {
            Submit();
            _ = _ring.CancelAll();
            Wait(InFlight);
        }
    }

    /// <summary>Closes the ring. Nothing may be in flight.</summary>
    public void Dispose()
    {
        _ring.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Queues an entry and returns it zeroed. The caller must fill it immediately. There must be room for it.</summary>
    protected IoUringSqe* Queue()
    {
        IoUringSqe* entry;
        while ((entry = _ring.TryTake()) is null)
        {
            Enter(0);
        }

        _queued++;
        return entry;
    }

    /// <summary>Queues a read or a write. The memory belongs to the kernel until <see cref="OnCompleted"/>.</summary>
    protected void QueueTransfer(bool isRead, int fd, nint address, int length, long offset, RwFlags flags, ulong userData) =>
        Prep.Transfer(Queue(), isRead, fd, (byte*)address, (uint)length, offset, flags, userData);

    /// <summary>Handles a completion; -ECANCELED if the kernel did not accept the entry. May queue entries.</summary>
    protected abstract void OnCompleted(ulong userData, int result);

    private void Enter(uint minComplete)
    {
        if (Refusal == 0)
        {
            int result = minComplete == 0 ? _ring.Submit() : _ring.SubmitAndWait(minComplete);
            if (result >= 0)
            {
                return;
            }

            Refusal = result;
            SluiceEngines.RefuseEntering(result);
        }

        // After a refusal, no entry is submitted, including those queued later.
        while (_ring.TryTakeBackUnused(out ulong userData))
        {
            Complete(userData, -Errno.ECANCELED);
        }

        if (InFlight > 0)
        {
            PollCalls.Sleep(Tuning.RefusedPollMs);
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
