using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Sluice.Buffers;

namespace Sluice.Sequential;

/// <summary>
/// The blocks of a file in order, with reads in flight ahead of the caller: direct reads several at a time, through a ring of its own
/// where the caller waits for them, through the handle's engine where the caller awaits them; all others one at a time, in order.
/// One caller at a time.
/// </summary>
internal sealed class ReadPipeline
{
    private const int PageBytes = 4096;

    private static readonly CancellationTokenSource Closed = MakeClosed();

    private readonly SluiceHandle _handle;
    private readonly RequestTuner _tuner;
    private readonly bool _isFixedSize;
    private readonly bool _canSeek;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();
    /// <summary>Ends what is awaited; <see cref="Closed"/> when that was asked for before anything was.</summary>
    private CancellationTokenSource? _closing;
    private SequentialRingLease? _lease;
    private bool _ringRefused;
    private long _nextOffset;
    private long _length = -1;
    private bool _endSeen;
    private bool _readsAhead;

    public ReadPipeline(SluiceHandle handle, long offset, int requestSizeBytes, int depth)
    {
        _handle = handle;
        _nextOffset = offset;
        _canSeek = handle.CanSeek;
        IsOverlapped = handle.Caching == FileCaching.Direct && _canSeek;
        _isFixedSize = requestSizeBytes != 0;
        _tuner = new RequestTuner(IsOverlapped, RoundUp(requestSizeBytes, handle.Alignment.Length), depth);
    }

    /// <summary>Several reads are in flight at once.</summary>
    public bool IsOverlapped { get; }

    public int Depth => IsOverlapped ? _tuner.Depth : 1;

    public int RequestSizeBytes => _tuner.SizeBytes;

    /// <summary>The next block, which is the caller's until <see cref="Release"/>; null at the end of the file.</summary>
    public BlockTransfer? Next()
    {
        if (TakeEnd())
        {
            return null;
        }

        Fill(isAsync: false);
        BlockTransfer head = _inFlight.Peek();
        bool waited = !head.IsComplete || !IsOverlapped;
        Wait(head);
        return Deliver(waited);
    }

    /// <summary>As <see cref="Next"/>, without blocking. Cancelled, it has taken nothing: the next call gets the same block.</summary>
    public ValueTask<BlockTransfer?> NextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (TakeEnd())
        {
            return default;
        }

        Fill(isAsync: true);
        if (_inFlight.Peek().IsComplete)
        {
            _readsAhead = false;
            return new ValueTask<BlockTransfer?>(Deliver(waited: !IsOverlapped));
        }

        return WaitAsync(cancellationToken);
    }

    /// <summary>Takes a block back that <see cref="Next"/> gave.</summary>
    public void Release(BlockTransfer transfer) => _idle.Push(transfer);

    /// <summary>Forgets what was read ahead; the next block begins at <paramref name="offset"/>.</summary>
    public void Seek(long offset)
    {
        DropInFlight();
        _nextOffset = offset;
        _endSeen = false;
    }

    /// <summary>Gives the file up: what is in flight is cancelled, and its memory kept until it has ended.</summary>
    public void Close()
    {
        CancelAwaited();
        _lease?.Dispose();
        _lease = null;
        DropInFlight();
        while (_idle.TryPop(out BlockTransfer? transfer))
        {
            AlignedBufferPool.Return(transfer.Block);
        }
    }

    /// <summary>Asks what is awaited to end; <see cref="Close"/> comes from whoever awaits it.</summary>
    public void CancelAwaited() => Interlocked.CompareExchange(ref _closing, Closed, null)?.Cancel();

    private static CancellationTokenSource MakeClosed()
    {
        CancellationTokenSource result = new();
        result.Cancel();
        return result;
    }

    private static int RoundUp(int size, int unit) => (size + unit - 1) / unit * unit;

    /// <summary>A block that came short was the last one: the next call says so without looking again, the one after it looks.</summary>
    private bool TakeEnd()
    {
        bool result = _endSeen;
        _endSeen = false;
        return result;
    }

    private void Fill(bool isAsync)
    {
        int depth = IsOverlapped ? _tuner.Depth : 1;
        while (_inFlight.Count < depth && MayRead())
        {
            Read(isAsync);
        }

        if (_lease is { } lease)
        {
            lease.Ring.Submit();
        }
    }

    /// <summary>Up to the known end several at a time; behind it one alone finds out whether there is more.</summary>
    private bool MayRead()
    {
        if (_inFlight.Count > 0)
        {
            return _nextOffset < _length;
        }

        if (_nextOffset >= _length)
        {
            _length = _handle.LengthToReadAhead();
        }

        return true;
    }

    private void Read(bool isAsync)
    {
        int length = NextLength();
        BlockTransfer transfer = Rent(length);
        bool ended = false;
        try
        {
            transfer.Offset = _nextOffset;
            transfer.Length = length;
            if (isAsync)
            {
                Start(transfer);
            }
            else if (!TryQueue(transfer))
            {
                if (IsOverlapped)
                {
                    Start(transfer);
                }
                else
                {
                    transfer.Result = _handle.Read(transfer.Span, transfer.Offset);
                }
            }

            _nextOffset += length;
            _inFlight.Enqueue(transfer);
            ended = true;
        }
        finally
        {
            if (!ended)
            {
                _idle.Push(transfer);
            }
        }
    }

    private int NextLength()
    {
        int length = _tuner.SizeBytes;
        int unit = Math.Max(_handle.Alignment.Offset, PageBytes);
        if (IsOverlapped && _nextOffset % unit != 0)
        {
            // Up to the next border, so that whatever follows is aligned.
            return (int)(unit - (_nextOffset % unit));
        }

        long rest = _length - _nextOffset;
        if (_isFixedSize || !_canSeek || _length == 0 || rest >= length)
        {
            return length;
        }

        // One byte more than there is, so that the read comes short and tells that the file ends.
        return (int)Math.Min(length, (Math.Max(rest, 0) / unit * unit) + unit);
    }

    private BlockTransfer Rent(int length)
    {
        if (!_idle.TryPop(out BlockTransfer? transfer))
        {
            return new BlockTransfer(AlignedBufferPool.RentOfMany(length));
        }

        if (transfer.Block.Length < length)
        {
            AlignedBufferPool.Return(transfer.Block);
            transfer.Block = AlignedBufferPool.RentOfMany(length);
        }

        return transfer;
    }

    private bool TryQueue(BlockTransfer transfer)
    {
        if (_ringRefused || !_handle.AllowsOwnRing
            || !_handle.Alignment.IsAligned(transfer.Block.Address, transfer.Offset, transfer.Length))
        {
            return false;
        }

        _lease ??= SequentialRingLease.TryTake(_handle);
        if (_lease is null)
        {
            _ringRefused = true;
            return false;
        }

        _lease.Ring.Queue(isRead: true, _handle.Descriptor, transfer, _handle.TransferFlags);
        return true;
    }

    private void Start(BlockTransfer transfer)
    {
        if (_closing is null)
        {
            // Whoever disposes of the reader at this moment, on another thread, leaves its mark here first, or finds this one.
            _ = Interlocked.CompareExchange(ref _closing, new CancellationTokenSource(), null);
        }

#pragma warning disable CA2012 // Its result is taken here, or it becomes a task.
        ValueTask<int> task = _handle.ReadAsync(transfer.Block.Memory[..transfer.Length], transfer.Offset, _closing.Token);
#pragma warning restore CA2012
        if (task.IsCompletedSuccessfully)
        {
            transfer.Result = task.Result;
        }
        else
        {
            transfer.Task = task.AsTask();
        }
    }

    private void Wait(BlockTransfer transfer)
    {
        if (transfer.IsInRing)
        {
            _lease!.Ring.Wait(transfer);
        }
        else if (transfer.Task is { IsCompleted: false } task)
        {
            // Does not throw what the task failed with.
            Task.WaitAny(task);
        }
    }

    private async ValueTask<BlockTransfer?> WaitAsync(CancellationToken cancellationToken)
    {
        BlockTransfer head = _inFlight.Peek();
        if (head.IsInRing)
        {
            // Left by a synchronous call before this one; the device answers soon.
            _lease!.Ring.Wait(head);
        }
        else
        {
            await ((Task)head.Task!).WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!head.IsComplete)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }
        }

        BlockTransfer? block = Deliver(waited: true);
        if (block is not null && !_endSeen && !IsOverlapped && _canSeek && _readsAhead && !cancellationToken.IsCancellationRequested)
        {
            // What had to be waited for twice in a row is read while the caller works on this block.
            try
            {
                Fill(isAsync: true);
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // This block has been read: the next call meets the error.
            }
        }

        _readsAhead = true;
        return block;
    }

    /// <summary>Takes the first read, which has completed, out of the queue.</summary>
    private BlockTransfer? Deliver(bool waited)
    {
        BlockTransfer head = _inFlight.Dequeue();
        int bytes;
        try
        {
            bytes = Finish(head);
        }
        catch
        {
            _idle.Push(head);
            Seek(head.Offset);
            throw;
        }

        head.Result = bytes;
        if (!_canSeek)
        {
            _nextOffset = head.Offset + bytes;
        }
        else if (bytes < head.Length)
        {
            // The file ends here, or has lost what followed: whatever was read behind this place is not to be seen.
            Seek(head.Offset + bytes);
            _endSeen = bytes > 0 && _length > 0;
        }

        if (bytes == 0)
        {
            _idle.Push(head);
            return null;
        }

        _tuner.OnBlock(bytes, waited, Stopwatch.GetTimestamp());
        return head;
    }

    /// <summary>The bytes of a completed read; the rest of a short one, and an error's second try and exception, by the plain way.</summary>
    private int Finish(BlockTransfer transfer)
    {
        if (transfer.Task is { } task)
        {
            transfer.Task = null;
            ObjectDisposedException.ThrowIf(task.IsCanceled, typeof(SluiceReader));
            if (task.Exception is { } error)
            {
                ExceptionDispatchInfo.Throw(error.InnerException!);
            }

            return task.Result;
        }

        int got = Math.Max(transfer.Result, 0);
        if (got == transfer.Length || !_canSeek || (transfer.Result >= 0 && _handle.IsAtEnd(transfer.Offset + got)))
        {
            return got;
        }

        return got + _handle.Read(transfer.Span[got..], transfer.Offset + got);
    }

    private void DropInFlight()
    {
        while (_inFlight.TryDequeue(out BlockTransfer? transfer))
        {
            if (transfer.IsInRing)
            {
                _lease!.Ring.Wait(transfer);
            }

            if (transfer.Task is { IsCompleted: false } task)
            {
                // Its memory is given back when the transfer has ended, by whoever ends it.
                _ = task.ContinueWith(
                    static (ended, block) =>
                    {
                        // Observed, as below.
                        _ = ended.Exception;
                        AlignedBufferPool.Return((AlignedBuffer)block!);
                    },
                    transfer.Block, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
                continue;
            }

            // Observed, so that an error of a block that nobody asked for is not reported as lost.
            _ = transfer.Task?.Exception;
            transfer.Task = null;
            _idle.Push(transfer);
        }
    }
}
