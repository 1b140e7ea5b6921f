using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks.Sources;
using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// An asynchronous method that a stream runs while it has its gate, for which a synchronous call may wait: a suspended one, as a task,
/// that is used again. Whoever awaits it goes on on the thread that ends it; where the await comes a moment too late for that, as
/// <see cref="PoolWork"/>, which the tasks of .NET leave to the pool alone.
/// </summary>
/// <remarks>Awaited once, by the library's own code, without a context (<c>ConfigureAwait(false)</c>).</remarks>
internal abstract class InnerTask<T> : IValueTaskSource, IValueTaskSource<T>, IThreadPoolWorkItem
{
    /// <summary>Stands in the continuation's place once the method has ended.</summary>
    private static readonly Action<object?> EndedSentinel = static _ => throw new UnreachableException();

    private Action<object?>? _continuation;
    private Action<object?>? _lateContinuation;
    private object? _continuationState;
    private ExceptionDispatchInfo? _error;
    private T? _result;

    public short Version { get; private set; }

    private bool HasEnded => ReferenceEquals(Volatile.Read(ref _continuation), EndedSentinel);

    public void SetResult(T result)
    {
        _result = result;
        End();
    }

    public void SetException(Exception error)
    {
        _error = ExceptionDispatchInfo.Capture(error);
        End();
    }

    public ValueTaskSourceStatus GetStatus(short token)
    {
        CheckToken(token);
        return !HasEnded ? ValueTaskSourceStatus.Pending
            : _error is null ? ValueTaskSourceStatus.Succeeded
            : _error.SourceException is OperationCanceledException ? ValueTaskSourceStatus.Canceled
            : ValueTaskSourceStatus.Faulted;
    }

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        CheckToken(token);
        Debug.Assert(flags == ValueTaskSourceOnCompletedFlags.None, "Neither a context nor a scheduler is kept here.");
        _continuationState = state;

        // Full fence: either the end is seen here, or whoever ends it sees the continuation with its state.
        if (Interlocked.CompareExchange(ref _continuation, continuation, null) is not { } earlier)
        {
            return;
        }

        if (!ReferenceEquals(earlier, EndedSentinel))
        {
            throw new InvalidOperationException("A ValueTask may be awaited only once.");
        }

        _lateContinuation = continuation;
        PoolWork.Queue(this);
    }

    public T GetResult(short token)
    {
        CheckToken(token);
        if (!HasEnded)
        {
            throw new InvalidOperationException("The method has not ended: convert the ValueTask with AsTask() to wait for it.");
        }

        T result = _result!;
        ExceptionDispatchInfo? error = _error;
        _result = default;
        _error = null;
        _lateContinuation = null;
        _continuationState = null;
        _continuation = null;
        Version++;
        GiveBack();
        error?.Throw();
        return result;
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    void IThreadPoolWorkItem.Execute() => _lateContinuation!(_continuationState);

    /// <summary>Its result has been taken: nobody knows it any more.</summary>
    protected abstract void GiveBack();

    private void End()
    {
        // Where nobody awaits it yet, it may be another one's from here on. Otherwise it is used again only after the continuation began.
        if (Interlocked.Exchange(ref _continuation, EndedSentinel) is { } continuation)
        {
            continuation(_continuationState);
        }
    }

    private void CheckToken(short token)
    {
        if (token != Version)
        {
            throw new InvalidOperationException("A ValueTask may be awaited only once.");
        }
    }
}

/// <summary>Of a method that failed before it was suspended.</summary>
internal sealed class FailedTask<T> : InnerTask<T>
{
    protected override void GiveBack()
    {
    }
}

/// <summary>An <see cref="InnerTask{T}"/> with the method's state.</summary>
internal sealed class InnerTask<T, TStateMachine> : InnerTask<T>
    where TStateMachine : IAsyncStateMachine
{
    private static readonly ContextCallback GoOnInContext = static task => ((InnerTask<T, TStateMachine>)task!)._stateMachine!.MoveNext();

    /// <summary>This thread's alone, so that taking one needs neither a lock nor another processor's cache line.</summary>
    [ThreadStatic]
    private static InnerTask<T, TStateMachine>? t_kept;

    private static InnerTask<T, TStateMachine>? s_kept;

    private TStateMachine? _stateMachine;

    /// <summary>The method goes on in it; null where its flow is suppressed.</summary>
    private ExecutionContext? _context;

    private InnerTask() => GoOn = MoveNext;

    /// <summary>What is registered with what the method awaits.</summary>
    public Action GoOn { get; }

    public static InnerTask<T, TStateMachine> Rent()
    {
        InnerTask<T, TStateMachine>? task = t_kept;
        if (task is not null)
        {
            t_kept = null;
            return task;
        }

        return Interlocked.Exchange(ref s_kept, null) ?? Make();
    }

    /// <summary>The method as it is when it is suspended first: from then on it runs here.</summary>
    public void Take(ref TStateMachine stateMachine) => _stateMachine = stateMachine;

    /// <summary>Each suspension's context is its own.</summary>
    public void TakeContext() => _context = ExecutionContext.Capture();

    protected override void GiveBack()
    {
        _stateMachine = default;
        _context = null;
        if (t_kept is null)
        {
            t_kept = this;
        }
        else
        {
            Volatile.Write(ref s_kept, this);
        }
    }

    /// <summary>Waits for memory where there is none at this moment.</summary>
    private static InnerTask<T, TStateMachine> Make()
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                Seam.Memory();
                InnerTask<T, TStateMachine> task = new();
                Uninterrupted.Restore(isInterrupted);
                return task;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }
    }

    private void MoveNext()
    {
        if (_context is { } context)
        {
            ExecutionContext.Run(context, GoOnInContext, this);
        }
        else
        {
            _stateMachine!.MoveNext();
        }
    }
}
