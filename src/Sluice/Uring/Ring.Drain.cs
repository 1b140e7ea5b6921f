using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>Drains the ring before it is closed.</summary>
internal sealed partial class Ring
{
    // These values are not tuned, because a ring is drained once: the delays before a cancellation is repeated, and the number of attempts
    // while the kernel refuses.
    private const int DrainedAtOnce = 64;
    private const long FirstDrainWaitMs = 10;
    private const long LongestDrainWaitMs = 1000;
    private const int DrainPauseMs = 1;
    private const int MaxRefusedDrains = 1000;

    /// <summary>
    /// Cancels the operations in flight as far as the kernel can, and waits until all of them have completed. Afterwards, the kernel does
    /// not write to any buffer of this ring's entries. The caller must be the only user of the ring from now on and, with
    /// <see cref="SetupFlags.SingleIssuer"/>, the thread that created it.
    /// </summary>
    /// <remarks>
    /// The wait for operations in flight has no time limit: an operation that a device has begun cannot be canceled, and the kernel may
    /// write to its memory until it has completed. Entries that the kernel does not accept are dropped: immediately if it refuses them, and
    /// after a number of attempts if the refusal is temporary (<see cref="IsPassing"/>). If it still refuses to wait then, this method
    /// throws.
    /// </remarks>
    /// <param name="completed">
    /// Receives each completion, with -ECANCELED for an entry that was dropped, so that the owner can release the buffer; or null.
    /// </param>
    /// <exception cref="InvalidOperationException">
    /// The kernel refuses to let this thread wait. Operations in flight keep their memory, and the ring stays open.
    /// </exception>
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

            // A linked entry may have started only after the cancellation, which is therefore repeated with increasing delays.
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
