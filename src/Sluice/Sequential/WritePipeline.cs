using System.Diagnostics;
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
internal sealed partial class WritePipeline
{
    private const int PageBytes = 4096;

    private readonly SluiceHandle _handle;
    private IProgress<long>? _progress;
    private ExceptionDispatchInfo? _progressError;
    private bool _isClosing;
    private readonly Queue<BlockTransfer> _inFlight = new();
    private readonly Stack<BlockTransfer> _idle = new();
    private readonly bool _canSeek;
    private readonly SpaceAhead _space;
    private readonly int _unit;

    /// <summary>Ends what waits for the other end of a pipe; null for a file, whose writes end by themselves.</summary>
    private readonly CancellationTokenSource? _closing;
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
        _closing = _canSeek ? null : new CancellationTokenSource();
        _blockOffset = offset;
        _flushedTo = offset;
        _progress = options.Progress;
        IsOverlapped = handle.Caching == FileCaching.Direct && _canSeek;
        _unit = IsOverlapped ? Math.Max(handle.Alignment.Offset, PageBytes) : 1;
        Depth = !IsOverlapped ? 1 : options.Depth != 0 ? options.Depth : RequestSizes.DirectDepth;
        RequestSizeBytes = options.RequestSize != 0 ? (options.RequestSize + _unit - 1) / _unit * _unit
            : IsOverlapped ? RequestSizes.DirectBytes : RequestSizes.CachedBytes;
        _space = new SpaceAhead(handle, offset, options.PreallocationSize);
    }

    /// <summary>Several writes are in flight at once.</summary>
    public bool IsOverlapped { get; }

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
    public void CancelAwaited() => _closing?.Cancel();

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
