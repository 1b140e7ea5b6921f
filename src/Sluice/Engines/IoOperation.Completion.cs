using System.Threading.Tasks.Sources;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Handles the result of a submission (end, rest or repetition), completes the caller's task, and runs as a work item of the pool.
/// </summary>
internal sealed partial class IoOperation
{
    private ManualResetValueTaskSourceCore<long> _task;
    private long _result;
    private Exception? _error;

    /// <summary>The token of the current use, for <see cref="ValueTask"/>.</summary>
    private short Version => _task.Version;

    /// <summary>Sets a result that is not the number of bytes: the offset of an append.</summary>
    public void SetResult(long result) => _result = result;

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _task.GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _task.GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource<long>.GetStatus(short token) => _task.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _task.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _task.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<long>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _task.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    int IValueTaskSource<int>.GetResult(short token) => (int)GetResult(token);

    long IValueTaskSource<long>.GetResult(short token) => GetResult(token);

    private long GetResult(short token)
    {
        if (_task.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The operation has not completed: convert the ValueTask with AsTask() to wait for it.");
        }

        try
        {
            return _task.GetResult(token);
        }
        finally
        {
            Recycle();
        }
    }

    /// <summary>Returns the operation to the pool, for the next use.</summary>
    private void Recycle()
    {
        _result = 0;
        _error = null;
        IsSynchronous = false;
        _hasEnded = false;
        _callersTurn = false;
        _task.Reset();
        OperationPool.Return(this);
    }

    /// <summary>Called by the cancellation token, at any time until <see cref="Release"/> disposes the registration.</summary>
    private void RequestCancel()
    {
        _cancelRequested = true;

        // A full fence: the gate and the ring store the operation before they check for a cancellation request.
        Interlocked.MemoryBarrier();
        if (_handle!.DirectGate is { } gate && gate.TryWithdraw(this))
        {
            QueueCancelled();
            return;
        }

        Ring?.Cancel(this);
    }

    /// <summary>
    /// Completes a submission with the number of bytes or a negative errno. Submits the rest of a partial transfer, or ends the operation.
    /// If an intercepting engine holds the submission, this happens when the task of <see cref="Hold"/> has ended.
    /// </summary>
    public void Complete(int result)
    {
        if (GoesOnAfter(result))
        {
            Submit();
        }
    }

    /// <summary>
    /// Completes a submission like <see cref="Complete"/>, but returns true if the next submission is prepared and the caller must submit
    /// it.
    /// </summary>
    public bool GoesOnAfter(int result)
    {
        LeaveGate();
        if (Hold is { } hold)
        {
            Hold = null;
            InterceptingEngine.CompleteAfter(hold, this, result);
            return false;
        }

        if (result < 0 && !IsFault && Verb is IoVerb.Flush or IoVerb.FlushData && _handle!.HasNothingToFlush(-result))
        {
            result = 0;
        }

        try
        {
            if (IsRead && !IsFault && _handle!.IsInvalidBehindEnd(result, _startOffset + _done, _total - _done))
            {
                result = 0;
            }

            if (result < 0 ? Recover(-result) : Advance(result))
            {
                if (!IsCancellationRequested)
                {
                    Prepare();
                    return true;
                }

                result = -Errno.ECANCELED;
            }
        }
        catch (Exception e)
        {
            // For example, the length of the file cannot be read, or the caller's memory cannot be pinned.
            Finish(0, e);
            return false;
        }

        if (result < 0)
        {
            Fail(-result);
        }
        else
        {
            Finish(_result, null);
        }

        return false;
    }

    /// <summary>Completes a submission with an exception of System.IO or of an intercepting engine.</summary>
    public void CompleteWith(Exception error)
    {
        Hold = null;
        bool isCancelled = error is OperationCanceledException && _cancellationToken.IsCancellationRequested;
        Finish(0, NotePart(isCancelled ? Cancelled() : IoErrors.Wrap(error, Verb, _handle!.Path, FileOffset)));
    }

    private void Fail(int errno) =>
        Finish(0, NotePart(errno == Errno.ECANCELED && IsCancellationRequested
            ? Cancelled()
            : _handle!.ErrorOf(errno, Verb, FileOffset < 0 ? -1 : _startOffset + _done)));

    private OperationCanceledException Cancelled() => new(_cancellationToken);

    /// <summary>Ends the operation: releases what it holds, and then completes its task.</summary>
    private void Finish(long result, Exception? error)
    {
        error ??= _error;
        CountEnd(result, error is null);
        Exception? unpinning = Release();
        _result = result;
        _error = error ?? unpinning;
        if (IsSynchronous)
        {
            EndForCaller();
            return;
        }

        _task.RunContinuationsAsynchronously = !ThreadPoolEngine.TryTakeContinuation();
        try
        {
            if (_error is null)
            {
                _task.SetResult(result);
            }
            else
            {
                _task.SetException(_error);
            }
        }
        catch (Exception e)
        {
            // A synchronization context, a scheduler or the continuation threw an exception. It is thrown on another thread, because this
            // thread has other operations to complete.
            PoolWork.ThrowUnhandled(e);
        }
    }

    private void CountEnd(long result, bool isSuccess)
    {
        if (_hasEdge || (Verb == IoVerb.Append && _isDirect && isSuccess && IsInsideBlock(result)))
        {
            _handle!.NoteEdge();
        }

        CompletionPath path = Ring is not null ? CompletionPath.Uring : IsSynchronous ? CompletionPath.Inline : CompletionPath.Pool;
        IoMetrics.Note(_handle!, Verb, path, Verb == IoVerb.Append && isSuccess ? _total : _done);
    }

    /// <summary>Returns true if an append at this offset begins or ends inside a block.</summary>
    private bool IsInsideBlock(long offset) => _total > 0 && !_handle!.Alignment.IsAligned(0, offset, _total);

    /// <summary>Releases the registration, the memory, the gate and the descriptor.</summary>
    /// <returns>The exception that the caller's memory threw when it was unpinned; otherwise, null.</returns>
    private Exception? Release()
    {
        Exception? error = null;

        // Waits for a cancellation callback that is running. Afterwards no other thread has a reference to this operation.
        _registration.Dispose();
        _registration = default;
        _cancellationToken = default;
        _cancelRequested = false;
        PinnedMemory.Release(ref _pin, ref error);
        _base = 0;
        Address = 0;
        ReturnBounce();
        LeaveGate();
        if (_segments is { } segments)
        {
            _segments = null;
            error ??= segments.Return();
        }

        _memory = default;
        OpenFile? handle = _handle;
        _handle = null;
        _engine = null;
        _done = 0;
        _total = 0;
        _retries = 0;
        _strays = default;
        _readsThroughCache = false;
        _hasEdge = false;
        LeavesRing = false;
        _passesGate = false;
        PassesCache = false;
        IsFault = false;
        RingUserData = 0;
        Ring = null;
        MeasuredBy = null;
        Hold = null;
        if (_referenced)
        {
            _referenced = false;
            handle!.ReleaseReference();
        }

        return error;
    }

    /// <summary>The task of the work item.</summary>
    private WorkKind _work;

    private enum WorkKind
    {
        Transfer,
        Cancelled,
    }

    private StrayCancellations _strays;

    /// <summary>Runs on a pool thread.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        switch (_work)
        {
            case WorkKind.Transfer:
                if (!FuseThreads.TryQueue(this))
                {
                    ThreadPoolEngine.Run(this, isPooled: true);
                }

                break;
            case WorkKind.Cancelled:
                Complete(-Errno.ECANCELED);
                break;
        }
    }

    /// <summary>Queues the transfer to the thread pool.</summary>
    /// <param name="preferLocal">True if this thread performs it after its current work item, unless another thread is free before.</param>
    public void QueueTransfer(bool preferLocal = false)
    {
        IoMetrics.NotePooled(1);

        _work = WorkKind.Transfer;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal);
    }

    /// <summary>
    /// Leaves the gate, and queues the completion as canceled to the thread pool, so that the caller's continuation does not run on this
    /// thread.
    /// </summary>
    public void QueueCancelled()
    {
        LeaveGate();
        _work = WorkKind.Cancelled;
        PoolWork.Queue(this);
    }

    /// <inheritdoc cref="QueueCancelled()"/>
    /// <param name="first">The operations, linked by Next; or null.</param>
    public static void QueueCancelled(IoOperation? first)
    {
        while (first is { } operation)
        {
            // Next is read first: afterwards the operation may be in use for another call.
            first = operation.Next;
            operation.Next = null;
            operation.QueueCancelled();
        }
    }

    /// <summary>Handles an error. Returns true if the submission is to be repeated, possibly in another way.</summary>
    private bool Recover(int errno)
    {
        if (Verb == IoVerb.Append && _result < 0)
        {
            // A failed append is not repeated: a part of it may be at the end of the file.
            return false;
        }

        if (IsFault && errno is not (Errno.EINTR or Errno.EAGAIN))
        {
            return false;
        }

        OpenFile handle = _handle!;
        switch (errno)
        {
            // When a thread ends, the kernel cancels its submissions, and reports EFAULT for a cached read that was waiting for its pages
            // (io_req_task_submit). An operation that may wait forever stays in the ring, where it can be canceled.
            case Errno.ECANCELED when WaitsForOthers && !IsCancellationRequested:
                return _strays.AreFew(Environment.TickCount64);
            case Errno.ECANCELED when !IsCancellationRequested:
            case Errno.EFAULT when Ring is not null:
                // If threads end all the time, a blocking call is safer than a submission by another thread.
                LeavesRing |= _retries >= MaxRetriesInRing;
                return ++_retries < MaxRetries;
            case Errno.EAGAIN when WaitsForOthers && Ring is not null && !IsFault && PollCalls.IsNonBlocking(Descriptor):
                // The ring does not wait for a non-blocking descriptor. A pool thread does, in poll(2).
                LeavesRing = true;
                return ++_retries < MaxRetries;
            case Errno.EINTR:
            case Errno.EAGAIN:
                return ++_retries < MaxRetries;
            case Errno.EOPNOTSUPP when (Flags & RwFlags.DontCache) != 0:
                handle.LoseDontCache();
                Flags = handle.TransferFlags;
                return true;
            case Errno.EIO when IsRead && !_readsThroughCache && handle.FailsBesideCachedWrites:
                // xfs reports EIO for a direct read of delayed-allocation space of a cached write (fs/iomap/direct-io.c, IOMAP_DELALLOC).
                _readsThroughCache = true;
                return true;
            case Errno.EINVAL when _isDirect && !PassesCache && handle.LoseDirect(Verb, FileOffset, Length):
                return true;
            default:
                return false;
        }
    }

    /// <summary>Adds the bytes of a submission. Returns true if the operation needs another one.</summary>
    private bool Advance(int bytes)
    {
        switch (Verb)
        {
            case IoVerb.Flush or IoVerb.FlushData or IoVerb.Nothing:
                return false;
            case IoVerb.Append:
                // The call has appended all bytes. Their offset is in _result.
                return false;
            case IoVerb.Read or IoVerb.ReadVector:
                return AdvanceRead(bytes);
            default:
                return AdvanceWrite(bytes);
        }
    }

    private bool AdvanceRead(int bytes)
    {
        int asked = Length;
        int got = bytes;
        if (!_bounce.IsEmpty)
        {
            asked = Math.Min(_pieceBytes, Length - _bounceSkip);
            got = Math.Clamp(bytes - _bounceSkip, 0, asked);
            CopyFromBounce(_bounce.Span.Slice(_bounceSkip, got));
        }

        _segments?.Advance(got);
        _handle!.AfterRead(FileOffset, bytes);
        _done += got;
        _result = _done;
        _retries = got > 0 ? 0 : _retries;
        if (_done == _total)
        {
            return false;
        }

        if (bytes == 0)
        {
            return !IsRealEnd();
        }

        if (FileOffset < 0)
        {
            return got == 0;
        }

        if (got == asked)
        {
            return true;
        }

        // A short read is the end of the file only if the length of the file confirms it.
        if (_handle!.IsAtEnd(_startOffset + _done))
        {
            return false;
        }

        // The direct read began at the start of a block and ended before the requested offset. A cached read begins at that offset.
        _readsThroughCache |= got == 0 && _isDirect;
        if (got == 0 && ++_retries >= MaxRetries)
        {
            _error = IoErrors.Create(Errno.EIO, Verb, _handle.Path, _startOffset + _done);
            return false;
        }

        return true;
    }

    /// <summary>
    /// Returns true if a read of 0 bytes found the end of the file. The result of a ring must be confirmed by the length, because an
    /// asynchronous direct read of FUSE ends at the length that the server reported. If it is not confirmed, the read is repeated outside
    /// of the ring.
    /// </summary>
    private bool IsRealEnd()
    {
        if (Ring is null || LeavesRing || FileOffset < 0 || IsFault || _handle!.IsConfirmedEnd(_startOffset + _done))
        {
            return true;
        }

        LeavesRing = true;
        return false;
    }

    private bool AdvanceWrite(int bytes)
    {
        _segments?.Advance(bytes);
        _done += bytes;
        _result = _done;
        _retries = bytes > 0 ? 0 : _retries;
        _handle!.AfterWrite(FileOffset, bytes);
        if (_done == _total)
        {
            return false;
        }

        if (bytes == 0 && ++_retries >= MaxRetries)
        {
            _error = NotePart(IoErrors.Create(Errno.EIO, Verb, _handle.Path, FileOffset));
            return false;
        }

        return true;
    }

    /// <summary>Adds the number of bytes that were written to the error of a write.</summary>
    private Exception NotePart(Exception error) => IsRead ? error : PartialWrite.Note(error, _handle!, _done);
}

/// <summary>
/// Counts spurious cancellations in quick succession of an operation that may wait forever. One that comes later counts as the first,
/// because an operation that waits for hours is canceled whenever the thread that submitted it ends.
/// </summary>
internal struct StrayCancellations
{
    private long _lastMs;
    private int _count;

    /// <summary>Counts a cancellation. Returns true if the operation is to be repeated.</summary>
    /// <param name="nowMs">The value of <see cref="Environment.TickCount64"/>.</param>
    public bool AreFew(long nowMs)
    {
        _count = nowMs - _lastMs >= Tuning.StrayForgottenMs ? 1 : _count + 1;
        _lastMs = nowMs;
        return _count < Tuning.OperationMaxRetries;
    }
}
