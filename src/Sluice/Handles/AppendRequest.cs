using Sluice.Memory;

namespace Sluice.Handles;

/// <summary>
/// One thread's append while it waits in <see cref="AppendCombiner"/>. The memory is the waiting caller's: whoever leads may read it
/// until the state becomes <see cref="AppendState.Done"/>, and not a moment longer.
/// </summary>
#pragma warning disable CA1001 // One for each thread, for the thread's life; the semaphore has no handle until one is asked for.
internal sealed class AppendRequest
#pragma warning restore CA1001
{
    [ThreadStatic]
    private static AppendRequest? t_request;

    private readonly SemaphoreSlim _wake = new(0);
    private volatile AppendState _state;

    public static AppendRequest ForThisThread => t_request ??= new AppendRequest();

    public AppendRequest? Next { get; set; }

    public nint Address { get; private set; }

    public int Length { get; private set; }

    /// <summary>Whether its thread holds a reference to the file until it is done.</summary>
    public bool IsHeld { get; private set; }

    /// <summary>As <see cref="AppendCombiner.Append"/> returns it; valid once done.</summary>
    public long Result { get; private set; }

    public AppendState State => _state;

    public void Begin(nint address, int length, bool isHeld)
    {
        Address = address;
        Length = length;
        IsHeld = isHeld;
        _state = AppendState.Waiting;
    }

    /// <summary>Called by whoever leads: the last touch of this object and of its memory.</summary>
    public void Complete(long result)
    {
        Result = result;
        if (Interlocked.Exchange(ref _state, AppendState.Done) == AppendState.Parked)
        {
            _wake.Release();
        }
    }

    /// <summary>Hands the lead to its thread; false when that sleeps.</summary>
    public bool TryMakeLeader() => TryMove(AppendState.Waiting, AppendState.Leads);

    /// <summary>Its thread is about to sleep; false when it need not.</summary>
    public bool TryPark() => TryMove(AppendState.Waiting, AppendState.Parked);

    /// <summary>Wakes its thread, if that sleeps, to look for itself; true when it did.</summary>
    public bool TryRetry()
    {
        if (!TryMove(AppendState.Parked, AppendState.Retry))
        {
            return false;
        }

        _wake.Release();
        return true;
    }

    /// <summary>
    /// Sleeps until somebody calls. Whoever takes the state from Parked calls once. Thread.Interrupt has to wait: others may still read
    /// the memory of this request.
    /// </summary>
    public void Sleep()
    {
        _wake.WaitUninterrupted();
        TryMove(AppendState.Retry, AppendState.Waiting);
    }

    private bool TryMove(AppendState from, AppendState to) => Interlocked.CompareExchange(ref _state, to, from) == from;
}
