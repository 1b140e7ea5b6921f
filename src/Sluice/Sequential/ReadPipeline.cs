using System.Diagnostics.CodeAnalysis;
using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// The blocks of a file in order. Direct reads are several at a time: through a ring of the pipeline's own where the caller waits, through
/// the handle's engine where it awaits. All others are one at a time. One caller at a time.
/// </summary>
/// <remarks>
/// Only a read of 0 bytes is the end of a file. Lengths are looked at for direct files alone, to bound what is read ahead: the length of a
/// file of /proc is 0, and a network file system may report an old one.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "A token source without a timer need not be disposed of, and may be cancelled late.")]
internal sealed class ReadPipeline
{
    private const int PageBytes = 4096;

    /// <summary>
    /// The first block of a cached file, in bytes. Most files are small, and larger blocks are cut from huge pages.
    /// </summary>
    private const int FirstCachedBytes = 16 * 1024;

    private readonly SluiceHandle _handle;
    private readonly bool _isFixedSize;
    private readonly bool _isDirect;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();

    /// <summary>Ends what is awaited.</summary>
    private readonly CancellationTokenSource _closing = new();
    private SequentialRingLease? _lease;
    private bool _ringRefused;
    private long _nextOffset;
    private long _length = -1;
    private int _call;

    /// <summary>A read came back full: the file is longer than the first block.</summary>
    private bool _isLong;

    public ReadPipeline(SluiceHandle handle, long offset, int requestSizeBytes, int depth)
    {
        _handle = handle;
        _nextOffset = offset;
        _isDirect = handle.Caching == FileCaching.Direct && handle.CanSeek;
        _isFixedSize = requestSizeBytes != 0;
        Depth = !_isDirect ? 1 : depth != 0 ? depth : RequestSizes.DirectDepth;
        RequestSizeBytes = _isFixedSize ? RoundUp(requestSizeBytes, handle.Alignment.Length)
            : _isDirect ? RequestSizes.DirectBytes : RequestSizes.CachedBytes;
    }

    public int Depth { get; }

    public int RequestSizeBytes { get; }

    /// <summary>The next block, which is the caller's until <see cref="Release"/>; null at the end of the file.</summary>
    public BlockTransfer? Next()
    {
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
        Fill(isAsync: true);
        BlockTransfer head = _inFlight.Peek();
        if (head.IsInRing)
        {
            // Left by a synchronous call before this one; the device answers soon.
            _lease!.Ring.Wait(head);
        }

        return head.IsComplete ? new ValueTask<BlockTransfer?>(Deliver()) : WaitAsync(head);

        async ValueTask<BlockTransfer?> WaitAsync(BlockTransfer head)
        {
            await head.WaitAsync(_closing.Token, cancellationToken).ConfigureAwait(false);
            return Deliver();
        }
    }

    /// <summary>Takes a block back that <see cref="Next"/> gave.</summary>
    public void Release(BlockTransfer transfer) => _idle.Push(transfer);

    /// <summary>Forgets what was read ahead; the next block begins at <paramref name="offset"/>.</summary>
    public void Seek(long offset)
    {
        DropInFlight();
        _nextOffset = offset;
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
    public void CancelAwaited() => _closing.Cancel();

    private static int RoundUp(int size, int unit) => (size + unit - 1) / unit * unit;

    /// <summary>
    /// Begins reads: of a direct file several up to its length, and behind that one alone, which finds out whether there is more.
    /// </summary>
    private void Fill(bool isAsync)
    {
        _call++;
        if (_isDirect && _inFlight.Count == 0 && _nextOffset >= _length)
        {
            _length = _handle.LengthToReadAhead();
        }

        // Without a ring, a synchronous read ends before the next one begins.
        while (_inFlight.Count == 0 || (_inFlight.Count < Depth && _nextOffset < _length && (isAsync || _lease is not null)))
        {
            Read(isAsync);
        }

        _lease?.Ring.Submit();
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
            else if (!_isDirect)
            {
                transfer.Result = _handle.ReadOnce(transfer.Span, transfer.Offset);
            }
            else if (_nextOffset >= _length
                || !SequentialRingLease.TryQueue(ref _lease, ref _ringRefused, _handle, isRead: true, transfer))
            {
                // FUSE is not asked for what is behind the length that it told where the read comes by a ring.
                transfer.Result = _handle.Read(transfer.Span, transfer.Offset);
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
        if (!_isDirect)
        {
            return _isFixedSize || _isLong ? length : Math.Min(length, FirstCachedBytes);
        }

        // Up to the next border, so that whatever follows is aligned.
        int unit = Math.Max(_handle.Alignment.Offset, PageBytes);
        int misaligned = (int)(_nextOffset % unit);
        return misaligned == 0 ? length : unit - misaligned;
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
#pragma warning disable CA2012 // Its result is taken here, or it becomes a task.
        ValueTask<int> task = _handle.ReadAsync(transfer.Memory, transfer.Offset, _closing.Token);
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
        }

        if (bytes == 0)
        {
            _idle.Push(head);
            return null;
        }

        return head;
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
            ObjectDisposedException.ThrowIf(task.IsCanceled && _closing.IsCancellationRequested, typeof(SluiceReader));
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
