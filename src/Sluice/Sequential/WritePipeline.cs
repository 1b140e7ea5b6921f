using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Sluice.Buffers;

namespace Sluice.Sequential;

/// <summary>
/// Blocks on their way to a file, in order: direct ones several at a time, through a ring of the writer's own where the caller waits, through
/// the handle's engine where it awaits; cached ones at once. The space ahead is allocated in large steps and given back at the end.
/// One caller at a time. Methods that take isAsync complete before they return when it is false.
/// </summary>
/// <remarks>
/// What goes through the ring does not hold <see cref="SluiceHandle.DirectGate"/>, which a caller that writes an edge of the same file
/// would wait for in vain: instead, such blocks begin and end at page borders, so that no page has both an edge and a block in flight.
/// </remarks>
internal sealed class WritePipeline
{
    private const int PageBytes = 4096;

    private readonly SluiceHandle _handle;
    private readonly RequestTuner _tuner;
    private readonly IProgress<long>? _progress;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();
    private readonly bool _canSeek;
    private readonly SpaceAhead _space;
    private readonly int _unit;
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
        _progress = options.Progress;
        IsOverlapped = handle.Caching == FileCaching.Direct && _canSeek;
        _unit = IsOverlapped ? Math.Max(handle.Alignment.Offset, PageBytes) : 1;
        _tuner = new RequestTuner(IsOverlapped, (options.RequestSize + _unit - 1) / _unit * _unit, options.Depth);
        _space = new SpaceAhead(handle, offset, options.PreallocationSize);
    }

    /// <summary>Several writes are in flight at once.</summary>
    public bool IsOverlapped { get; }

    public int Depth => IsOverlapped ? _tuner.Depth : 1;

    public int RequestSizeBytes => _tuner.SizeBytes;

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

    /// <summary>Sends the full block off, as soon as fewer than <see cref="Depth"/> are in flight. Cancelled, it has not been sent.</summary>
    public async ValueTask PushAsync(bool isAsync, CancellationToken cancellationToken)
    {
        ThrowIfFaulted();
        int depth = IsOverlapped ? _tuner.Depth : 1;
        while (_inFlight.TryPeek(out BlockTransfer? oldest) && (_inFlight.Count >= depth || oldest.IsComplete))
        {
            await TakeOldestAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        BlockTransfer block = _block!;
        block.Offset = _blockOffset;
        block.Length = _filled;
        _space.Ensure(_blockOffset, _blockOffset + _filled);
        Submit(block, isAsync);
        _block = null;
        _blockOffset += block.Length;
        _filled = 0;
        _written = 0;
    }

    /// <summary>Bytes of the caller's own, past the block; everything buffered has been pushed, and the file is not direct.</summary>
    public async ValueTask WriteThroughAsync(ReadOnlyMemory<byte> bytes, bool isAsync, CancellationToken cancellationToken)
    {
        await DrainAsync(isAsync, cancellationToken).ConfigureAwait(false);
        _space.Ensure(_blockOffset, _blockOffset + bytes.Length);
        try
        {
            if (isAsync)
            {
                await _handle.WriteAsync(bytes, _blockOffset, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                _handle.Write(bytes.Span, _blockOffset);
            }
        }
        catch (Exception e) when (IsFinal(e))
        {
            Fault(e, _blockOffset);
            throw;
        }

        _blockOffset += bytes.Length;
        _progress?.Report(_blockOffset);
    }

    /// <summary>As <see cref="WriteThroughAsync"/>, synchronously.</summary>
    public void WriteThrough(ReadOnlySpan<byte> bytes)
    {
        Ended(DrainAsync(isAsync: false, CancellationToken.None));
        _space.Ensure(_blockOffset, _blockOffset + bytes.Length);
        try
        {
            _handle.Write(bytes, _blockOffset);
        }
        catch (Exception e)
        {
            Fault(e, _blockOffset);
            throw;
        }

        _blockOffset += bytes.Length;
        _progress?.Report(_blockOffset);
    }

    /// <summary>Returns when the operating system has everything that was written so far, the tail exact to the byte.</summary>
    public async ValueTask FlushAsync(bool isAsync, CancellationToken cancellationToken)
    {
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
                await _handle.WriteAsync(_block!.Block.Memory[from.._filled], _blockOffset + from, cancellationToken).ConfigureAwait(false);
            }
            else
            {
                _handle.Write(_block!.Block.Span[from.._filled], _blockOffset + from);
            }
        }
        catch (Exception e) when (IsFinal(e))
        {
            Fault(e, _blockOffset + _written);
            throw;
        }

        KeepTail();
        _flushedTo = Position;
        _progress?.Report(Position);
    }

    /// <summary>Gives back the space that was allocated ahead. Everything has been flushed, or writing has failed.</summary>
    public void Trim() =>
        // A failed block may begin in front of what was flushed: its first page was partly written before.
        _space.Trim(_fault is null ? Position : Math.Max(_faultOffset, _flushedTo), IsFaulted);

    /// <summary>After an error: returns when nothing is in flight that could still make the file longer.</summary>
    public async ValueTask EndTransfersAsync(bool isAsync)
    {
        foreach (BlockTransfer transfer in _inFlight)
        {
            if (transfer.Task is not { } task)
            {
                continue;
            }

            if (isAsync)
            {
                await ((Task)task).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            else
            {
                Task.WaitAny([task], CancellationToken.None);
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
            if (transfer.Task is { } task)
            {
                // Ends by itself; an error has no one left to hear of it.
                _ = task.ContinueWith(
                    static (ended, block) =>
                    {
                        _ = ended.Exception;
                        AlignedBufferPool.Return((AlignedBuffer)block!);
                    },
                    transfer.Block, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
                continue;
            }

            AlignedBufferPool.Return(transfer.Block);
        }

        while (_idle.TryPop(out BlockTransfer? idle))
        {
            AlignedBufferPool.Return(idle.Block);
        }

        if (_block is { } block)
        {
            AlignedBufferPool.Return(block.Block);
            _block = null;
        }
    }

    public bool IsFaulted => _fault is not null;

    /// <summary>The outcome of a method that was not to be asynchronous: it has ended.</summary>
    public static void Ended(ValueTask task)
    {
        Debug.Assert(task.IsCompleted, "A synchronous call must not leave work behind.");
        task.GetAwaiter().GetResult();
    }

    /// <summary>What failed once stays failed: bytes behind the error would leave a gap.</summary>
    public void ThrowIfFaulted() => _fault?.Throw();

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
        int length = _tuner.SizeBytes;
        int misaligned = (int)(_blockOffset % _unit);
        _limit = misaligned == 0 ? length : _unit - misaligned;
        if (!_idle.TryPop(out _block))
        {
            _block = new BlockTransfer(AlignedBufferPool.RentOfMany(length));
        }
        else if (_block.Block.Length < _limit)
        {
            AlignedBufferPool.Return(_block.Block);
            _block.Block = AlignedBufferPool.RentOfMany(length);
        }
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
            _limit = _blockOffset % _unit == 0 ? Math.Min(_tuner.SizeBytes, _block.Block.Length) : _limit - done;
        }

        _filled = keep;
        _written = keep;
    }

    private void Submit(BlockTransfer block, bool isAsync)
    {
        try
        {
            if (isAsync || (IsOverlapped && !TryQueue(block)))
            {
#pragma warning disable CA2012 // It becomes a task, or has ended.
                ValueTask task = _handle.WriteAsync(block.Block.Memory[..block.Length], block.Offset, CancellationToken.None);
#pragma warning restore CA2012
                if (task.IsCompletedSuccessfully)
                {
                    block.Result = block.Length;
                }
                else
                {
                    block.Task = AsCount(task.AsTask(), block.Length);
                }
            }
            else if (!IsOverlapped)
            {
                _handle.Write(block.Span, block.Offset);
                block.Result = block.Length;
            }
        }
        catch (Exception e)
        {
            Fault(e, block.Offset);
            throw;
        }

        // A task that has ended already may have failed: only TakeOldestAsync finds out.
        if (block.Task is null && !block.IsInRing && _inFlight.Count == 0)
        {
            _idle.Push(block);
            _progress?.Report(block.Offset + block.Length);
        }
        else
        {
            _inFlight.Enqueue(block);
        }
    }

    private static async Task<int> AsCount(Task task, int bytes)
    {
        await task.ConfigureAwait(false);
        return bytes;
    }

    private bool TryQueue(BlockTransfer block)
    {
        if (_ringRefused || !_handle.AllowsOwnRing || block.Offset % _unit != 0 || block.Length % _unit != 0
            || !_handle.Alignment.IsAligned(block.Block.Address, block.Offset, block.Length))
        {
            return false;
        }

        _lease ??= SequentialRingLease.TryTake(_handle);
        if (_lease is null)
        {
            _ringRefused = true;
            return false;
        }

        _lease.Ring.Queue(isRead: false, _handle.Descriptor, block, _handle.TransferFlags);
        _lease.Ring.Submit();
        return true;
    }

    private async ValueTask TakeOldestAsync(bool isAsync, CancellationToken cancellationToken)
    {
        BlockTransfer oldest = _inFlight.Peek();
        bool waited = !oldest.IsComplete;
        if (oldest.IsInRing)
        {
            _lease!.Ring.Wait(oldest);
        }
        else if (oldest.Task is { IsCompleted: false } task)
        {
            if (isAsync)
            {
                await ((Task)task).WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                if (!task.IsCompleted)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                }
            }
            else
            {
                Task.WaitAny([task], CancellationToken.None);
            }
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
        _tuner.OnBlock(oldest.Length, waited, Stopwatch.GetTimestamp());
        _progress?.Report(oldest.Offset + oldest.Length);
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

    /// <summary>A cancelled write may be made again at its offset; on a pipe nobody knows how much of it went out.</summary>
    private bool IsFinal(Exception error) => !_canSeek || error is not OperationCanceledException;

    private void Fault(Exception error, long offset)
    {
        if (_fault is null)
        {
            _fault = ExceptionDispatchInfo.Capture(error);
            _faultOffset = offset;
        }
    }
}
