using Sluice.Uring;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// Threads that use one object while another thread cancels their calls and closes the object, at moments that a seed and the scheduler
/// choose. An exception for which this class gave no reason is a failure.
/// </summary>
internal sealed class StormRound(TempFolder temp, int seed)
{
    /// <summary>How often a call looks for its disturber, and lets others run.</summary>
    private const int MaxLooks = 1000;

    private readonly Lock _lock = new();
    private StormWorker[] _workers = [];
    private Exception? _failure;
    private bool _hasEnded;
    private int _calls;
    private int _asked;
    private int _answered;
    private int _struck;
    private int _waited;

    /// <summary>Who was disturbed last; null for all, by a closing.</summary>
    private StormWorker? _target;
    private int _closing;
    private Intruder? _intruder;

    [ThreadStatic]
    private static Random? t_random;

    [ThreadStatic]
    private static StormWorker? t_worker;

    [ThreadStatic]
    private static bool t_isDisturber;

    public TempFolder Temp => temp;

    /// <summary>For whoever makes the object, before the threads begin.</summary>
    public Random Random { get; } = new(seed);

    /// <summary>Somebody has begun to close the object.</summary>
    public bool IsClosing => Volatile.Read(ref _closing) != 0;

    /// <summary>Somebody has closed it.</summary>
    public bool IsClosed => Volatile.Read(ref _closing) == 2;

    /// <summary>Something went wrong, or the threads are to end.</summary>
    public bool IsOver => Volatile.Read(ref _failure) is not null;

    /// <summary>
    /// System calls of the library during which the last token of the calling thread was canceled or the object was closed.
    /// </summary>
    public int Struck => Volatile.Read(ref _struck);

    /// <summary>Runs the threads to their end, and closes the object if nobody has.</summary>
    /// <param name="count">How many threads.</param>
    /// <param name="work">What each does.</param>
    /// <param name="close">Closes the object; called once, by any thread.</param>
    public void Run(int count, Action<StormWorker> work, Action close)
    {
        _workers = [.. Enumerable.Range(0, count).Select(i => new StormWorker(this, i, new Random(unchecked((seed * 31) + i))))];
        _waited = count + 1;
        Thread[] threads = [.. _workers.Select(w => new Thread(() => Guarded(() => Work(w, work))) { IsBackground = true })];
        for (int i = 0; i < count; i++)
        {
            _workers[i].Thread = threads[i];
        }

        Random moments = new(~seed);
        Thread disturber = new(() => Guarded(() => Disturb(moments, close))) { IsBackground = true };
        SystemCallFaults.Use(OnCall);
        try
        {
            Array.ForEach(threads, static t => t.Start());
            disturber.Start();
            Array.ForEach(threads, static t => t.Join());
            Volatile.Write(ref _hasEnded, true);
            disturber.Join();
            Guarded(() => Close(close));
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        Guarded(() => _intruder?.Check());
        if (_failure is { } failure)
        {
            throw new InvalidOperationException($"seed {seed}", failure);
        }
    }

    private void Work(StormWorker worker, Action<StormWorker> work)
    {
        AwaitOthers();
        t_worker = worker;
        work(worker);
    }

    /// <summary>No thread begins before all have started.</summary>
    private void AwaitOthers()
    {
        Interlocked.Decrement(ref _waited);
        while (Volatile.Read(ref _waited) > 0)
        {
            Thread.Yield();
        }
    }

    private void Guarded(Action action)
    {
        try
        {
            action();
        }
        catch (Exception e)
        {
            lock (_lock)
            {
                _failure ??= e;
            }
        }
    }

    private void Close(Action close)
    {
        if (Interlocked.CompareExchange(ref _closing, 1, 0) == 0)
        {
            close();
            Volatile.Write(ref _closing, 2);
        }
    }

    private void Disturb(Random random, Action close)
    {
        t_isDisturber = true;
        AwaitOthers();
        int closeAt = random.Next(3) == 0 ? random.Next(30) : -1;
        for (int n = 0; !Volatile.Read(ref _hasEnded); n++)
        {
            Pause(random);
            int asked = Volatile.Read(ref _asked);
            StormWorker worker = _workers[random.Next(_workers.Length)];
            Volatile.Write(ref _target, n == closeAt ? null : worker);
            if (n == closeAt)
            {
                Close(close);
                _intruder = new Intruder(temp);
                _intruder.Come();
            }
            else
            {
                worker.Cancel();
            }

            Volatile.Write(ref _answered, asked);
        }
    }

    /// <summary>
    /// Until a system call asks to be disturbed, or the library has made some more of them; not for ever, since it may be waiting for just
    /// this.
    /// </summary>
    private void Pause(Random random)
    {
        int target = Volatile.Read(ref _calls) + random.Next(8);
        int patience = random.Next(200);
        for (int i = 0;
            i < patience && Volatile.Read(ref _calls) < target && Volatile.Read(ref _asked) == _answered && !Volatile.Read(ref _hasEnded);
            i++)
        {
            _ = i % 16 == 15 ? Thread.Yield() : SpinWaited(random.Next(100));
        }

        if (random.Next(20) == 0)
        {
            Thread.Sleep(1);
        }
    }

    private static bool SpinWaited(int iterations)
    {
        Thread.SpinWait(iterations);
        return true;
    }

    private long OnCall(string call, int descriptor, long length)
    {
        Interlocked.Increment(ref _calls);
        Random random = t_random ??= new Random(unchecked((seed * 17) + Environment.CurrentManagedThreadId));
        if (random.Next(12) == 0)
        {
            Thread.Yield();
        }

        if (random.Next(4) == 0 && !t_isDisturber)
        {
            AwaitDisturber();
        }

        return 0;
    }

    /// <summary>In the midst of a call: until somebody was disturbed. Not for ever, since what is done may wait for this call.</summary>
    private void AwaitDisturber()
    {
        int asked = Interlocked.Increment(ref _asked);
        for (int i = 0; i < MaxLooks && Volatile.Read(ref _answered) < asked && !Volatile.Read(ref _hasEnded); i++)
        {
            Thread.Yield();
        }

        // A thread of the pool's, or of an engine's, is the only worker's, or nobody knows whose.
        StormWorker? own = t_worker ?? (_workers.Length == 1 ? _workers[0] : null);
        StormWorker? target = Volatile.Read(ref _target);
        if (Volatile.Read(ref _answered) >= asked && (target is null || target == own))
        {
            Interlocked.Increment(ref _struck);
        }
    }
}
