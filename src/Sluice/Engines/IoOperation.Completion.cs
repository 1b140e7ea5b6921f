using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>The operation as a task: result, continuation, and the way back to the pool.</summary>
internal sealed partial class IoOperation
{
    /// <summary>Stands in the continuation's place once the operation has completed.</summary>
    private static readonly Action<object?> CompletedSentinel = static _ => throw new UnreachableException();

    private static readonly ContextCallback RunInContext = static state => ((IoOperation)state!).InvokeContinuation();

    private Action<object?>? _continuation;
    private object? _continuationState;
    private ExecutionContext? _executionContext;
    private object? _scheduler;
    private long _result;
    private Exception? _error;
    private short _version;
    private volatile bool _completed;

    /// <summary>
    /// The completing thread touches the object until it has exchanged the continuation: only then may the caller take the result and
    /// send the object back to the pool.
    /// </summary>
    private bool IsCompleted => _completed && Volatile.Read(ref _continuation) is not null;

    /// <summary>The token of the current use, for <see cref="ValueTask"/>.</summary>
    public short Version => _version;

    /// <summary>Appends and blocking writes put here what the number of bytes cannot say: where the bytes landed.</summary>
    public void SetResult(long result) => _result = result;

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource<long>.GetStatus(short token) => GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnCompleted(continuation, state, token, flags);

    void IValueTaskSource<long>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    int IValueTaskSource<int>.GetResult(short token) => (int)GetResult(token);

    long IValueTaskSource<long>.GetResult(short token) => GetResult(token);

    /// <summary>Called by the cancellation token, at any moment until the registration is disposed in <see cref="Release"/>.</summary>
    private void RequestCancel()
    {
        _cancelRequested = true;

        // Either we see where the operation waits, or who brings it there sees the request: both sides store before they look.
        Interlocked.MemoryBarrier();
        if (_handle!.DirectGate is { } gate && gate.TryWithdraw(this))
        {
            QueueCancelled();
            return;
        }

        Ring?.Cancel(this);
    }

    /// <summary>Ends the operation: gives everything back first, then tells the caller.</summary>
    private void Finish(long result, Exception? error)
    {
        error ??= _error;
        object? waiter = _waiter;
        NoteEnd(result, error is null);
        Exception? unpinning = Release();
        _result = result;
        _error = error ?? unpinning;
        Signal(waiter);
    }

    private void NoteEnd(long result, bool isWell)
    {
        if (_hasEdge || (Verb == IoVerb.Append && _isDirect && isWell && IsInsideBlock(result)))
        {
            _handle!.NoteEdge();
        }

        Carrier carrier = Ring is not null ? Carrier.Uring : IsAwaitedByThread ? _waitersCarrier : Carrier.Pool;
        NoteTimes(carrier);
        IoMetrics.Note(
            _handle!, Verb, carrier,
            Verb == IoVerb.Append && isWell ? _total : _done);
    }

    /// <summary>Whether an append that landed there begins or ends inside a block.</summary>
    private bool IsInsideBlock(long landed) => _total > 0 && !_handle!.Alignment.IsAligned(0, landed, _total);

    /// <summary>Gives back what the operation has.</summary>
    /// <returns>What a caller's memory threw when it was unpinned; null when nothing did.</returns>
    private Exception? Release()
    {
        Exception? error = null;
        // Waits for a cancellation callback that is running right now: after it nobody else knows this operation.
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
        Meter = null;
        Hold = null;
        if (_referenced)
        {
            _referenced = false;
            handle!.ReleaseReference();
        }

        return error;
    }

    /// <summary>Back to the pool without a caller to tell.</summary>
    private void Abandon()
    {
        _version++;
        _waiter = null;
        _callersTurn = false;
        OperationPool.Return(this);
    }

    private void Signal(object? waiter)
    {
        if (waiter is not null)
        {
            SignalWaiter(waiter);
            return;
        }

        _completed = true;

        // Full fence by the exchange: either OnCompleted sees the sentinel, or we see its continuation with all its state.
        if (Interlocked.CompareExchange(ref _continuation, CompletedSentinel, null) is not null)
        {
            Schedule();
        }
    }

    private ValueTaskSourceStatus GetStatus(short token)
    {
        CheckToken(token);
        if (!IsCompleted)
        {
            return ValueTaskSourceStatus.Pending;
        }

        return _error switch
        {
            null => ValueTaskSourceStatus.Succeeded,
            OperationCanceledException => ValueTaskSourceStatus.Canceled,
            _ => ValueTaskSourceStatus.Faulted,
        };
    }

    private void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        CheckToken(token);
        if (Volatile.Read(ref _continuation) is { } earlier && !ReferenceEquals(earlier, CompletedSentinel))
        {
            // Before anything is stored: the first awaiter's state stays whole.
            ThrowAwaitedTwice();
        }

        _continuationState = state;
        if ((flags & ValueTaskSourceOnCompletedFlags.FlowExecutionContext) != 0)
        {
            _executionContext = ExecutionContext.Capture();
        }

        if ((flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) != 0)
        {
            if (SynchronizationContext.Current is { } context && context.GetType() != typeof(SynchronizationContext))
            {
                _scheduler = context;
            }
            else if (TaskScheduler.Current != TaskScheduler.Default)
            {
                _scheduler = TaskScheduler.Current;
            }
        }

        Action<object?>? previous = Interlocked.CompareExchange(ref _continuation, continuation, null);
        if (previous is null)
        {
            return;
        }

        if (!ReferenceEquals(previous, CompletedSentinel))
        {
            ThrowAwaitedTwice();
        }

        _continuation = continuation;
        Schedule();
    }

    private long GetResult(short token)
    {
        CheckToken(token);
        if (!IsCompleted)
        {
            throw new InvalidOperationException("The operation has not completed: convert the ValueTask with AsTask() to wait for it.");
        }

        long result = _result;
        Exception? error = _error;
        _continuation = null;
        _continuationState = null;
        _executionContext = null;
        _scheduler = null;
        _error = null;
        _result = 0;
        _completed = false;
        _waiter = null;
        _callersTurn = false;
        _version++;
        OperationPool.Return(this);
        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }

        return result;
    }

    private void CheckToken(short token)
    {
        if (token != _version)
        {
            ThrowAwaitedTwice();
        }
    }

    [DoesNotReturn]
    private static void ThrowAwaitedTwice() => throw new InvalidOperationException("A ValueTask may be awaited only once.");

    /// <summary>
    /// Runs the continuation where the caller asked for it. What a context, a scheduler or the continuation throws does not end the work of
    /// the thread that is here, which has other callers' operations to see to.
    /// </summary>
    private void Schedule()
    {
        try
        {
            Dispatch();
        }
        catch (Exception e)
        {
            // Where those of .NET's own tasks end: unhandled, on a thread of the pool. Not tried again: the context may have run it.
            PoolWork.ThrowUnhandled(e);
        }
    }

    private void Dispatch()
    {
        switch (_scheduler)
        {
            case null when ThreadPoolEngine.TryTakeThread():
                // Already on a pool thread that has nothing else to do.
                RunContinuation();
                break;
            case null:
                _work = WorkKind.Continuation;
                PoolWork.Queue(this);
                break;
            case SynchronizationContext context:
                context.Post(static state => ((IoOperation)state!).RunContinuation(), this);
                break;
            case TaskScheduler scheduler:
                _ = Task.Factory.StartNew(
                    static state => ((IoOperation)state!).RunContinuation(),
                    this,
                    CancellationToken.None,
                    TaskCreationOptions.DenyChildAttach,
                    scheduler);
                break;
        }
    }

    /// <summary>Runs the caller's continuation on this thread.</summary>
    public void RunContinuation()
    {
        if (_executionContext is { } context)
        {
            ExecutionContext.Run(context, RunInContext, this);
        }
        else
        {
            InvokeContinuation();
        }
    }

    private void InvokeContinuation()
    {
        Action<object?> continuation = _continuation!;
        object? state = _continuationState;

        // The continuation calls GetResult, which resets this object: nothing of it may be touched afterwards.
        continuation(state);
    }
}
