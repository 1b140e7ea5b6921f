using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// One io_uring: a descriptor, its memory and its two queues. It knows nothing of files, tasks or streams.
/// </summary>
/// <remarks>
/// Thread safety: submitting (<see cref="TryTake"/>, <see cref="Submit"/>) belongs to one thread at a time, reaping
/// (<see cref="Wait(uint)"/>, <see cref="Take"/>) to one thread at a time; the two may be different threads. With
/// <see cref="SetupFlags.SingleIssuer"/> every call that enters the kernel belongs to the thread that made the ring.
/// Memory: a buffer named in an entry belongs to the kernel from <see cref="Submit"/> until its completion has been taken.
/// Threads: an operation belongs to the thread that submitted it; when that thread ends, the kernel cancels what has not started or
/// waits in a poll (ECANCELED that nobody asked for). Links: a chain is split where the kernel has no memory behind its first entries, and
/// by a malformed entry without <see cref="SetupFlags.SubmitAll"/>; what stands behind then runs by itself, beside what it was to follow.
/// </remarks>
internal sealed unsafe partial class Ring : IDisposable
{
    private readonly RingMemory _memory;
    private readonly SubmissionQueue _sq;
    private readonly CompletionQueue _cq;
    private int _fd;
    private uint _taken;

    private Ring(int fd, RingMemory memory, in IoUringParams p)
    {
        _fd = fd;
        _memory = memory;
        _sq = new SubmissionQueue(memory, p);
        _cq = new CompletionQueue(memory, p);
        Flags = p.Flags;
        Features = p.Features;
    }

    public SetupFlags Flags { get; }

    public FeatureFlags Features { get; }

    public uint SqEntries => _sq.Entries;

    public uint CqEntries => _cq.Entries;

    public uint CqReady => _cq.Ready;

    public int Descriptor => _fd;

    /// <summary>Number of entries that were taken and not yet consumed by the kernel.</summary>
    public uint Pending => _sq.Pending;

    /// <summary>
    /// Entries that the kernel has consumed and whose completions have not been taken. Exact while no other thread submits: the kernel
    /// may post a completion just before it moves the submission head.
    /// </summary>
    public uint InFlight => (uint)Math.Max(0, (int)(_sq.Consumed - Volatile.Read(ref _taken) - _cq.Lost));

    /// <summary>
    /// Sets a ring up; null and a negative errno where kernel or sandbox refuse it. The kernel rounds the entries of the two queues up
    /// to powers of two; 0 completion entries stand for twice the submission entries.
    /// </summary>
    /// <exception cref="OutOfMemoryException">Nothing is left of it.</exception>
    public static Ring? TryCreate(uint entries, uint cqEntries, SetupFlags flags, out int errno)
    {
        IoUringParams p = default;
        p.Flags = flags | SetupFlags.Clamp;
        if (cqEntries != 0)
        {
            p.Flags |= SetupFlags.CqSize;
            p.CqEntries = cqEntries;
        }

        int fd = Syscalls.Setup(entries, &p);
        if (fd < 0)
        {
            errno = fd;
            return null;
        }

        RingMemory? memory = null;
        Ring? ring = null;
        try
        {
            memory = RingMemory.Map(fd, p, out errno);
            ring = memory is null ? null : new Ring(fd, memory, p);
        }
        finally
        {
            if (ring is null)
            {
                memory?.Dispose();
                // The descriptor was not written to.
                _ = Syscalls.Close(fd);
            }
        }

        return ring;
    }

    /// <summary>The next free submission entry, zeroed, or null when the queue is full (submit, then try again).</summary>
    public IoUringSqe* TryTake() => _sq.TryTake();

    /// <summary>
    /// Hands all entries taken so far to the kernel. Returns how many it consumed, or a negative errno; the entries then stay queued for
    /// the next call, which may fare better after a refusal that <see cref="IsPassing"/>. EINTR is retried here.
    /// </summary>
    public int Submit() => Enter(0, EnterFlags.None);

    /// <summary>
    /// Submits, then waits until <paramref name="minComplete"/> completions are ready. Same results as <see cref="Submit"/>; fewer
    /// entries consumed than were taken, or an error, mean that the wait did not take place.
    /// </summary>
    public int SubmitAndWait(uint minComplete) => Enter(minComplete, EnterFlags.GetEvents);

    /// <summary>
    /// True for refusals of the moment: EAGAIN (no memory for a request), EBUSY (completions must be taken first), ENOMEM (no memory for
    /// what the kernel keeps about a thread that enters for the first time).
    /// </summary>
    public static bool IsPassing(int result) => result is -Errno.EAGAIN or -Errno.EBUSY or -Errno.ENOMEM;

    private int Enter(uint minComplete, EnterFlags flags)
    {
        _sq.Publish();
        uint wanted = Math.Min(minComplete, _cq.Entries);
        int total = 0;
        while (true)
        {
            uint toSubmit = _sq.Pending;
            if (toSubmit == 0 && flags == EnterFlags.None)
            {
                return total;
            }

            int result = Syscalls.Enter(_fd, toSubmit, minComplete, flags, null, 0);
            if (result == -Errno.EINTR)
            {
                continue;
            }

            if (result < 0)
            {
                return total > 0 ? total : result;
            }

            total += result;

            // Without SUBMIT_ALL a bad entry ends the batch behind itself, and the call returns without waiting.
            if ((uint)result < toSubmit && result > 0)
            {
                continue;
            }

            // If entries were submitted, their count hides a signal during the wait: the next round only waits.
            if (toSubmit == 0 || (uint)result < toSubmit || _cq.Ready >= wanted)
            {
                return total;
            }
        }
    }

    /// <summary>
    /// Takes the youngest entry back, if it has this user data and the kernel has not been shown it yet. The submitter's side.
    /// </summary>
    public bool TryTakeBack(ulong userData) => _sq.TryTakeBack(userData);

    /// <summary>
    /// Takes the youngest entry that the kernel has not consumed back, though it has been shown to it. Nobody may be entering the kernel
    /// with this ring, nor enter it until the caller knows all that it took back.
    /// </summary>
    public bool TryTakeBackUnused(out ulong userData) => _sq.TryTakeBackUnused(out userData);

    /// <summary>Shows the kernel the entries taken so far without entering it; how many wait there. The submitter's side.</summary>
    public uint Publish()
    {
        _sq.Publish();
        return _sq.Pending;
    }

    /// <summary>
    /// Submits up to <paramref name="toSubmit"/> published entries and waits at most <paramref name="timeoutMs"/> milliseconds. Unlike
    /// <see cref="Submit"/> it may run beside other submitters, since it touches nothing but the kernel's own view of the queue; when
    /// they were quicker it returns without waiting. Entries submitted, 0 after a wait alone, or a negative errno (-ETIME, EINTR too).
    /// </summary>
    public int EnterPublished(uint toSubmit, uint minComplete, long timeoutMs)
    {
        KernelTimespec timespec = KernelTimespec.FromMilliseconds(timeoutMs);
        GetEventsArg arg = default;
        arg.Timespec = (ulong)(&timespec);
        return Syscalls.Enter(
            _fd, toSubmit, minComplete, EnterFlags.GetEvents | EnterFlags.ExtArg, &arg, (nuint)sizeof(GetEventsArg));
    }

    /// <summary>
    /// Waits for completions without submitting: for a reaper that is not the submitter. Returns 0 or more when some may be ready, or
    /// a negative errno (EINTR included, so that a reaper can look at its stop flag).
    /// </summary>
    public int Wait(uint minComplete) =>
        Syscalls.Enter(_fd, 0, minComplete, EnterFlags.GetEvents, null, 0);

    /// <summary>As <see cref="Wait(uint)"/>, for at most <paramref name="timeoutMs"/> milliseconds; -ETIME when they have passed.</summary>
    public int Wait(uint minComplete, long timeoutMs)
    {
        KernelTimespec timespec = KernelTimespec.FromMilliseconds(timeoutMs);
        GetEventsArg arg = default;
        arg.Timespec = (ulong)(&timespec);
        return Syscalls.Enter(
            _fd, 0, minComplete, EnterFlags.GetEvents | EnterFlags.ExtArg, &arg, (nuint)sizeof(GetEventsArg));
    }

    /// <summary>Takes ready completions; first lets the kernel move overflown ones and pending task work into the queue.</summary>
    public int Take(Span<IoUringCqe> destination)
    {
        int count = _cq.Take(destination);
        if (count == 0 && _sq.NeedsEnterForCompletions)
        {
            // If the call fails, completions stay in the kernel until the next wait, which reports the error.
            _ = Syscalls.Enter(_fd, 0, 0, EnterFlags.GetEvents, null, 0);
            count = _cq.Take(destination);
        }

        if (count > 0)
        {
            Volatile.Write(ref _taken, _taken + (uint)count);
        }

        return count;
    }

    /// <summary>Registers memory for READ_FIXED and WRITE_FIXED; it stays pinned by the kernel until unregistered or closed.</summary>
    public int RegisterBuffers(ReadOnlySpan<Iovec> buffers)
    {
        fixed (Iovec* p = buffers)
        {
            return Syscalls.Register(_fd, RegisterOp.Buffers, p, (uint)buffers.Length);
        }
    }

    public int UnregisterBuffers() => Syscalls.Register(_fd, RegisterOp.UnregisterBuffers, null, 0);

    /// <summary>
    /// Bounds the kernel's worker threads for this ring, for each thread that submits (bounded: regular files; unbounded: the rest). 0
    /// leaves a limit; the last two are what was in force before.
    /// </summary>
    public int LimitWorkers(uint bounded, uint unbounded, out uint boundedBefore, out uint unboundedBefore)
    {
        uint* limits = stackalloc uint[2] { bounded, unbounded };
        int result = Syscalls.Register(_fd, RegisterOp.IowqMaxWorkers, limits, 2);
        boundedBefore = limits[0];
        unboundedBefore = limits[1];
        return result;
    }

    /// <summary>
    /// Cancels what can be cancelled, without an entry and without waiting; each operation's own completion still comes. Returns 0 or
    /// more, or a negative errno: ENOENT when there was nothing to cancel, ETIME when something is running that only ends by itself.
    /// </summary>
    public int CancelAll() => CancelNow(new SyncCancelReg { Fd = -1, Flags = AsyncCancelFlags.All | AsyncCancelFlags.Any });

    /// <summary>As <see cref="CancelAll"/>, the one operation whose user data is <paramref name="target"/>.</summary>
    public int Cancel(ulong target) => CancelNow(new SyncCancelReg { Fd = -1, Addr = target });

    private int CancelNow(SyncCancelReg argument) => Syscalls.Register(_fd, RegisterOp.SyncCancel, &argument, 1);

    /// <summary>Drains the ring, and then releases its descriptor and memory.</summary>
    public void Dispose()
    {
        if (_fd < 0)
        {
            return;
        }

        Drain();
        // No data depends on it.
        _ = Syscalls.Close(_fd);
        _fd = -1;
        _memory.Dispose();
    }
}
