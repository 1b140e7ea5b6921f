using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>A transfer of one block between file and memory. It owns its memory until the transfer has ended.</summary>
internal sealed class BlockTransfer
{
    public BlockTransfer(MemoryLease block) => Block = block;

    public MemoryLease Block { get; private set; }

    /// <summary>
    /// Gets or sets a value that indicates whether the caller may still use the memory. It is then not returned to the pool.
    /// </summary>
    public bool IsLent { get; set; }

    /// <summary>Gets or sets the offset in the file.</summary>
    public long Offset { get; set; }

    /// <summary>Gets or sets the requested number of bytes.</summary>
    public int Length { get; set; }

    /// <summary>Gets or sets the result: the number of bytes, or the kernel's negative errno.</summary>
    public int Result { get; set; }

    /// <summary>Gets or sets the number of the reader's call that started the transfer.</summary>
    public int Call { get; set; }

    /// <summary>
    /// Gets or sets a value that indicates whether the transfer is in a <see cref="SequentialRing"/> and has not completed.
    /// </summary>
    public bool IsInRing { get; set; }

    /// <summary>Gets or sets a value that indicates whether the transfer in the ring is a read.</summary>
    public bool IsRead { get; set; }

    /// <summary>
    /// Gets or sets the task of a transfer that the handle's engine did not complete synchronously. Null for other transfers, and after the
    /// result was taken.
    /// </summary>
    public Task<int>? Task { get; set; }

    /// <summary>Gets a value that indicates whether the result is available.</summary>
    public bool IsComplete => !IsInRing && (Task is null || Task.IsCompleted);

    public Span<byte> Span => Block.Span[..Length];

    public Memory<byte> Memory => Block.Memory[..Length];

    /// <summary>Replaces the memory if it is too small. Its content is lost.</summary>
    public void MakeRoom(int length)
    {
        if (Block.Length < length)
        {
            MemoryLease larger = AlignedBufferPool.RentOfMany(length);
            Block.Return();
            Block = larger;
        }
    }

    /// <summary>Blocks until the transfer has ended. Does not throw its error. Not for transfers in a ring.</summary>
    public void Wait() => ((Task?)Task)?.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();

    /// <summary>
    /// Waits until the transfer has ended. A token ends the wait but not the transfer, because not every transfer of a pipe can be
    /// canceled. Not for transfers in a ring.
    /// </summary>
    /// <param name="closing">
    /// The token that is canceled when the owner is closed. Its continuations do not run on the canceling thread.
    /// </param>
    /// <param name="cancellationToken">The token of the caller.</param>
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

    /// <summary>Returns the memory when the transfer has ended, and ignores its error. Not for transfers in a ring.</summary>
    public void ReturnWhenEnded()
    {
        if (Task is not { } task)
        {
            Return();
            return;
        }

        _ = task.ContinueWith(
            static (ended, transfer) =>
            {
                _ = ended.Exception;
                ((BlockTransfer)transfer!).Return();
            },
            this, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    /// <summary>Returns the memory to the pool, or leaves lent memory to the garbage collector. The transfer must have ended.</summary>
    public void Return()
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
