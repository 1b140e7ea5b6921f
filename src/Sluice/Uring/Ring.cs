using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>An io_uring instance: a descriptor, its memory and its two queues. It is independent of files, tasks and streams.</summary>
/// <remarks>
/// Thread safety: one thread at a time may submit (<see cref="TryTake"/>, <see cref="Submit"/>), and one thread at a time may take
/// completions (<see cref="Wait(uint)"/>, <see cref="Take"/>); the two may be different threads. With
/// <see cref="SetupFlags.SingleIssuer"/>, every call that enters the kernel must be made by the thread that created the ring. Memory: the
/// buffer of an entry belongs to the kernel from <see cref="Submit"/> until its completion has been taken. Threads: an operation belongs to
/// the thread that submitted it. When that thread ends, the kernel cancels operations that have not started or that wait in a poll, so
/// ECANCELED can occur without a request. Links: a chain is split if the kernel has no memory for all its entries, and by a malformed entry
/// without <see cref="SetupFlags.SubmitAll"/>. The remaining entries then run independently, at the same time as the first ones.
/// </remarks>
internal sealed unsafe partial class Ring : IDisposable
{
    /// <summary>
    /// The maximum number of the kernel's worker threads for each thread that submits, for regular files and for other ones.
    /// RLIMIT_NPROC limits them too. The kernel's own limit for regular files is four for each processor; so many writes to a file system
    /// that is frozen, or whose server does not answer, would hold back flushes of all other files.
    /// </summary>
    private const uint MaxWorkers = 64;

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

    /// <summary>The number of entries that were taken and not yet consumed by the kernel.</summary>
    public uint Pending => _sq.Pending;

    /// <summary>
    /// The number of entries that the kernel has consumed and whose completions have not been taken. Exact only while no other thread
    /// submits, because the kernel may post a completion just before it advances the submission head.
    /// </summary>
    public uint InFlight => (uint)Math.Max(0, (int)(_sq.Consumed - Volatile.Read(ref _taken) - _cq.Lost));

    /// <summary>
    /// Creates a ring. Returns null and a negative errno if the kernel or a sandbox refuses it. The kernel rounds the sizes of the two
    /// queues up to powers of two; 0 completion entries mean twice the number of submission entries.
    /// </summary>
    /// <exception cref="OutOfMemoryException">The process is out of memory. The ring is closed.</exception>
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
                // The result is ignored, because nothing was written to the descriptor.
                _ = Syscalls.Close(fd);
            }
        }

        // For each ring, because the limits of the first ring that a thread uses apply to the thread.
        ring?.LimitWorkers();
        return ring;
    }

    /// <summary>
    /// Returns the next free submission entry, zeroed, or null if the queue is full. Entries must then be submitted first.
    /// </summary>
    public IoUringSqe* TryTake() => _sq.TryTake();

    /// <summary>
    /// Submits all entries taken so far. Returns the number of entries that the kernel consumed, or a negative errno. After an error, the
    /// entries stay queued for the next call, which can succeed if the refusal is temporary (<see cref="IsPassing"/>). Retries after EINTR.
    /// </summary>
    public int Submit() => Enter(0, EnterFlags.None);

    /// <summary>
    /// Submits all entries, and then waits until <paramref name="minComplete"/> completions are ready. Returns the same results as
    /// <see cref="Submit"/>. If fewer entries were consumed than taken, or after an error, the method did not wait.
    /// </summary>
    public int SubmitAndWait(uint minComplete) => Enter(minComplete, EnterFlags.GetEvents);

    /// <summary>
    /// Returns true for a temporary refusal: EAGAIN (no memory for a request), EBUSY (completions must be taken first), or ENOMEM (no
    /// memory for the kernel's state of a thread that enters for the first time).
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

            // Without SUBMIT_ALL, a malformed entry ends the batch, and the call returns without waiting.
            if ((uint)result < toSubmit && result > 0)
            {
                continue;
            }

            // If entries were submitted, the result is their number even if a signal ended the wait, so the next iteration only waits.
            if (toSubmit == 0 || (uint)result < toSubmit || _cq.Ready >= wanted)
            {
                return total;
            }
        }
    }

    /// <summary>
    /// Takes the newest entry back. Returns false if it has other user data or has been published. Called by the submitting thread.
    /// </summary>
    public bool TryTakeBack(ulong userData) => _sq.TryTakeBack(userData);

    /// <summary>
    /// Takes back the newest entry that the kernel has not consumed, even if it was published. Returns false if there is none. No thread
    /// may be entering the kernel with this ring, or enter it before the caller has processed all entries that it took back.
    /// </summary>
    public bool TryTakeBackUnused(out ulong userData) => _sq.TryTakeBackUnused(out userData);

    /// <summary>
    /// Publishes the entries taken so far without entering the kernel. Returns the number of entries that the kernel has not consumed.
    /// Called by the submitting thread.
    /// </summary>
    public uint Publish()
    {
        _sq.Publish();
        return _sq.Pending;
    }

    /// <summary>
    /// Submits up to <paramref name="toSubmit"/> published entries and waits at most <paramref name="timeoutMs"/> milliseconds. Unlike
    /// <see cref="Submit"/>, it may run at the same time as other submissions, because it uses only the kernel's view of the queue. If
    /// other threads have already submitted the entries, it returns without waiting. Returns the number of submitted entries, 0 if it only
    /// waited, or a negative errno: -ETIME on a timeout, and -EINTR after a signal.
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
    /// Waits for completions without submitting. Returns a non-negative number if some may be ready, or a negative errno. Does not retry
    /// after EINTR.
    /// </summary>
    public int Wait(uint minComplete) =>
        Syscalls.Enter(_fd, 0, minComplete, EnterFlags.GetEvents, null, 0);

    /// <summary>
    /// Waits like <see cref="Wait(uint)"/>, for at most <paramref name="timeoutMs"/> milliseconds. Returns -ETIME on a timeout.
    /// </summary>
    public int Wait(uint minComplete, long timeoutMs)
    {
        KernelTimespec timespec = KernelTimespec.FromMilliseconds(timeoutMs);
        GetEventsArg arg = default;
        arg.Timespec = (ulong)(&timespec);
        return Syscalls.Enter(
            _fd, 0, minComplete, EnterFlags.GetEvents | EnterFlags.ExtArg, &arg, (nuint)sizeof(GetEventsArg));
    }

    /// <summary>
    /// Takes ready completions. If there are none, first lets the kernel move overflown completions and pending task work into the queue.
    /// Returns the number of completions.
    /// </summary>
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

    /// <summary>
    /// Registers memory for READ_FIXED and WRITE_FIXED. The kernel keeps it pinned until it is unregistered or the ring is closed.
    /// </summary>
    public int RegisterBuffers(ReadOnlySpan<Iovec> buffers)
    {
        fixed (Iovec* p = buffers)
        {
            return Syscalls.Register(_fd, RegisterOp.Buffers, p, (uint)buffers.Length);
        }
    }

    public int UnregisterBuffers() => Syscalls.Register(_fd, RegisterOp.UnregisterBuffers, null, 0);

    private void LimitWorkers()
    {
        uint* limits = stackalloc uint[2] { MaxWorkers, MaxWorkers };

        // If the kernel refuses, its own limits remain.
        _ = Syscalls.Register(_fd, RegisterOp.IowqMaxWorkers, limits, 2);
    }

    /// <summary>
    /// Requests that the kernel cancel all operations, without an entry and without waiting. The completion of each operation follows
    /// nevertheless. Returns a non-negative number, or a negative errno: ENOENT if there was nothing to cancel, ETIME if an operation is
    /// running that cannot be canceled.
    /// </summary>
    public int CancelAll() => CancelNow(new SyncCancelReg { Fd = -1, Flags = AsyncCancelFlags.All | AsyncCancelFlags.Any });

    /// <summary>
    /// Requests that the kernel cancel the operation whose user data is <paramref name="target"/>. The results are those of
    /// <see cref="CancelAll"/>.
    /// </summary>
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
        // The result is ignored, because no data depends on this descriptor.
        _ = Syscalls.Close(_fd);
        _fd = -1;
        _memory.Dispose();
    }
}
