using Sluice.Memory;

namespace Sluice.Log;

/// <summary>A thread that does a log's rounds when it is asked to, or when a time is over; it sleeps otherwise, and is made when first
/// asked.</summary>
#pragma warning disable CA1001 // Nobody asks the semaphore for a wait handle, and only that would have to be disposed.
internal sealed class StageThread
#pragma warning restore CA1001
{
    private readonly string _name;
    private readonly int _intervalMs;
    private readonly Action<bool> _round;
    private readonly Func<bool> _hasMore;
    private readonly SemaphoreSlim _signal = new(0);
    private readonly Lock _starting = new();
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

    /// <summary>Asks for a round. Several requests before it begins are one.</summary>
    public void Signal()
    {
        if (Volatile.Read(ref _isSignalled) == 0 && Interlocked.Exchange(ref _isSignalled, 1) == 0)
        {
            _signal.Release();
            Start();
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
        Thread? thread;
        using (_starting.EnterUninterrupted())
        {
            _ends = true;
            thread = _thread;
        }

        if (thread is not null)
        {
            _signal.Release();
            thread.Join();
        }
    }

    private void Start()
    {
        if (Volatile.Read(ref _thread) is not null)
        {
            return;
        }

        using (_starting.EnterUninterrupted())
        {
            if (_thread is null && !_ends)
            {
                Thread thread = new(Run) { IsBackground = true, Name = _name };
                thread.UnsafeStart();
                Volatile.Write(ref _thread, thread);
            }
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

            bool asked = _signal.Wait(looksAgain ? _intervalMs : Timeout.Infinite);
            Volatile.Write(ref _isAsleep, 0);
            Interlocked.Exchange(ref _isSignalled, 0);
            if (Volatile.Read(ref _ends))
            {
                return;
            }

            _round(asked);
        }
    }
}
