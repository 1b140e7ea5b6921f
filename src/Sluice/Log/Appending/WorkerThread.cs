namespace Sluice.Log.Appending;

/// <summary>A thread that does a round of work when it is signaled or when an interval has passed, and sleeps otherwise.</summary>
internal sealed class WorkerThread
{
    private readonly string _name;
    private readonly int _intervalMs;
    private readonly Action<bool> _round;
    private readonly Func<bool> _hasMore;

    /// <summary>Guards <see cref="_isSignalled"/> where the thread sleeps. No semaphore: that spins before it sleeps.</summary>
    private readonly object _monitor = new();
    private Thread? _thread;

    private int _isSignalled;
    private int _isAsleep = 1;
    private bool _ends;

    /// <param name="name">Of the thread.</param>
    /// <param name="intervalMs">The milliseconds between two rounds while there is work.</param>
    /// <param name="round">Does the work. The argument is true after a signal, and false after a timeout.</param>
    /// <param name="hasMore">Returns true if another round is needed after the interval.</param>
    public WorkerThread(string name, int intervalMs, Action<bool> round, Func<bool> hasMore) =>
        (_name, _intervalMs, _round, _hasMore) = (name, intervalMs, round, hasMore);

    /// <summary>True if no new round begins.</summary>
    public bool HasEnded => Volatile.Read(ref _ends);

    /// <summary>
    /// Starts the thread. This is done when the log is opened, so that <see cref="SluiceLog.Open"/> reports that no thread can be
    /// created.
    /// </summary>
    /// <exception cref="OutOfMemoryException">The process, or the machine, allows no more threads, descriptors or memory.</exception>
    public void Start()
    {
        Thread thread = new(Run) { IsBackground = true, Name = _name };
        thread.UnsafeStart();
        _thread = thread;
    }

    /// <summary>Asks for a round. Several requests before it begins are one.</summary>
    public void Signal()
    {
        if (Volatile.Read(ref _isSignalled) == 0 && Interlocked.Exchange(ref _isSignalled, 1) == 0)
        {
            Pulse();
        }
    }

    /// <summary>Makes sure that a round begins within the interval. Called after a full fence.</summary>
    public void Rouse()
    {
        if (Volatile.Read(ref _isAsleep) != 0)
        {
            Signal();
        }
    }

    /// <summary>Waits until the thread has ended. Later signals have no effect.</summary>
    public void End()
    {
        Volatile.Write(ref _ends, true);
        if (_thread is { } thread)
        {
            Volatile.Write(ref _isSignalled, 1);
            Pulse();
            thread.Join();
        }
    }

    private void Run()
    {
        while (!Volatile.Read(ref _ends))
        {
            bool looksAgain = _hasMore();
            if (!looksAgain)
            {
                // Space that was reserved before this fence is seen below; a thread that reserves after it sees _isAsleep.
                Interlocked.Exchange(ref _isAsleep, 1);
                looksAgain = _hasMore();
            }

            bool asked = Sleep(looksAgain ? _intervalMs : Timeout.Infinite);
            Volatile.Write(ref _isAsleep, 0);
            Interlocked.Exchange(ref _isSignalled, 0);
            if (Volatile.Read(ref _ends))
            {
                return;
            }

            _round(asked);
        }
    }

    /// <summary>Waits for a signal or a timeout. Returns true if the thread was signaled.</summary>
    private bool Sleep(int timeoutMs)
    {
        long end = timeoutMs == Timeout.Infinite ? long.MaxValue : Environment.TickCount64 + timeoutMs;
        lock (_monitor)
        {
            while (Volatile.Read(ref _isSignalled) == 0)
            {
                long left = end == long.MaxValue ? Timeout.Infinite : end - Environment.TickCount64;
                if (end != long.MaxValue && left <= 0)
                {
                    return false;
                }

                _ = Monitor.Wait(_monitor, (int)left);
            }
        }

        return true;
    }

    private void Pulse()
    {
        lock (_monitor)
        {
            Monitor.Pulse(_monitor);
        }
    }
}
