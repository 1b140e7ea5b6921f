using System.Diagnostics;
using Sluice.Engines;

namespace Sluice.Sequential;

/// <summary>
/// The blocks of a file in order, with reads in flight ahead of the caller: direct reads several at a time, through a ring of its own
/// where the caller waits for them, through the handle's engine where the caller awaits them; all others one at a time, in order.
/// One caller at a time.
/// </summary>
internal sealed partial class ReadPipeline
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
    private int _call;
    private bool _endSeen;
    private bool _readsAhead;

    public ReadPipeline(SluiceHandle handle, long offset, int requestSizeBytes, int depth)
    {
        _handle = handle;
        handle.IsWaitedFor = true;
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
        _call++;
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
        _call++;
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
            await (_canSeek ? ((Task)head.Task!).WaitAsync(cancellationToken) : head.WaitAsync(_closing!.Token, cancellationToken))
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!head.IsComplete)
            {
                cancellationToken.ThrowIfCancellationRequested();
                throw new ObjectDisposedException(nameof(SluiceReader));
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
            catch (Exception)
            {
                // This block has been read: the next call meets the error.
            }
        }

        _readsAhead = true;
        return block;
    }

    /// <summary>
    /// How much of a block the file still has: what was read ahead for an earlier call may have been cut off since. Files without a length
    /// of their own are believed.
    /// </summary>
    private int BytesStillThere(BlockTransfer transfer, int bytes)
    {
        if (transfer.Call == _call || !_canSeek || _length is <= 0 or long.MaxValue)
        {
            return bytes;
        }

        try
        {
            return (int)Math.Clamp(_handle.Length - transfer.Offset, 0, bytes);
        }
        catch (Exception e) when (e is IOException or NotSupportedException)
        {
            // The device is gone, and RandomAccess may take its file for one that cannot seek: this block was read before, and the next
            // one's error has its offset.
            return bytes;
        }
    }

    /// <summary>Takes the first read, which has completed, out of the queue.</summary>
    private BlockTransfer? Deliver(bool waited)
    {
        BlockTransfer head = _inFlight.Dequeue();
        int bytes;
        try
        {
            bytes = BytesStillThere(head, Finish(head));
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
}
