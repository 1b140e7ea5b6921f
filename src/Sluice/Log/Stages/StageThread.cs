namespace Sluice.Log.Stages;

/// <summary>A thread that does a log's rounds when it is asked to, or when a time is over; it sleeps otherwise.</summary>
internal sealed class StageThread
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
    /// <param name="intervalMs">How long it waits for a signal while it is not asleep.</param>
    /// <param name="round">Does what is to do; told whether it was asked (else the time is over).</param>
    /// <param name="hasMore">Whether there is reason for another round when the interval is over.</param>
    public StageThread(string name, int intervalMs, Action<bool> round, Func<bool> hasMore) =>
        (_name, _intervalMs, _round, _hasMore) = (name, intervalMs, round, hasMore);

    /// <summary>Whether nobody does rounds any more.</summary>
    public bool HasEnded => Volatile.Read(ref _ends);

    /// <summary>
    /// Makes the thread: while the log is opened, so that who opens it hears when there is none to be had, and nobody waits later for one
    /// that cannot be made.
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

    /// <summary>After a full fence: sees to it that a round comes within the interval.</summary>
    public void Rouse()
    {
        if (Volatile.Read(ref _isAsleep) != 0)
        {
            Signal();
        }
    }

    /// <summary>Waits until the thread has ended; whoever asks for a round afterwards asks nobody.</summary>
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
                // Whoever took a place before this fence is seen below; who comes behind it sees that we sleep.
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

    /// <summary>Until it is signalled, or the time is over; whether it was signalled.</summary>
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
