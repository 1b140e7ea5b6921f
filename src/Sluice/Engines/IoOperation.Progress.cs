using System.Diagnostics;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// What a thread of the pool does with the operation; and what an engine's answer to one submission means: the end, a rest, or another try.
/// </summary>
internal sealed partial class IoOperation
{
    /// <summary>What the pool thread does that takes it.</summary>
    private WorkKind _work;

    private enum WorkKind
    {
        Transfer,
        Continuation,
        Cancelled,
        Called,
    }

    private StrayCancellations _strays;

    /// <summary>Since when it has been where it is, in ticks of Stopwatch; 0 while nobody wants to know.</summary>
    private long _since;
    private long _queuedTicks;
    private long _kernelTicks;
    private bool _isInKernel;

    /// <summary>Runs on a pool thread: the blocking transfer, the caller's continuation.</summary>
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
            case WorkKind.Continuation:
                RunContinuation();
                break;
            case WorkKind.Cancelled:
                Complete(-Errno.ECANCELED);
                break;
            case WorkKind.Called:
                OnCalled();
                break;
        }
    }

    /// <summary>
    /// Has a pool thread carry the transfer out: this one, when it is done with what it runs, or another if that takes long.
    /// </summary>
    public void QueueTransfer(bool preferLocal = false)
    {
        IoMetrics.NotePooled(1);

        _work = WorkKind.Transfer;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal);
    }

    /// <summary>The kernel gets this submission now.</summary>
    public void NoteTaken()
    {
        if (_since != 0)
        {
            // Also where it was not taken after all, and waited on.
            _isInKernel = false;
            Elapse();
            _isInKernel = true;
        }
    }

    /// <summary>The kernel has given this submission back.</summary>
    public void NoteReturned()
    {
        if (_since != 0)
        {
            Elapse();
            _isInKernel = false;
        }
    }

    /// <summary>What a ring answered to the current submission; <see cref="Complete"/> is called with it later.</summary>
    public void TakeRingResult(int result)
    {
        RingResult = result;
        NoteReturned();
    }

    /// <summary>
    /// Has a pool thread complete what was never begun, or is not to go on: whoever is here may be another caller's thread.
    /// </summary>
    public void QueueCancelled()
    {
        MakeWay();
        _work = WorkKind.Cancelled;
        PoolWork.Queue(this);
    }

    /// <inheritdoc cref="QueueCancelled()"/>
    /// <param name="first">What was never begun, linked by Next; or null.</param>
    public static void QueueCancelled(IoOperation? first)
    {
        while (first is { } operation)
        {
            // Before: afterwards it may be another one's.
            first = operation.Next;
            operation.Next = null;
            operation.QueueCancelled();
        }
    }

    /// <summary>As the visitor's, without memory for it.</summary>
    public override void QueueCalled()
    {
        _work = WorkKind.Called;
        PoolWork.Queue(this);
    }

    private void Elapse()
    {
        long now = Stopwatch.GetTimestamp();
        (_isInKernel ? ref _kernelTicks : ref _queuedTicks) += now - _since;
        _since = now;
    }

    private void NoteTimes(Carrier carrier)
    {
        if (_since != 0)
        {
            Elapse();
            IoMetrics.NoteTimes(carrier, _queuedTicks, _kernelTicks);
            (_since, _queuedTicks, _kernelTicks, _isInKernel) = (0, 0, 0, false);
        }
    }

    /// <summary>True when the same submission should be tried again.</summary>
    private bool Recover(int errno)
    {
        if (Verb == IoVerb.Append && _result < 0)
        {
            // It was begun, and part of it may stand at the end of the file.
            return false;
        }

        if (IsFault && errno is not (Errno.EINTR or Errno.EAGAIN))
        {
            return false;
        }

        OpenFile handle = _handle!;
        switch (errno)
        {
            // The kernel cancels what a thread submitted when that thread ends, and reports EFAULT where a cached read was waiting for
            // its pages then (io_req_task_submit): not the caller's wish, so try again. What may wait for ever stays where it can be
            // cancelled.
            case Errno.ECANCELED when WaitsForOthers && !IsCancellationRequested:
                return _strays.AreFew(Environment.TickCount64);
            case Errno.ECANCELED when !IsCancellationRequested:
            case Errno.EFAULT when Ring is not null:
                // Where threads end all the time, a thread of the pool, which waits for it, is a safer place than the next one's.
                LeavesRing |= _retries >= MaxRetriesInRing;
                return ++_retries < MaxRetries;
            case Errno.EAGAIN when WaitsForOthers && Ring is not null && !IsFault && PollCalls.IsNonBlocking(Descriptor):
                // The ring does not wait for this descriptor. A thread of the pool does, in poll(2).
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
                // xfs answers so to a direct read of space that a cached write, such as an edge's, has reserved and not yet placed
                // (fs/iomap/direct-io.c, IOMAP_DELALLOC). The page cache has it.
                _readsThroughCache = true;
                return true;
            case Errno.EINVAL when _isDirect && !PassesCache && handle.LoseDirect(Verb, FileOffset, Length):
                return true;
            default:
                return false;
        }
    }

    /// <summary>Books the bytes of one submission; true when more is to be done.</summary>
    private bool Advance(int bytes)
    {
        switch (Verb)
        {
            case IoVerb.Flush or IoVerb.FlushData or IoVerb.Nothing:
                return false;
            case IoVerb.Append:
                // The blocking call appended everything or failed; where it landed is in _result.
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

        // Short: the file's end, or only as much as there was without waiting. The length tells.
        if (_handle!.IsAtEnd(_startOffset + _done))
        {
            return false;
        }

        // Nothing behind the front of a block, which is all that a direct read can begin with: from its own offset on it gets further.
        _readsThroughCache |= got == 0 && _isDirect;
        if (got == 0 && ++_retries >= MaxRetries)
        {
            _error = IoErrors.Create(Errno.EIO, Verb, _handle.Path, _startOffset + _done);
            return false;
        }

        return true;
    }

    /// <summary>
    /// Whether a read that gave nothing has found the end of the file. A plain call of the kernel says so itself; a ring's answer is believed
    /// where the length confirms it, since an asynchronous direct read of FUSE does not ask behind the length that it was told.
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

    /// <summary>The error of a write says how much of it has gone out.</summary>
    private Exception NotePart(Exception error) => IsRead ? error : PartialWrite.Note(error, _handle!, _done);
}

/// <summary>
/// How often in quick succession the kernel has cancelled, unasked, what may wait for ever. One that comes later counts as the first:
/// several that wait for one another's bytes lose a round each time that bytes come and threads have ended meanwhile, for hours perhaps.
/// </summary>
internal struct StrayCancellations
{
    private long _lastMs;
    private int _count;

    /// <summary>Once more: whether it is worth another try.</summary>
    /// <param name="nowMs">The time, as <see cref="Environment.TickCount64"/> counts it.</param>
    public bool AreFew(long nowMs)
    {
        _count = nowMs - _lastMs >= Tuning.StrayForgottenMs ? 1 : _count + 1;
        _lastMs = nowMs;
        return _count < Tuning.OperationMaxRetries;
    }
}
