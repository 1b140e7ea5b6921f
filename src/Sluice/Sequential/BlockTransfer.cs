using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>One block on its way between file and memory. It keeps its memory until the transfer has ended.</summary>
internal sealed class BlockTransfer
{
    public BlockTransfer(MemoryLease block) => Block = block;

    public MemoryLease Block { get; private set; }

    /// <summary>Its owner's caller may use the memory for an unknown time: nobody else is to be given it.</summary>
    public bool IsLent { get; set; }

    /// <summary>Where the transfer begins in the file.</summary>
    public long Offset { get; set; }

    /// <summary>Bytes asked for.</summary>
    public int Length { get; set; }

    /// <summary>Bytes transferred, or the kernel's negative errno.</summary>
    public int Result { get; set; }

    /// <summary>The number of the reader's call that started it.</summary>
    public int Call { get; set; }

    /// <summary>In a <see cref="SequentialRing"/>, and not completed yet.</summary>
    public bool IsInRing { get; set; }

    /// <summary>What it does there.</summary>
    public bool IsRead { get; set; }

    /// <summary>
    /// The transfer through the handle's engine, where it did not complete at once; until its result has been taken.
    /// </summary>
    public Task<int>? Task { get; set; }

    /// <summary>The result is there, or the task that has it has ended.</summary>
    public bool IsComplete => !IsInRing && (Task is null || Task.IsCompleted);

    public Span<byte> Span => Block.Span[..Length];

    public Memory<byte> Memory => Block.Memory[..Length];

    /// <summary>Takes larger memory where this is too small; what was in it is lost.</summary>
    public void MakeRoom(int length)
    {
        if (Block.Length < length)
        {
            MemoryLease larger = AlignedBufferPool.RentOfMany(length);
            Block.Return();
            Block = larger;
        }
    }

    /// <summary>Returns when the transfer has ended. Does not throw what it failed with. Not for transfers in a ring.</summary>
    public void Wait() => ((Task?)Task)?.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();

    /// <summary>
    /// Waits until the transfer has ended. A token ends the wait, not the transfer: not every one of a pipe can be ended. Not for transfers
    /// in a ring.
    /// </summary>
    /// <param name="closing">Its owner's end; whoever cancels that does not run what follows here.</param>
    /// <param name="cancellationToken">The caller's.</param>
    /// <exception cref="OperationCanceledException">The caller's token was canceled first.</exception>
    /// <exception cref="ObjectDisposedException">The owner was closed first.</exception>
    public async Task WaitAsync(CancellationToken closing, CancellationToken cancellationToken)
    {
        using (CancellationTokenSource? either =
            cancellationToken.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(closing, cancellationToken) : null)
        {
            await ((Task)Task!).WaitAsync(either?.Token ?? closing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (closing.IsCancellationRequested)
        {
            await System.Threading.Tasks.Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }

        if (!IsComplete)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw new ObjectDisposedException(null);
        }
    }

    /// <summary>
    /// Gives the memory back when the transfer has ended, whoever ends it; its error has no one left to hear of it. Not for transfers in a
    /// ring.
    /// </summary>
    public void ReturnWhenEnded()
    {
        if (Task is not { } task)
        {
            GiveBack();
            return;
        }

        _ = task.ContinueWith(
            static (ended, transfer) =>
            {
                _ = ended.Exception;
                ((BlockTransfer)transfer!).GiveBack();
            },
            this, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    /// <summary>Gives the memory back; its transfer has ended.</summary>
    public void GiveBack()
    {
        if (IsLent)
        {
            Block.LeaveToCollector();
        }
        else
        {
            Block.Return();
        }
    }
}
