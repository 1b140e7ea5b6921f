namespace Sluice.Interop;

/// <summary>
/// One thread's append while it waits in <see cref="AppendCombiner"/>. The memory is the waiting caller's: whoever serves the request
/// may read it until the state becomes <see cref="Done"/>, and not a moment longer.
/// </summary>
#pragma warning disable CA1001 // One for each thread, for the thread's life; the semaphore has no handle until one is asked for.
internal sealed class AppendRequest
#pragma warning restore CA1001
{
    public const int Waiting = 0;
    public const int Parked = 1;
    public const int Retry = 2;
    public const int Done = 3;

    [ThreadStatic]
    private static AppendRequest? t_request;

    private readonly SemaphoreSlim _wake = new(0);
    private int _state;

    public static AppendRequest ForThisThread => t_request ??= new AppendRequest();

    public AppendRequest? Next { get; set; }

    public nint Address { get; private set; }

    public int Length { get; private set; }

    /// <summary>Where the bytes landed, or a negative errno; valid once done.</summary>
    public long Result { get; private set; }

    public bool IsDone => Volatile.Read(ref _state) == Done;

    public void Begin(nint address, int length)
    {
        Address = address;
        Length = length;
        _state = Waiting;
    }

    /// <summary>Called by whoever serves: the last touch of this object and of its memory.</summary>
    public void Complete(long result)
    {
        Result = result;
        if (Interlocked.Exchange(ref _state, Done) == Parked)
        {
            _wake.Release();
        }
    }

    /// <summary>The waiter is about to sleep; false when it need not.</summary>
    public bool TryPark() => Interlocked.CompareExchange(ref _state, Parked, Waiting) == Waiting;

    /// <summary>Wakes the waiter, if it sleeps, to look for itself; true when it did.</summary>
    public bool TryRetry()
    {
        if (Interlocked.CompareExchange(ref _state, Retry, Parked) != Parked)
        {
            return false;
        }

        _wake.Release();
        return true;
    }

    /// <summary>The waiter has found work instead of sleep; takes back a wake-up that came meanwhile.</summary>
    public void Unpark()
    {
        if (Interlocked.CompareExchange(ref _state, Waiting, Parked) != Parked)
        {
            // Whoever took the state from Parked, to Retry or to Done, calls once.
            _wake.Wait();
            Interlocked.CompareExchange(ref _state, Waiting, Retry);
        }
    }

    /// <summary>Sleeps until somebody calls.</summary>
    public void Sleep()
    {
        _wake.Wait();
        Interlocked.CompareExchange(ref _state, Waiting, Retry);
    }
}
