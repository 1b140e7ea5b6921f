using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>One block on its way between file and memory. It keeps its memory until the transfer has ended.</summary>
internal sealed class BlockTransfer : IThreadPoolWorkItem
{
    private SluiceHandle? _handle;
    private TaskCompletionSource<int>? _outcome;

    /// <summary>Offered, and nobody has begun it: 1 or 0. Whoever takes it carries it out.</summary>
    private int _isOffered;

    /// <summary>The pool has been given this object and has not begun it: once is enough, however often it is offered.</summary>
    private int _isQueued;

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

    /// <summary>What it does there, or where it was offered.</summary>
    public bool IsRead { get; set; }

    /// <summary>
    /// The transfer through the handle's engine, where it did not complete at once, or the one that was offered; until its result has been
    /// taken.
    /// </summary>
    public Task<int>? Task { get; set; }

    /// <summary>The result is there, or the task that has it has ended.</summary>
    public bool IsComplete => !IsInRing && (Task is null || Task.IsCompleted);

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

    /// <summary>
    /// Has a thread of the pool carry the transfer out, unless <see cref="Wait"/> comes first: a synchronous caller needs no thread of the
    /// pool, however busy that is.
    /// </summary>
    public void Offer(SluiceHandle handle, bool isRead)
    {
        IsRead = isRead;
        _handle = handle;

        // Its waiters are told on the thread that ends it: to tell them elsewhere would take a thread of the pool.
        _outcome = new TaskCompletionSource<int>();
        Task = _outcome.Task;
        Volatile.Write(ref _isOffered, 1);

        // Full fence: a thread of the pool that has just begun sees the offer, or is asked for once more.
        if (Interlocked.Exchange(ref _isQueued, 1) == 0)
        {
            IoMetrics.NotePooled(1);
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _isQueued, 0);
        if (TryTakeOffer())
        {
            CarryOut(isPooled: true);
        }
        else
        {
            IoMetrics.NotePooled(-1);
        }
    }

    /// <summary>
    /// Returns when the transfer has ended, and carries it out where that was offered and nobody has begun. Does not throw what it failed
    /// with. Not for transfers in a ring.
    /// </summary>
    public void Wait()
    {
        if (TryTakeOffer())
        {
            CarryOut(isPooled: false);
        }
        else
        {
            ((Task?)Task)?.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();
        }
    }

    /// <summary>
    /// Ends with the transfer, or when a token is cancelled, which does not end the transfer: not every one of a pipe can be. Does not
    /// throw. Not for transfers in a ring.
    /// </summary>
    /// <param name="closing">Its owner's end; whoever cancels that does not run what follows here.</param>
    /// <param name="cancellationToken">The caller's.</param>
    public async Task WaitAsync(CancellationToken closing, CancellationToken cancellationToken)
    {
        if (Task is not { } task)
        {
            return;
        }

        using (CancellationTokenSource? either =
            cancellationToken.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(closing, cancellationToken) : null)
        {
            await ((Task)task).WaitAsync(either?.Token ?? closing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (closing.IsCancellationRequested)
        {
            await System.Threading.Tasks.Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }
    }

    /// <summary>Nobody begins what was offered from here on: what nobody has begun has ended, as cancelled.</summary>
    public void Withdraw()
    {
        if (TryTakeOffer())
        {
            _outcome!.SetCanceled();
        }
    }

    /// <summary>
    /// Gives the memory back when the transfer has ended, whoever ends it; its error has no one left to hear of it. Not for transfers in a
    /// ring.
    /// </summary>
    public void ReturnWhenEnded()
    {
        Withdraw();
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

    public Span<byte> Span => Block.Span[..Length];

    private bool TryTakeOffer() => Interlocked.CompareExchange(ref _isOffered, 0, 1) == 1;

    /// <summary>By whoever took the offer. Afterwards the object is its owner's again.</summary>
    private void CarryOut(bool isPooled)
    {
        TaskCompletionSource<int> outcome = _outcome!;
        int bytes = Length;
        Exception? error = null;
        try
        {
            if (IsRead)
            {
                bytes = IoOperation.Read(_handle!, Span, Offset);
            }
            else
            {
                IoOperation.Write(_handle!, Span, Offset);
            }
        }
        catch (Exception e)
        {
            error = e;
        }

        if (isPooled)
        {
            // Here the pool's work ends: what follows is that of whoever waits.
            IoMetrics.NotePooled(-1);
        }

        if (error is null)
        {
            outcome.SetResult(bytes);
        }
        else
        {
            outcome.SetException(error);
        }
    }
}
