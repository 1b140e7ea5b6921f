using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// The blocks of a file in order. Direct reads are several at a time: through a ring of the pipeline's own where the caller waits, through
/// the handle's engine where it awaits. All others are one at a time. One caller at a time.
/// </summary>
/// <remarks>
/// Only a read of 0 bytes is the end of a file. Lengths are looked at for direct files alone, to bound what is read ahead and to spare the
/// last of these reads: the length of a file of /proc is 0, and a network file system may report an old one.
/// </remarks>
internal sealed class ReadPipeline
{
    private const int PageBytes = 4096;

    /// <summary>
    /// The first block of a cached file, in bytes. Most files are small, and larger blocks are cut from huge pages.
    /// </summary>
    private const int FirstCachedBytes = 16 * 1024;

    private static readonly CancellationTokenSource Closed = MakeClosed();

    private readonly SluiceHandle _handle;
    private readonly bool _isFixedSize;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();

    /// <summary>Ends what is awaited; <see cref="Closed"/> when that was asked for before anything was.</summary>
    private CancellationTokenSource? _closing;
    private SequentialRingLease? _lease;
    private bool _ringRefused;
    private long _nextOffset;
    private long _length = -1;
    private int _call;

    /// <summary>A read came back full: the file is longer than the first block.</summary>
    private bool _isLong;
    private bool _endSeen;
    private bool _readsAhead;

    public ReadPipeline(SluiceHandle handle, long offset, int requestSizeBytes, int depth)
    {
        _handle = handle;
        _nextOffset = offset;
        IsOverlapped = handle.Caching == FileCaching.Direct && handle.CanSeek;
        _isFixedSize = requestSizeBytes != 0;
        Depth = !IsOverlapped ? 1 : depth != 0 ? depth : RequestSizes.DirectDepth;
        RequestSizeBytes = _isFixedSize ? RoundUp(requestSizeBytes, handle.Alignment.Length)
            : IsOverlapped ? RequestSizes.DirectBytes : RequestSizes.CachedBytes;
    }

    /// <summary>Several reads are in flight at once.</summary>
    public bool IsOverlapped { get; }

    public int Depth { get; }

    public int RequestSizeBytes { get; }

    /// <summary>
    /// The next direct read begins at or behind the length of the file. The kernel does not ask FUSE for it where it comes by a ring, and
    /// answers that the file ends: it has to be a call.
    /// </summary>
    private bool IsBehindLength => _nextOffset >= _length;

    /// <summary>The next block, which is the caller's until <see cref="Release"/>; null at the end of the file.</summary>
    public BlockTransfer? Next()
    {
        _call++;
        if (TakeEnd())
        {
            return null;
        }

        Fill(isAsync: false);
        BlockTransfer head = _inFlight.Peek();
        if (head.IsInRing)
        {
            _lease!.Ring.Wait(head);
        }
        else
        {
            head.Wait();
        }

        return Deliver();
    }

    /// <summary>As <see cref="Next"/>, without blocking. Cancelled, it has taken nothing: the next call gets the same block.</summary>
    public ValueTask<BlockTransfer?> NextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _call++;
        if (TakeEnd())
        {
            return default;
        }

        Fill(isAsync: true);
        if (_inFlight.Peek().IsComplete)
        {
            _readsAhead = false;
            return new ValueTask<BlockTransfer?>(Deliver());
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
            transfer.Block.Return();
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

    /// <summary>A direct block that ended with the file was the last one: the next call says so, and the one after it reads again.</summary>
    private bool TakeEnd()
    {
        bool result = _endSeen;
        _endSeen = false;
        return result;
    }

    private void Fill(bool isAsync)
    {
        while (_inFlight.Count < Depth && MayRead())
        {
            Read(isAsync);
        }

        _lease?.Ring.Submit();
    }

    /// <summary>Several at a time up to the length; behind it one alone finds out whether there is more.</summary>
    private bool MayRead()
    {
        if (_inFlight.Count > 0)
        {
            return _nextOffset < _length;
        }

        if (IsOverlapped && _nextOffset >= _length)
        {
            _length = _handle.LengthToReadAhead();
        }

        return true;
    }

    private void Read(bool isAsync)
    {
        int length = NextLength();
        BlockTransfer transfer = Rent(length);
        bool hasBegun = false;
        try
        {
            transfer.Offset = _nextOffset;
            transfer.Length = length;
            transfer.Call = _call;
            if (isAsync)
            {
                Start(transfer);
            }
            else if (!IsOverlapped)
            {
                transfer.Result = _handle.ReadOnce(transfer.Span, transfer.Offset);
            }
            else if (IsBehindLength || !SequentialRingLease.TryQueue(ref _lease, ref _ringRefused, _handle, isRead: true, transfer))
            {
                transfer.Offer(_handle, isRead: true);
            }

            _nextOffset += length;
            _inFlight.Enqueue(transfer);
            hasBegun = true;
        }
        finally
        {
            if (!hasBegun)
            {
                _idle.Push(transfer);
            }
        }
    }

    private int NextLength()
    {
        int length = RequestSizeBytes;
        if (!IsOverlapped)
        {
            return _isFixedSize || _isLong ? length : Math.Min(length, FirstCachedBytes);
        }

        int unit = Math.Max(_handle.Alignment.Offset, PageBytes);
        if (_nextOffset % unit != 0)
        {
            // Up to the next border, so that whatever follows is aligned.
            return (int)(unit - (_nextOffset % unit));
        }

        long rest = _length - _nextOffset;
        if (_isFixedSize || _length == 0 || rest >= length)
        {
            return length;
        }

        // One byte more than there is, so that the read comes short and tells that the file ends.
        return (int)Math.Min(length, (Math.Max(rest, 0) / unit * unit) + unit);
    }

    private BlockTransfer Rent(int length)
    {
        if (_idle.TryPeek(out BlockTransfer? transfer))
        {
            transfer.MakeRoom(length);
            return _idle.Pop();
        }

        return new BlockTransfer(AlignedBufferPool.RentOfMany(length));
    }

    private void Start(BlockTransfer transfer)
    {
        if (IsOverlapped && (IsBehindLength || _handle.EngineInUse is ThreadPoolEngine))
        {
            // It would wait for a thread of the pool in any case; offered, a synchronous call that follows need not.
            transfer.Offer(_handle, isRead: true);
            return;
        }

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
            await (_handle.CanSeek ? ((Task)head.Task!).WaitAsync(cancellationToken) : head.WaitAsync(_closing!.Token, cancellationToken))
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!head.IsComplete)
            {
                cancellationToken.ThrowIfCancellationRequested();
                throw new ObjectDisposedException(nameof(SluiceReader));
            }
        }

        BlockTransfer? block = Deliver();
        if (block is not null && !IsOverlapped && _readsAhead && _handle.CanSeek && !cancellationToken.IsCancellationRequested)
        {
            // What had to be waited for twice in a row is read while the caller works on this block.
            try
            {
                Fill(isAsync: true);
            }
            catch (Exception)
            {
                // This block has been read: the next call meets the error.
            }
        }

        _readsAhead = true;
        return block;
    }

    /// <summary>Takes the first read, which has completed, out of the queue.</summary>
    private BlockTransfer? Deliver()
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
        if (head.Call != _call)
        {
            IoMetrics.NoteReadAhead(bytes, isUsed: true);
        }

        _isLong |= bytes == head.Length;
        if (bytes < head.Length)
        {
            // Whatever was read behind this place does not follow on it.
            Seek(head.Offset + bytes);
            _endSeen = IsOverlapped && bytes > 0 && EndsAt(_nextOffset);
        }

        if (bytes == 0)
        {
            _idle.Push(head);
            return null;
        }

        return head;
    }

    /// <summary>Whether a file with a length ends at an offset.</summary>
    private bool EndsAt(long offset)
    {
        _length = _handle.LengthToReadAhead();
        return _length > 0 && offset >= _length;
    }

    /// <summary>
    /// The bytes of a completed read. One that failed in the ring is made once more, for its exception; and so is one that found nothing there
    /// where the length does not confirm the end, since an asynchronous direct read of FUSE does not ask behind the length that it was told.
    /// </summary>
    private int Finish(BlockTransfer transfer)
    {
        if (transfer.Task is { } task)
        {
            transfer.Task = null;
            ObjectDisposedException.ThrowIf(task.IsCanceled && _closing is { IsCancellationRequested: true }, typeof(SluiceReader));
            return task.GetAwaiter().GetResult();
        }

        bool isFinal = transfer.Result > 0
            || (transfer.Result == 0 && (_lease is null || _handle.IsConfirmedEnd(transfer.Offset)));
        return isFinal ? transfer.Result : _handle.Read(transfer.Span, transfer.Offset);
    }

    private void DropInFlight()
    {
        while (_inFlight.TryDequeue(out BlockTransfer? transfer))
        {
            if (transfer.IsInRing)
            {
                _lease!.Ring.Wait(transfer);
            }

            transfer.Withdraw();
            IoMetrics.NoteReadAhead(transfer.Length, isUsed: false);
            if (!transfer.IsComplete)
            {
                transfer.ReturnWhenEnded();
                continue;
            }

            // Observed, so that an error of a block that nobody asked for is not reported as lost.
            _ = transfer.Task?.Exception;
            transfer.Task = null;
            _idle.Push(transfer);
        }
    }
}
