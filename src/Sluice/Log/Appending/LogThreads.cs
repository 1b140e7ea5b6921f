namespace Sluice.Log.Appending;

/// <summary>
/// Runs the rounds of the workers of all logs in the process on a few threads. Another thread, the scheduling thread, requests rounds when
/// their interval has passed. Rounds begin in the order of the requests. If a round has waited for a tenth of a second because all threads
/// are busy, another thread is started, so that a disk that does not respond delays other logs no longer than that. A thread without work
/// ends after some seconds, unless it is the last.
/// </summary>
internal static class LogThreads
{
    /// <summary>The number of threads up to which a request starts a new thread at once.</summary>
    private const int UsualThreads = 3;

    /// <summary>The time, in milliseconds, that a round waits for one of the threads before another one is started.</summary>
    private const int PatienceMs = 100;

    /// <summary>The time, in milliseconds, after which a thread without work ends.</summary>
    private const int IdleMs = 2000;

    /// <summary>Guards the fields below. The scheduling thread and <see cref="AwaitEnd"/> wait for it to be pulsed.</summary>
    private static readonly object s_lock = new();

    private static readonly Queue<LogWorker> s_queue = new();
    private static readonly PriorityQueue<LogWorker, long> s_timed = new();

    /// <summary>The threads that sleep; the last one has slept for the shortest time.</summary>
    private static readonly List<Sleeper> s_sleepers = [];

    private static int s_threads;

    /// <summary>The number of threads that were started or woken and have not checked the queue since.</summary>
    private static int s_onTheirWay;
    private static bool s_hasScheduler;

    /// <summary>The time at which the scheduling thread wakes up by itself.</summary>
    private static long s_wakesAt = long.MaxValue;

    /// <summary>
    /// Starts the scheduling thread and a worker thread if there are none. Called while a log is opened, so that the caller gets the
    /// exception if no thread can be created.
    /// </summary>
    /// <exception cref="OutOfMemoryException">The process, or the machine, allows no more threads, descriptors or memory.</exception>
    public static void Start()
    {
        lock (s_lock)
        {
            if (!s_hasScheduler)
            {
                Begin(Schedule, "Sluice log scheduler");
                s_hasScheduler = true;
            }

            if (s_threads == 0)
            {
                AddThread();
            }
        }
    }

    /// <summary>Requests a round of a signaled worker. If a round is running, another one follows it.</summary>
    public static void Add(LogWorker worker)
    {
        lock (s_lock)
        {
            Enqueue(worker);
        }
    }

    /// <summary>Waits until no round of an ended worker is running. No round begins later.</summary>
    public static void AwaitEnd(LogWorker worker)
    {
        lock (s_lock)
        {
            if (worker.IsTimed)
            {
                _ = s_timed.Remove(worker, out _, out _);
            }

            while (worker.IsRunning)
            {
                _ = Monitor.Wait(s_lock);
            }
        }
    }

    private static void Begin(ThreadStart run, string name) => new Thread(run) { IsBackground = true, Name = name }.UnsafeStart();

    private static void AddThread()
    {
        Begin(Run, "Sluice log worker");
        s_threads++;
        s_onTheirWay++;
    }

    private static bool TryAddThread()
    {
        try
        {
            AddThread();
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            // The existing threads, at least one, continue; the scheduling thread tries again.
            return false;
        }
    }

    private static void Enqueue(LogWorker worker)
    {
        if (worker.IsRunning || worker.IsQueued || worker.HasEnded)
        {
            return;
        }

        long now = Environment.TickCount64;
        (worker.IsQueued, worker.QueuedAt) = (true, now);
        s_queue.Enqueue(worker);
        if (s_sleepers is [.., Sleeper sleeper])
        {
            s_sleepers.RemoveAt(s_sleepers.Count - 1);
            sleeper.IsOnItsWay = true;
            s_onTheirWay++;
            sleeper.Wake();
        }
        else if (s_threads >= UsualThreads || !TryAddThread())
        {
            WakeSchedulerBy(now + PatienceMs);
        }
    }

    private static void EnqueueAt(LogWorker worker, long due)
    {
        worker.DueAt = due;
        if (!worker.IsTimed)
        {
            worker.IsTimed = true;
            s_timed.Enqueue(worker, due);
            WakeSchedulerBy(due);
        }
    }

    private static void WakeSchedulerBy(long time)
    {
        if (time < s_wakesAt)
        {
            s_wakesAt = time;
            Monitor.PulseAll(s_lock);
        }
    }

    /// <summary>Requests rounds whose interval has passed, and adds threads for rounds that have waited too long.</summary>
    private static void Schedule()
    {
        lock (s_lock)
        {
            while (true)
            {
                long now = Environment.TickCount64;
                while (s_timed.TryPeek(out LogWorker? worker, out long due) && due <= now)
                {
                    _ = s_timed.Dequeue();
                    worker.IsTimed = false;
                    if (worker.DueAt > now)
                    {
                        // The interval was restarted by a later round.
                        EnqueueAt(worker, worker.DueAt);
                    }
                    else if (worker.DueAt > 0)
                    {
                        Enqueue(worker);
                    }
                }

                s_wakesAt = s_timed.TryPeek(out _, out long next) ? next : long.MaxValue;
                if (s_queue.Count > s_onTheirWay)
                {
                    int late = s_queue.Count(w => w.QueuedAt + PatienceMs <= now) - s_onTheirWay;
                    for (; late > 0 && TryAddThread(); late--)
                    {
                    }

                    s_wakesAt = Math.Min(s_wakesAt, now + PatienceMs);
                }

                _ = Monitor.Wait(s_lock, s_wakesAt == long.MaxValue ? Timeout.Infinite : (int)Math.Clamp(s_wakesAt - now, 1, int.MaxValue));
            }
        }
    }

    private static void Run()
    {
        Sleeper sleeper = new();
        while (true)
        {
            if (Next(sleeper) is { } worker)
            {
                RunRound(worker);
            }
            else if (!sleeper.Sleep(IdleMs) && TryEnd(sleeper))
            {
                return;
            }
        }
    }

    private static void RunRound(LogWorker worker)
    {
        bool hasMore = worker.RunRound();
        lock (s_lock)
        {
            worker.IsRunning = false;
            if (worker.HasEnded)
            {
                Monitor.PulseAll(s_lock);
            }
            else if (worker.IsSignaled)
            {
                Enqueue(worker);
            }
            else if (hasMore)
            {
                EnqueueAt(worker, Environment.TickCount64 + worker.IntervalMs);
            }
        }
    }

    /// <summary>Removes the next worker from the queue. If there is none, adds the thread to the sleeping ones and returns null.</summary>
    private static LogWorker? Next(Sleeper sleeper)
    {
        lock (s_lock)
        {
            s_onTheirWay -= sleeper.IsOnItsWay ? 1 : 0;
            sleeper.IsOnItsWay = false;
            while (s_queue.TryDequeue(out LogWorker? worker))
            {
                worker.IsQueued = false;
                if (!worker.HasEnded)
                {
                    (worker.IsRunning, worker.DueAt) = (true, 0);
                    return worker;
                }
            }

            if (!s_sleepers.Contains(sleeper))
            {
                s_sleepers.Add(sleeper);
            }

            return null;
        }
    }

    /// <summary>Unregisters a thread that is to end. Returns false if the thread was woken or is the last one.</summary>
    private static bool TryEnd(Sleeper sleeper)
    {
        lock (s_lock)
        {
            if (s_threads == 1 || !s_sleepers.Remove(sleeper))
            {
                return false;
            }

            s_threads--;
            return true;
        }
    }

    /// <summary>Lets a thread sleep until it is woken. A semaphore is not used, because it spins before it sleeps.</summary>
    private sealed class Sleeper
    {
        private readonly object _lock = new();
        private bool _isWoken;

        /// <summary>
        /// True if the thread was started or woken and has not checked the queue since. Guarded by <see cref="s_lock"/>.
        /// </summary>
        public bool IsOnItsWay { get; set; } = true;

        public void Wake()
        {
            lock (_lock)
            {
                _isWoken = true;
                Monitor.Pulse(_lock);
            }
        }

        /// <summary>Sleeps until the thread is woken or the time has passed. Returns false if the thread was not woken.</summary>
        public bool Sleep(int timeoutMs)
        {
            lock (_lock)
            {
                bool isWoken = _isWoken || Monitor.Wait(_lock, timeoutMs) || _isWoken;
                _isWoken = false;
                return isWoken;
            }
        }
    }
}
