namespace Sluice.Log.Appending;

/// <summary>
/// Work of a log that is done in rounds, one at a time, when it is signaled or when an interval has passed, on the threads that all logs
/// share.
/// </summary>
/// <param name="intervalMs">The milliseconds between two rounds while there is work.</param>
/// <param name="round">Does the work. The argument is true after a signal, and false after the interval.</param>
/// <param name="hasMore">Returns true if another round is needed after the interval.</param>
internal sealed class LogWorker(int intervalMs, Action<bool> round, Func<bool> hasMore)
{
    private int _isSignaled;
    private int _isAsleep = 1;
    private bool _ends;

    public int IntervalMs => intervalMs;

    /// <summary>True if <see cref="End"/> was called: no new round begins.</summary>
    public bool HasEnded => Volatile.Read(ref _ends);

    /// <summary>True if a round was requested and has not begun.</summary>
    public bool IsSignaled => Volatile.Read(ref _isSignaled) != 0;

    /// <summary>True if the next round waits for a thread. This and the next four members are used by <see cref="LogThreads"/>.</summary>
    public bool IsQueued { get; set; }

    /// <summary>The time at which the worker was queued.</summary>
    public long QueuedAt { get; set; }

    public bool IsRunning { get; set; }

    /// <summary>The time of the next round that was not requested; 0 if there is none.</summary>
    public long DueAt { get; set; }

    /// <summary>True if the worker is among those that wait for a time.</summary>
    public bool IsTimed { get; set; }

    /// <summary>Requests a round. Several requests before it begins count as one.</summary>
    public void Signal()
    {
        if (Volatile.Read(ref _isSignaled) == 0 && Interlocked.Exchange(ref _isSignaled, 1) == 0)
        {
            LogThreads.Add(this);
        }
    }

    /// <summary>Ensures that a round begins within the interval. Called after a full fence.</summary>
    public void Rouse()
    {
        if (Volatile.Read(ref _isAsleep) != 0)
        {
            Signal();
        }
    }

    /// <summary>Ends the worker and waits until no round is running. Later signals start no round.</summary>
    public void End()
    {
        Volatile.Write(ref _ends, true);
        LogThreads.AwaitEnd(this);
    }

    /// <summary>Runs a round. Returns true if another one is needed after the interval.</summary>
    public bool RunRound()
    {
        Volatile.Write(ref _isAsleep, 0);
        round(Interlocked.Exchange(ref _isSignaled, 0) != 0);
        if (hasMore())
        {
            return true;
        }

        // Space that was reserved before this fence is seen below; a thread that reserves after it sees _isAsleep.
        Interlocked.Exchange(ref _isAsleep, 1);
        return hasMore();
    }
}
