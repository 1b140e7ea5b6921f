using System.Runtime.CompilerServices;
using Sluice.Engines;

namespace Sluice.Streams;

/// <summary>
/// Carries a stream's own awaits on while it has its gate, for which a synchronous call may wait. An await that registers a moment after
/// what it awaits has completed is queued by .NET, on the pool and nowhere else; a relay has it run as <see cref="PoolWork"/>.
/// </summary>
/// <remarks>
/// Whoever awaits registers the relay, looks once more whether it was too late, and says so; until then a signal only leaves a mark, and
/// nobody takes the result, so that the look is allowed. The continuation runs once.
/// </remarks>
internal sealed class Relay : IThreadPoolWorkItem
{
    private const int Begun = 0;
    private const int Signalled = 1;
    private const int Registered = 2;
    private const int Taken = 3;
    private const int MaxKept = 16;

    [ThreadStatic]
    private static Relay? t_first;

    [ThreadStatic]
    private static int t_kept;

    private Action? _continuation;
    private Relay? _next;
    private int _state;

    /// <summary>.NET still has the signal in a queue: this object cannot be used again.</summary>
    private bool _isExpected;

    private Relay() => Signal = OnSignal;

    /// <summary>What is registered with the awaited task.</summary>
    public Action Signal { get; }

    public static Relay Rent(Action continuation)
    {
        Relay relay;
        if (t_first is { } first)
        {
            t_first = first._next;
            t_kept--;
            relay = first;
        }
        else
        {
            relay = new Relay();
        }

        relay._continuation = continuation;
        return relay;
    }

    /// <param name="isLate">What is awaited has completed: the signal may wait for a thread of the pool.</param>
    public void EndRegistration(bool isLate)
    {
        if (isLate)
        {
            _isExpected = Interlocked.Exchange(ref _state, Taken) != Signalled;
            PoolWork.Queue(this);
        }
        else if (Interlocked.CompareExchange(ref _state, Registered, Begun) == Signalled)
        {
            PoolWork.Queue(this);
        }
    }

    void IThreadPoolWorkItem.Execute() => Run();

    private void OnSignal()
    {
        if (Interlocked.CompareExchange(ref _state, Signalled, Begun) == Registered)
        {
            Run();
        }
    }

    private void Run()
    {
        Action continuation = _continuation!;
        _continuation = null;
        if (!_isExpected && t_kept < MaxKept)
        {
            _state = Begun;
            _next = t_first;
            t_first = this;
            t_kept++;
        }

        continuation();
    }
}

/// <summary>How a stream awaits its own work: by a <see cref="Relay"/>, without a context.</summary>
internal static class RelayedAwaits
{
    public static RelayedTask Relayed(this ValueTask task) => new(task);

    public static RelayedTask Relayed(this Task task) => new(new ValueTask(task));

    public static RelayedTask<T> Relayed<T>(this ValueTask<T> task) => new(task);
}

internal readonly struct RelayedTask(ValueTask task) : ICriticalNotifyCompletion
{
    private readonly ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _awaiter = task.ConfigureAwait(false).GetAwaiter();

    public bool IsCompleted => _awaiter.IsCompleted;

    public RelayedTask GetAwaiter() => this;

    public void GetResult() => _awaiter.GetResult();

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation)
    {
        // This value lies in the state machine, which another thread may carry on before this method has ended.
        ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter awaiter = _awaiter;
        Relay relay = Relay.Rent(continuation);
        awaiter.UnsafeOnCompleted(relay.Signal);
        relay.EndRegistration(awaiter.IsCompleted);
    }
}

internal readonly struct RelayedTask<T>(ValueTask<T> task) : ICriticalNotifyCompletion
{
    private readonly ConfiguredValueTaskAwaitable<T>.ConfiguredValueTaskAwaiter _awaiter = task.ConfigureAwait(false).GetAwaiter();

    public bool IsCompleted => _awaiter.IsCompleted;

    public RelayedTask<T> GetAwaiter() => this;

    public T GetResult() => _awaiter.GetResult();

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation)
    {
        ConfiguredValueTaskAwaitable<T>.ConfiguredValueTaskAwaiter awaiter = _awaiter;
        Relay relay = Relay.Rent(continuation);
        awaiter.UnsafeOnCompleted(relay.Signal);
        relay.EndRegistration(awaiter.IsCompleted);
    }
}
