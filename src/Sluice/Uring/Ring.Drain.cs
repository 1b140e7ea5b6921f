using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>Closing a ring: afterwards nothing is in flight.</summary>
internal sealed partial class Ring
{
    // Not tuned, because a ring is drained once: the delay before a cancellation is repeated, and the number of attempts at a kernel that
    // refuses.
    private const int DrainedAtOnce = 64;
    private const long FirstDrainWaitMs = 10;
    private const long LongestDrainWaitMs = 1000;
    private const int DrainPauseMs = 1;
    private const int MaxRefusedDrains = 1000;

    /// <summary>
    /// Cancels what can be cancelled and waits until every operation in flight has completed: after it, the kernel writes into no
    /// buffer that was named in this ring. The caller must be the only user of the ring from here on, and with
    /// <see cref="SetupFlags.SingleIssuer"/> the thread that made it.
    /// </summary>
    /// <remarks>
    /// What is in flight is waited for as long as it takes: what a device has cannot be cancelled, and the kernel may write to its memory
    /// until it has completed. All else has an end: entries that the kernel does not take are dropped, at once where it refuses them, and
    /// after a thousand tries in a row where it says that this is for the moment; after so many it is not asked to wait any more either.
    /// </remarks>
    /// <param name="completed">
    /// Receives each completion, -ECANCELED for an entry that was dropped, so that its owner can release the buffer; may be null.
    /// </param>
    /// <exception cref="InvalidOperationException">The kernel refuses this thread the ring; what is in flight keeps all it has.</exception>
    public void Drain(Action<IoUringCqe>? completed = null)
    {
        bool isInterrupted = false;
        try
        {
            DrainAll(completed, ref isInterrupted);
        }
        finally
        {
            // The interruption is kept for the thread's next wait, because this wait ends only with the kernel's completions.
            if (isInterrupted)
            {
                Thread.CurrentThread.Interrupt();
            }
        }
    }

    private void DrainAll(Action<IoUringCqe>? completed, ref bool isInterrupted)
    {
        bool cancelDue = true;
        long waitMs = FirstDrainWaitMs;
        int refused = 0;
        while (true)
        {
            TakeAll(completed);
            if (InFlight == 0 && Pending == 0)
            {
                return;
            }

            // Entries that were not submitted are submitted now, so that each has its completion.
            int submitted = Submit();
            int result = submitted;
            if (cancelDue && IsHarmless(result))
            {
                result = CancelAll();
                cancelDue = false;
            }

            if (IsHarmless(result))
            {
                result = InFlight == 0 ? submitted : Wait(1, IsPassing(submitted) ? FirstDrainWaitMs : waitMs);
            }

            // A linked entry may have started only after the cancellation: repeat it with increasing delays.
            if (result == -Errno.ETIME)
            {
                cancelDue = true;
                waitMs = Math.Min(waitMs * 2, LongestDrainWaitMs);
            }

            bool isPassing = IsPassing(submitted) || IsPassing(result);
            refused = isPassing ? refused + 1 : 0;
            if (IsHarmless(result) && refused < MaxRefusedDrains)
            {
                if (isPassing)
                {
                    Pause(ref isInterrupted);
                }

                continue;
            }

            // Entries that the kernel has not accepted hold no memory. If the kernel does not allow waiting, the others keep this ring
            // open.
            bool mayWait = IsHarmless(result) && !IsPassing(result);
            if (!mayWait && InFlight > 0)
            {
                throw new InvalidOperationException($"io_uring refused to drain with errno {-result}; its buffers are still in use.");
            }

            Drop(completed);
            refused = 0;
        }

        static bool IsHarmless(int result) =>
            IsPassing(result) || result is >= 0 or -Errno.EINTR or -Errno.ENOENT or -Errno.ETIME or -Errno.EBADR;
    }

    private void TakeAll(Action<IoUringCqe>? completed)
    {
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[DrainedAtOnce];
        int count;
        while ((count = Take(cqes)) > 0)
        {
            foreach (ref readonly IoUringCqe cqe in cqes[..count])
            {
                completed?.Invoke(cqe);
            }
        }
    }

    private void Drop(Action<IoUringCqe>? completed)
    {
        while (TryTakeBackUnused(out ulong userData))
        {
            completed?.Invoke(new IoUringCqe { UserData = userData, Res = -Errno.ECANCELED });
        }
    }

    private static void Pause(ref bool isInterrupted)
    {
        try
        {
            Thread.Sleep(DrainPauseMs);
        }
        catch (ThreadInterruptedException)
        {
            isInterrupted = true;
        }
    }
}
