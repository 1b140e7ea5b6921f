namespace Sluice.Hostile.Tests.Storms;

/// <summary>One thread of a storm: its random numbers, its tokens, and how its calls end.</summary>
internal sealed class StormWorker(StormRound round, int number, Random random)
{
    private CancellationTokenSource? _source;

    public StormRound Round => round;

    public int Number => number;

    public Random Random => random;

    public Thread? Thread { get; set; }

    /// <summary>A call has said that the object is closed, or the storm is over: nothing more is begun.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>None, one that is cancelled, or one that may be cancelled at any moment.</summary>
    public CancellationToken NextToken()
    {
        int kind = random.Next(10);
        if (kind < 5)
        {
            return CancellationToken.None;
        }

        if (kind == 5)
        {
            return new CancellationToken(canceled: true);
        }

        CancellationTokenSource source = new();
        Volatile.Write(ref _source, source);
        return source.Token;
    }

    /// <summary>Cancels the token that this thread has got last; called by others.</summary>
    public void Cancel() => Volatile.Read(ref _source)?.Cancel();

    /// <summary>The caller's code in one call of many throws.</summary>
    public Countdown NextCountdown() => new(
        random.Next(3) == 0 ? 1 + random.Next(12) : int.MaxValue, (ThrownKind)random.Next(3));

    /// <summary>
    /// Makes a synchronous call. False where it was rejected for a reason that the storm has given it; anything else is a failure.
    /// </summary>
    public bool Try(string what, Action call, Countdown? countdown = null, CancellationToken token = default)
    {
        bool mustFail = round.IsClosed;
        return HasSucceeded(what, Caught(call), mustFail, countdown, token);
    }

    /// <summary>Begins a call; what it throws at once is its task's.</summary>
    public StormCall Begin(string what, Func<Task> call, Countdown? countdown = null, CancellationToken token = default)
    {
        bool mustFail = round.IsClosed;
        Task? task = null;
        Exception? error = Caught(() => task = call());
        return new StormCall(what, task, error, mustFail, countdown, token);
    }

    /// <summary>Waits for a call that was begun.</summary>
    public bool Ends(StormCall call)
    {
        if (call.Task is not { } task)
        {
            return HasSucceeded(call.What, call.Error, call.MustFail, call.Countdown, call.Token);
        }

        _ = Task.WaitAny([task]);
        Exception? error = task.IsCanceled ? CancellationOf(task) : task.Exception?.InnerException;
        return HasSucceeded(call.What, error, call.MustFail, call.Countdown, call.Token);
    }

    /// <summary>Begins it, and waits for it.</summary>
    public bool TryAsync(string what, Func<Task> call, Countdown? countdown = null, CancellationToken token = default) =>
        Ends(Begin(what, call, countdown, token));

    private static Exception? CancellationOf(Task task) => Caught(() => task.GetAwaiter().GetResult());

    private static Exception? Caught(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    private bool HasSucceeded(string what, Exception? error, bool mustFail, Countdown? countdown, CancellationToken token)
    {
        HasEnded |= round.IsOver;
        if (error is null)
        {
            return mustFail ? throw new InvalidOperationException($"{what} of thread {number}: a closed object took it") : true;
        }

        bool isClosed = error is ObjectDisposedException && round.IsClosing;
        bool isCancelled = error is OperationCanceledException cancelled && token.IsCancellationRequested
            && cancelled.CancellationToken == token;
        if (!isClosed && !isCancelled && countdown?.IsThrown(error) != true)
        {
            throw new InvalidOperationException($"{what} of thread {number} threw what nobody gave it a reason for", error);
        }

        HasEnded |= isClosed;
        return false;
    }
}

/// <summary>A call that was begun.</summary>
/// <param name="What">For a failure.</param>
/// <param name="Task">Its task; null where the call itself threw.</param>
/// <param name="Error">What the call itself threw.</param>
/// <param name="MustFail">The object was closed before.</param>
/// <param name="Token">What may have cancelled it.</param>
/// <param name="Countdown">What its caller's code may have thrown.</param>
internal sealed record StormCall(
    string What, Task? Task, Exception? Error, bool MustFail, Countdown? Countdown, CancellationToken Token);
