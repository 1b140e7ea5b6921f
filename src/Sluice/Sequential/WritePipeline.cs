using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// Blocks on their way to a file, in order: direct ones several at a time, through a ring of the writer's own where the caller waits,
/// through the handle's engine where it awaits; cached ones at once. The space ahead is allocated in large steps and given back at the end.
/// One caller at a time. Methods that take isAsync complete before they return when it is false.
/// </summary>
/// <remarks>
/// What goes through the ring does not hold <see cref="OpenFile.DirectGate"/>, which a caller that writes an edge of the same file
/// would wait for in vain: instead, such blocks begin and end at page borders, so that no page has both an edge and a block in flight.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "A token source without a timer need not be disposed of, and may be cancelled late.")]
internal sealed class WritePipeline
{
    private const int PageBytes = 4096;

    private readonly SluiceHandle _handle;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();
    private readonly bool _canSeek;
    private readonly SpaceAhead _space;
    private readonly int _unit;

    /// <summary>Ends what waits for the other end of a pipe. The writes of a file end by themselves.</summary>
    private readonly CancellationTokenSource _closing = new();
    private IProgress<long>? _progress;
    private ExceptionDispatchInfo? _progressError;
    private bool _isClosing;
    private SequentialRingLease? _lease;
    private bool _ringRefused;
    private BlockTransfer? _block;
    private long _blockOffset;
    private int _filled;
    private int _written;
    private int _limit;
    private ExceptionDispatchInfo? _fault;
    private long _faultOffset;

    /// <summary>How far a write past the block that failed may have come.</summary>
    private long _reached;
    private long _flushedTo;

    public WritePipeline(SluiceHandle handle, long offset, SluiceWriterOptions options)
    {
        _handle = handle;
        _canSeek = handle.CanSeek;
        _blockOffset = offset;
        _flushedTo = offset;
        _progress = options.Progress;
        IsDirect = handle.Caching == FileCaching.Direct && _canSeek;
        _unit = IsDirect ? Math.Max(handle.Alignment.Offset, PageBytes) : 1;
        Depth = !IsDirect ? 1 : options.Depth != 0 ? options.Depth : RequestSizes.DirectDepth;
        RequestSizeBytes = options.RequestSize != 0 ? (options.RequestSize + _unit - 1) / _unit * _unit
            : IsDirect ? RequestSizes.DirectBytes : RequestSizes.CachedBytes;
        _space = new SpaceAhead(handle, offset, options.PreallocationSize);
    }

    /// <summary>Several writes may be in flight at once.</summary>
    public bool IsDirect { get; }

    public int Depth { get; }

    public int RequestSizeBytes { get; }

    /// <summary>Where the next byte goes.</summary>
    public long Position => _blockOffset + _filled;

    /// <summary>Nothing is buffered that the file has not got.</summary>
    public bool IsBlockEmpty => _filled == _written;

    /// <summary>The current block takes no more; <see cref="PushAsync"/> sends it off.</summary>
    public bool IsFull => _filled > 0 && _filled == _limit;

    /// <summary>Room in the current block; none when it <see cref="IsFull"/>.</summary>
    public Memory<byte> Room
    {
        get
        {
            if (_block is null)
            {
                StartBlock();
            }

            return _block!.Block.Memory[_filled.._limit];
        }
    }

    public void Advance(int bytes) => _filled += bytes;

    /// <summary>
    /// Sends the full block off, as soon as fewer than <see cref="Depth"/> are in flight. Cancelled, it has not been sent.
    /// </summary>
    public async ValueTask PushAsync(bool isAsync, CancellationToken cancellationToken)
    {
        ThrowIfFaulted();
        cancellationToken.ThrowIfCancellationRequested();
        while (_inFlight.TryPeek(out BlockTransfer? oldest) && (_inFlight.Count >= Depth || oldest.IsComplete))
        {
            await TakeOldestAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        BlockTransfer block = _block!;
        block.Offset = _blockOffset;
        block.Length = _filled;
        _space.Ensure(_blockOffset + _filled);
        _block = null;
        _blockOffset += _filled;
        _filled = 0;
        _written = 0;
        Submit(block, isAsync);
    }

    /// <summary>
    /// Writes the caller's own bytes past the block, as one write. The block is empty, and the file is not direct. A write that has begun
    /// is not cancelled: the file could be longer than the position says.
    /// </summary>
    public async ValueTask WriteThroughAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        Debug.Assert(_canSeek, "Dispose gives the wait for a pipe up, and leaves what is in flight its memory.");
        await DrainAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            await _handle.WriteAsync(bytes, _blockOffset, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            FaultBehindBlock(e, bytes.Length);
            throw;
        }

        PassOver(bytes.Length);
    }

    /// <summary>As <see cref="WriteThroughAsync"/>, synchronously.</summary>
    public void WriteThrough(ReadOnlySpan<byte> bytes, CancellationToken cancellationToken)
    {
        Ended(DrainAsync(isAsync: false, cancellationToken));
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            _handle.Write(bytes, _blockOffset);
        }
        catch (Exception e)
        {
            FaultBehindBlock(e, bytes.Length);
            throw;
        }

        PassOver(bytes.Length);
    }

    /// <summary>
    /// Returns when the operating system has everything that was written so far, the tail exact to the byte. To a pipe the tail goes as a
    /// block: nobody knows how much of a write that is cancelled went out, so that a token ends the wait for it alone.
    /// </summary>
    public async ValueTask FlushAsync(bool isAsync, CancellationToken cancellationToken)
    {
        if (!_canSeek && _filled > 0)
        {
            await PushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        await DrainAsync(isAsync, cancellationToken).ConfigureAwait(false);
        if (IsBlockEmpty)
        {
            _flushedTo = Position;
            return;
        }

        try
        {
            // From the last page border on: the bytes in front of _written are in the file already.
            int from = _written / _unit * _unit;
            if (isAsync)
            {
                await _handle.WriteAsync(_block!.Block.Memory[from.._filled], _blockOffset + from, cancellationToken)
                    .ConfigureAwait(false);
            }
            else
            {
                _handle.Write(_block!.Block.Span[from.._filled], _blockOffset + from);
            }
        }
        catch (Exception e) when (IsFinal(e, cancellationToken))
        {
            Fault(e, _blockOffset + _written);
            throw;
        }

        KeepTail();
        _flushedTo = Position;
        Report(Position);
    }

    /// <summary>
    /// Returns when the device has everything that was flushed. An error is final, as that of a write is: the system tells it once, and
    /// takes what it could not write for written from then on.
    /// </summary>
    public async ValueTask FlushToDiskAsync(bool isAsync, CancellationToken cancellationToken)
    {
        try
        {
            if (isAsync)
            {
                await _handle.FlushDataToDiskAsync(cancellationToken).ConfigureAwait(false);
            }
            else
            {
                _handle.FlushDataToDisk();
            }
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            Fault(e, Position);
            throw;
        }
    }

    /// <summary>Asks what waits for the other end of a pipe to end; the writer is closed by whoever awaits it.</summary>
    public void CancelAwaited()
    {
        if (!_canSeek)
        {
            _closing.Cancel();
        }
    }

    /// <summary>From here on an exception of the progress stops nothing; <see cref="ThrowProgressError"/> throws it.</summary>
    /// <param name="isBlockLent">Whether the caller has memory of the current block that it has not taken leave of.</param>
    public void BeginClosing(bool isBlockLent)
    {
        _isClosing = true;
        if (_block is not null)
        {
            _block.IsLent = isBlockLent;
        }
    }

    /// <summary>What the progress threw while the writer was being closed.</summary>
    public void ThrowProgressError() => _progressError?.Throw();

    /// <summary>Gives back the space that was allocated ahead. Everything has been flushed, or writing has failed.</summary>
    public void Trim() =>
        // A failed block may begin in front of what was flushed: its first page was partly written before.
        _space.Trim(_fault is null ? Position : Math.Max(_faultOffset, _flushedTo), Math.Max(Position, _reached), IsFaulted);

    /// <summary>Nothing more is written, and what was not flushed is to be cut off.</summary>
    public void Abandon(Exception reason) => Fault(reason, _flushedTo);

    public bool IsFaulted => _fault is not null;

    /// <summary>The outcome of a method that was not to be asynchronous: it has ended.</summary>
    public static void Ended(ValueTask task)
    {
        Debug.Assert(task.IsCompleted, "A synchronous call must not leave work behind.");
        task.GetAwaiter().GetResult();
    }

    /// <summary>What failed once stays failed: bytes behind the error would leave a gap.</summary>
    public void ThrowIfFaulted() => _fault?.Throw();

    /// <summary>As <see cref="ThrowIfFaulted"/>, unless it was given up.</summary>
    public void ThrowIfFailed()
    {
        if (_fault is { SourceException: not OperationCanceledException } fault)
        {
            fault.Throw();
        }
    }

    /// <summary>After an error: returns when nothing is in flight that could still make the file longer.</summary>
    public async ValueTask EndTransfersAsync(bool isAsync)
    {
        if (!_canSeek)
        {
            // The other end of a pipe may never take it; it keeps its memory and the descriptor until it ends.
            CancelAwaited();
            return;
        }

        foreach (BlockTransfer transfer in _inFlight)
        {
            if (!isAsync)
            {
                transfer.Wait();
            }
            else if (transfer.Task is { } task)
            {
                await ((Task)task).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Ends all transfers and gives the memory back; nothing more is written.</summary>
    public void Close()
    {
        _lease?.Dispose();
        _lease = null;
        while (_inFlight.TryDequeue(out BlockTransfer? transfer))
        {
            transfer.ReturnWhenEnded();
        }

        while (_idle.TryPop(out BlockTransfer? idle))
        {
            idle.GiveBack();
        }

        _block?.GiveBack();
        _block = null;
    }

    private void Submit(BlockTransfer block, bool isAsync)
    {
        try
        {
            if (isAsync)
            {
#pragma warning disable CA2012 // It becomes a task, or has ended.
                ValueTask task = _handle.WriteAsync(block.Memory, block.Offset, _closing.Token);
#pragma warning restore CA2012
                if (task.IsCompletedSuccessfully)
                {
                    // Its operation is another one's only when it was asked for its result.
                    task.GetAwaiter().GetResult();
                    block.Result = block.Length;
                }
                else
                {
                    block.Task = AsCountAsync(task, block.Length);
                }
            }
            else if (!TryQueue(block))
            {
                _handle.Write(block.Span, block.Offset);
                block.Result = block.Length;
            }
        }
        catch (Exception e)
        {
            _idle.Push(block);
            Fault(e, block.Offset);
            throw;
        }

        // A task that has ended already may have failed: only TakeOldestAsync finds out.
        // An entry that the ring completed while it was submitted may have failed, or be short: that is told where its turn comes.
        if (block.Task is null && !block.IsInRing && block.Result == block.Length && _inFlight.Count == 0)
        {
            _idle.Push(block);
            Report(block.Offset + block.Length);
        }
        else
        {
            _inFlight.Enqueue(block);
        }
    }

    private static async Task<int> AsCountAsync(ValueTask task, int bytes)
    {
        await task.ConfigureAwait(false);
        return bytes;
    }

    /// <summary>Whole pages only: see the remarks of this class.</summary>
    private bool TryQueue(BlockTransfer block)
    {
        if (block.Offset % _unit != 0 || block.Length % _unit != 0
            || !SequentialRingLease.TryQueue(ref _lease, ref _ringRefused, _handle, isRead: false, block))
        {
            return false;
        }

        _lease!.Ring.Submit();
        return true;
    }

    private async ValueTask TakeOldestAsync(bool isAsync, CancellationToken cancellationToken)
    {
        BlockTransfer oldest = _inFlight.Peek();
        if (oldest.IsInRing)
        {
            _lease!.Ring.Wait(oldest);
        }
        else if (!isAsync)
        {
            oldest.Wait();
        }
        else if (!oldest.IsComplete)
        {
            await oldest.WaitAsync(_closing.Token, cancellationToken).ConfigureAwait(false);
        }

        try
        {
            Finish(oldest);
        }
        catch (Exception e)
        {
            Fault(e, oldest.Offset);
            throw;
        }

        _ = _inFlight.Dequeue();
        _idle.Push(oldest);
        Report(oldest.Offset + oldest.Length);
    }

    /// <summary>The rest of a short write, and an error's second try and exception, by the plain way.</summary>
    private void Finish(BlockTransfer transfer)
    {
        if (transfer.Task is { } task)
        {
            transfer.Task = null;
            transfer.Result = task.GetAwaiter().GetResult();
        }

        int done = Math.Max(transfer.Result, 0);
        if (done < transfer.Length)
        {
            _handle.Write(transfer.Span[done..], transfer.Offset + done);
        }
    }

    private async ValueTask DrainAsync(bool isAsync, CancellationToken cancellationToken)
    {
        ThrowIfFaulted();
        if (IsFull)
        {
            await PushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        while (_inFlight.Count > 0)
        {
            await TakeOldestAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }
    }

    private void StartBlock()
    {
        int misaligned = (int)(_blockOffset % _unit);
        int length = misaligned == 0 ? RequestSizeBytes : _unit - misaligned;
        if (_idle.TryPeek(out BlockTransfer? idle))
        {
            idle.MakeRoom(length);
            _block = _idle.Pop();
        }
        else
        {
            _block = new BlockTransfer(AlignedBufferPool.RentOfMany(length));
        }

        _limit = length;
    }

    /// <summary>After a flush in the middle of a block: goes on behind it, or, direct, from the last page border in front of it.</summary>
    private void KeepTail()
    {
        int keep = _blockOffset % _unit == 0 ? _filled % _unit : _filled;
        int done = _filled - keep;
        if (done > 0)
        {
            Span<byte> block = _block!.Block.Span;
            block.Slice(done, keep).CopyTo(block);
            _blockOffset += done;
            _limit = _blockOffset % _unit == 0 ? Math.Min(RequestSizeBytes, _block.Block.Length) : _limit - done;
        }

        _filled = keep;
        _written = keep;
    }

    private void FaultBehindBlock(Exception error, int bytes)
    {
        _reached = _blockOffset + bytes;
        Fault(error, _blockOffset);
    }

    private void PassOver(int bytes)
    {
        _blockOffset += bytes;
        Report(_blockOffset);
    }

    /// <summary>Calls the user: nothing may be half-done, for what this throws goes to the caller, who may go on.</summary>
    private void Report(long position)
    {
        try
        {
            _progress?.Report(position);
        }
        catch (Exception e) when (_isClosing)
        {
            _progress = null;
            _progressError = ExceptionDispatchInfo.Capture(e);
        }
    }

    /// <summary>Not a write to a file that the caller cancelled: it may be made again at its offset.</summary>
    private static bool IsFinal(Exception error, CancellationToken cancellationToken) =>
        error is not OperationCanceledException || !cancellationToken.IsCancellationRequested;

    private void Fault(Exception error, long offset)
    {
        if (_fault is null)
        {
            _fault = ExceptionDispatchInfo.Capture(error);
            _faultOffset = offset;
        }
    }
}
