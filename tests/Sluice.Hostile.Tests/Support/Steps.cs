using Sluice.Uring;

namespace Sluice.Hostile.Tests.Support;

/// <summary>
/// Counts the system calls of the library, entries of rings included, and does something in the middle of the n-th, on a thread of its own.
/// </summary>
internal sealed class Steps : IDisposable
{
    /// <summary>What waits for the call itself is not waited for by the call.</summary>
    private const int PatienceMs = 15;

    private readonly int _at;
    private readonly bool _waits;
    private readonly Lock _lock = new();
    private Action? _action;
    private Thread? _thread;
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isEnded;
    private int _count;

    public Steps(int at, bool waits)
    {
        (_at, _waits) = (at, waits);
        SystemCallFaults.Use(OnCall);
    }

    /// <summary>Whether so many calls have come.</summary>
    public bool HasStruck => Volatile.Read(ref _thread) is not null;

    /// <summary>The call in which it was done.</summary>
    public string? Call { get; private set; }

    /// <summary>Counts from now on, and does this when the time has come.</summary>
    public void Begin(Action action) => Volatile.Write(ref _action, action);

    /// <summary>
    /// Nothing begins any more, and what began has ended; throws what it threw. Waits without a thread: that other one may be in it.
    /// </summary>
    public async Task EndAsync()
    {
        Volatile.Write(ref _action, null);
        lock (_lock)
        {
            _isEnded = true;
        }

        if (HasStruck)
        {
            await _done.Task.WaitAsync(Watchdog.Patience);
        }
    }

    public void Dispose() => SystemCallFaults.Use(null);

    private long OnCall(string call, int descriptor, long length)
    {
        if (Volatile.Read(ref _action) is not { } action || Interlocked.Increment(ref _count) != _at)
        {
            return 0;
        }

        Thread thread = new(() =>
        {
            try
            {
                action();
                _done.SetResult();
            }
            catch (Exception e)
            {
                _done.SetException(e);
            }
        })
        {
            IsBackground = true,
        };
        lock (_lock)
        {
            if (_isEnded)
            {
                return 0;
            }

            Call = call;
            Volatile.Write(ref _thread, thread);
            thread.Start();
        }

        if (_waits)
        {
            _ = thread.Join(PatienceMs);
        }

        return 0;
    }
}
