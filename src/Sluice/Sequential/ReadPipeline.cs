using System.Diagnostics.CodeAnalysis;
using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// Reads the blocks of a file in order. Direct reads are issued several at a time: through a ring of the pipeline for synchronous calls,
/// and through the handle's engine for asynchronous calls. All other reads are issued one at a time. Supports one caller at a time.
/// </summary>
/// <remarks>
/// Only a read of 0 bytes means the end of the file. The length is read only for direct files, to limit the read-ahead: it is 0 for files
/// in /proc, and a network file system may report an old length.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "A token source without a timer need not be disposed of, and may be cancelled late.")]
internal sealed class ReadPipeline
{
    private const int PageBytes = 4096;

    /// <summary>
    /// The size of the first block of a cached file, in bytes. Most files are small, and larger blocks are cut from huge pages.
    /// </summary>
    private const int FirstCachedBytes = 16 * 1024;

    private readonly SluiceHandle _handle;
    private readonly bool _isFixedSize;
    private readonly bool _isDirect;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();

    /// <summary>Cancels asynchronous waits when the reader is closed.</summary>
    private readonly CancellationTokenSource _closing = new();
    private SequentialRingLease? _lease;
    private bool _ringRefused;
    private long _nextOffset;
    private long _length = -1;
    private int _call;

    /// <summary>True if a read returned a full block, which indicates that the file is longer than the first block.</summary>
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

    /// <summary>Returns the next block, which the caller owns until <see cref="Release"/>, or null at the end of the file.</summary>
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

    /// <summary>
    /// Asynchronously returns the next block, or null at the end of the file. If it is canceled, nothing was consumed: the next call
    /// returns the same block.
    /// </summary>
    public ValueTask<BlockTransfer?> NextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Fill(isAsync: true);
        BlockTransfer head = _inFlight.Peek();
        if (head.IsInRing)
        {
            // A synchronous call started this read; waiting for it is short.
            _lease!.Ring.Wait(head);
        }

        return head.IsComplete ? new ValueTask<BlockTransfer?>(Deliver()) : WaitAsync(head);

        async ValueTask<BlockTransfer?> WaitAsync(BlockTransfer head)
        {
            await head.WaitAsync(_closing.Token, cancellationToken).ConfigureAwait(false);
            return Deliver();
        }
    }

    /// <summary>Takes back a block that <see cref="Next"/> returned.</summary>
    public void Release(BlockTransfer transfer) => _idle.Push(transfer);

    /// <summary>Discards what was read ahead. The next block begins at <paramref name="offset"/>.</summary>
    public void Seek(long offset)
    {
        DropInFlight();
        _nextOffset = offset;
    }

    /// <summary>Releases all resources. Transfers in progress keep their memory until they have ended.</summary>
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

    /// <summary>Cancels an asynchronous wait. The call that waits then calls <see cref="Close"/>.</summary>
    public void CancelAwaited() => _closing.Cancel();

    private static int RoundUp(int size, int unit) => (size + unit - 1) / unit * unit;

    /// <summary>
    /// Starts reads: for a direct file several up to its length, and then a single one that detects whether the file has grown.
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
                transfer.Result = _handle.ReadSome(transfer.Span, transfer.Offset);
            }
            else if (_nextOffset >= _length
                || !SequentialRingLease.TryQueue(ref _lease, ref _ringRefused, _handle, isRead: true, transfer))
            {
                // Reads beyond the known length use the handle: on FUSE, a read through the ring does not ask the server for data beyond
                // the length that it reported.
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

        // Reads up to the next boundary, so that the following reads are aligned.
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
#pragma warning disable CA2012 // The result is taken here, or the ValueTask is converted to a task.
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

    /// <summary>
    /// Removes the first read, which must have completed, from the queue. Returns its block, or null at the end of the file.
    /// </summary>
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
            // Discards reads after this position, which no longer follow it.
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
    /// Returns the number of bytes of a completed read. A read that failed in the ring is repeated with a system call to get the exception.
    /// A read of 0 bytes in the ring is repeated unless the file length confirms the end: on FUSE, an asynchronous direct read does not ask
    /// the server for bytes beyond the reported length.
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

            // Observes the exception of a block that no caller needs, so that it is not reported as unobserved.
            _ = transfer.Task?.Exception;
            transfer.Task = null;
            _idle.Push(transfer);
        }
    }
}
