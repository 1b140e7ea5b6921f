using System.Runtime.CompilerServices;
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
            PoolWork.Queue(this);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _isQueued, 0);
        bool isTaken = TryTakeOffer();
        TaskCompletionSource<int>? outcome = _outcome;
#pragma warning disable CA2012 // Its result is taken below, once.
        ValueTaskAwaiter<int> transfer = (isTaken ? Begin() : default).GetAwaiter();
#pragma warning restore CA2012

        // Here the pool's work ends: what follows is that of whoever waits.
        IoMetrics.NotePooled(-1);
        if (!isTaken)
        {
            return;
        }

        if (transfer.IsCompleted)
        {
            End(outcome!, transfer);
        }
        else
        {
            // Not this thread's time: whoever makes way at the file's gate, or the engine, has it go on.
            EndLater(outcome!, transfer);
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
            CarryOut();
        }
        else if (Task is { IsCompleted: false } task)
        {
            PoolWork.Wait(task);
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

    /// <summary>The transfer on this thread of the pool; what would have to wait is left under way.</summary>
    private ValueTask<int> Begin()
    {
        try
        {
            Memory<byte> memory = Block.Memory[..Length];
            IoOperation operation = IsRead
                ? IoOperation.ForRead(_handle!, memory, Offset, 0, CancellationToken.None)
                : IoOperation.ForWrite(_handle!, memory, Offset, 0, CancellationToken.None);
            short version = operation.Version;
            operation.Start(isPooled: true);
            return new ValueTask<int>(operation, version);
        }
        catch (Exception e)
        {
            return ValueTask.FromException<int>(e);
        }
    }

    /// <summary>By the caller, who took the offer.</summary>
    private void CarryOut()
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

        End(outcome, bytes, error);
    }

    private static void EndLater(TaskCompletionSource<int> outcome, ValueTaskAwaiter<int> transfer) =>
        transfer.UnsafeOnCompleted(() => End(outcome, transfer));

    private static void End(TaskCompletionSource<int> outcome, ValueTaskAwaiter<int> transfer)
    {
        int bytes = 0;
        Exception? error = null;
        try
        {
            bytes = transfer.GetResult();
        }
        catch (Exception e)
        {
            error = e;
        }

        End(outcome, bytes, error);
    }

    /// <summary>
    /// Afterwards the object is its owner's again. An interruption of this thread is not for it: whoever waits is told, or looks again by
    /// itself, and the interruption is kept for the next wait.
    /// </summary>
    private static void End(TaskCompletionSource<int> outcome, int bytes, Exception? error) =>
        Uninterrupted.UntilDone((outcome, bytes, error), static end =>
        {
            // Decided once; an interruption comes while others are told of it.
            _ = end.error is null ? end.outcome.TrySetResult(end.bytes) : end.outcome.TrySetException(end.error);
            Seam.Wait();
        });
}
