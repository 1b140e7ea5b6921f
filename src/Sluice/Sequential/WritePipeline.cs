using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// Writes blocks to a file in order. Direct writes are issued several at a time: through a ring of the writer for synchronous calls, and
/// through the handle's engine for asynchronous calls. Cached writes are issued one at a time. Space is reserved in large steps and
/// released at the end. Supports one caller at a time. Methods with a parameter isAsync complete synchronously if it is false.
/// </summary>
/// <remarks>
/// Writes through the ring do not enter <see cref="OpenFile.DirectGate"/>, because a caller that writes a partial page of the same file
/// would wait for it forever. Instead, these blocks begin and end at page boundaries, so that a page is never part of both.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "A token source without a timer need not be disposed of, and may be cancelled late.")]
internal sealed class WritePipeline
{
    private const int PageBytes = 4096;

    private readonly SluiceHandle _handle;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();
    private readonly bool _canSeek;
    private readonly Preallocation _space;
    private readonly int _unit;

    /// <summary>Cancels waits for the other end of a pipe. Writes to a file end by themselves.</summary>
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
        _space = new Preallocation(handle, offset, options.PreallocationSize);
    }

    /// <summary>Gets a value that indicates whether several writes can be in flight.</summary>
    public bool IsDirect { get; }

    public int Depth { get; }

    public int RequestSizeBytes { get; }

    /// <summary>Gets the offset of the next byte.</summary>
    public long Position => _blockOffset + _filled;

    /// <summary>Gets a value that indicates whether the file contains all bytes of the block.</summary>
    public bool IsBlockEmpty => _filled == _written;

    /// <summary>Gets a value that indicates whether the current block is full and must be written with <see cref="PushAsync"/>.</summary>
    public bool IsFull => _filled > 0 && _filled == _limit;

    /// <summary>Gets the free memory of the current block; empty if it <see cref="IsFull"/>.</summary>
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
    /// Starts writing the current block. Waits while <see cref="Depth"/> writes are in flight. If the wait is canceled, the block stays
    /// current.
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
    /// Waits for earlier writes, and writes the caller's bytes directly, as one write. The block must be empty, and the file must not be
    /// direct. A write that has begun is not canceled, because the file could then be longer than the position.
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
            Fault(e, _blockOffset);
            throw;
        }

        PassOver(bytes.Length);
    }

    /// <summary>Waits for earlier writes, and writes the caller's bytes directly, as <see cref="WriteThroughAsync"/> does.</summary>
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
            Fault(e, _blockOffset);
            throw;
        }

        PassOver(bytes.Length);
    }

    /// <summary>
    /// Writes the rest of the current block, and waits until the operating system has all bytes. To a pipe, the last block is pushed: it is
    /// unknown how much of a canceled write was sent, so a token ends only the wait.
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
            // Starts at the last page boundary; the bytes before _written are already in the file.
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
    /// Waits until the device has everything that was flushed. An error is final: the kernel reports it once, and treats the lost data as
    /// written from then on.
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
        catch (Exception e) when (IsFinal(e, cancellationToken))
        {
            Fault(e, Position);
            throw;
        }
    }

    /// <summary>Cancels a wait for the other end of a pipe. The call that waits then closes the writer. Has no effect on a file.</summary>
    public void CancelAwaited()
    {
        if (!_canSeek)
        {
            _closing.Cancel();
        }
    }

    /// <summary>
    /// Begins closing. From then on, an exception of the progress object is stored and thrown by <see cref="ThrowProgressError"/>.
    /// </summary>
    /// <param name="isBlockLent">True if the caller may still use memory of the current block.</param>
    public void BeginClosing(bool isBlockLent)
    {
        _isClosing = true;
        if (_block is not null)
        {
            _block.IsLent = isBlockLent;
        }
    }

    /// <summary>Throws the exception that the progress object threw while the writer was being closed.</summary>
    public void ThrowProgressError() => _progressError?.Throw();

    /// <summary>
    /// Releases the reserved space of a direct writer, after everything was flushed or writing has failed. After a failure, later writes
    /// may have succeeded, so the file is truncated before the failed one. Cached writes are not concurrent and leave no gap.
    /// </summary>
    public void Trim()
    {
        if (IsDirect)
        {
            // A failed block may begin before the flushed offset, because its first page had been partly written.
            _space.Trim(_fault is null ? Position : Math.Max(_faultOffset, _flushedTo), Position, IsFaulted);
        }
    }

    /// <summary>Discards what was not written: nothing more is written, and a direct file is truncated after what was flushed.</summary>
    public void Abandon(Exception reason) => Fault(reason, _flushedTo);

    public bool IsFaulted => _fault is not null;

    /// <summary>Throws the exception of a method that completed synchronously.</summary>
    public static void Ended(ValueTask task)
    {
        Debug.Assert(task.IsCompleted, "A synchronous call must not leave work behind.");
        task.GetAwaiter().GetResult();
    }

    /// <summary>Throws the first error. It is final, because later bytes would leave a gap.</summary>
    public void ThrowIfFaulted() => _fault?.Throw();

    /// <summary>Throws the first error, unless it is a cancellation that discarded the data.</summary>
    public void ThrowIfFailed()
    {
        if (_fault is { SourceException: not OperationCanceledException } fault)
        {
            fault.Throw();
        }
    }

    /// <summary>
    /// Waits, after an error, until no transfer outside of the ring can extend the file. <see cref="Close"/> waits for those in the ring.
    /// For a pipe, waits are canceled instead.
    /// </summary>
    public async ValueTask EndTransfersAsync(bool isAsync)
    {
        if (!_canSeek)
        {
            // The other end of a pipe may never read the bytes. The transfer keeps memory and descriptor until it ends.
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

    /// <summary>Waits for transfers in the ring, and returns the memory of the others when they have ended. Writes nothing more.</summary>
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
            idle.Return();
        }

        _block?.Return();
        _block = null;
    }

    private void Submit(BlockTransfer block, bool isAsync)
    {
        try
        {
            if (isAsync)
            {
#pragma warning disable CA2012 // It is converted to a task, or has ended.
                ValueTask task = _handle.WriteAsync(block.Memory, block.Offset, _closing.Token);
#pragma warning restore CA2012
                if (task.IsCompletedSuccessfully)
                {
                    // The operation returns to its pool only when its result is taken.
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

        // A task that has ended may have failed, and an entry that completed during its submission may have failed or be short.
        // TakeOldestAsync checks both.
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

    /// <summary>
    /// Submits a block to the ring. Returns false if it does not consist of whole pages (see the remarks of this class) or there is no
    /// ring.
    /// </summary>
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

    /// <summary>
    /// Takes the result of a write. After a short write or an error in the ring, writes the rest with the handle, which throws if that
    /// fails.
    /// </summary>
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

    /// <summary>
    /// Prepares the block after a flush of its first part: continues after the flushed bytes or, for direct writes, at the last page
    /// boundary before them.
    /// </summary>
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

    private void PassOver(int bytes)
    {
        _blockOffset += bytes;
        Report(_blockOffset);
    }

    /// <summary>
    /// Reports the position to user code. The state must be consistent, because an exception is thrown to the caller, who may continue.
    /// </summary>
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

    /// <summary>Returns false for a write that the caller canceled, which can be repeated at its offset.</summary>
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
