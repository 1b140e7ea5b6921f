using Sluice.Memory;

namespace Sluice.Handles;

/// <summary>
/// One thread's append while it waits in <see cref="AppendCombiner"/>. The memory is the waiting caller's: whoever leads may read it
/// until the state becomes <see cref="AppendState.Done"/>, and not a moment longer.
/// </summary>
internal sealed class AppendRequest
{
    /// <summary>This thread's alone: it waits with one append at a time, and a synchronous call allocates nothing.</summary>
    [ThreadStatic]
    private static AppendRequest? t_request;

    /// <summary>
    /// Its thread sleeps by this monitor, and looks at the state whenever it wakes. No semaphore: an interruption that comes between its
    /// signal and its waiter's end leaves it believing that somebody is about to wake, and its next signal wakes nobody.
    /// </summary>
    private readonly object _bed = new();
    private volatile AppendState _state;

    public AppendRequest? Next { get; set; }

    public nint Address { get; private set; }

    public int Length { get; private set; }

    /// <summary>Whether its thread holds a reference to the file until it is done.</summary>
    public bool IsHeld { get; private set; }

    /// <summary>As <see cref="AppendCombiner.Append"/> returns it; valid once done.</summary>
    public long Result { get; private set; }

    public AppendState State => _state;

    /// <summary>
    /// One that nobody uses: this thread may be in the midst of an append, and come from there by code of a caller's (a handler of
    /// AppDomain.FirstChanceException).
    /// </summary>
    public static AppendRequest Rent()
    {
        AppendRequest request = t_request ?? new AppendRequest();
        t_request = null;
        return request;
    }

    /// <summary>Kept for this thread's next append. It is done.</summary>
    public void Return() => t_request = this;

    public void Begin(nint address, int length, bool isHeld)
    {
        Address = address;
        Length = length;
        IsHeld = isHeld;
        _state = AppendState.Waiting;
    }

    /// <summary>
    /// Called by whoever leads: the last touch of what is stored here and of the memory. A thread that sleeps is woken afterwards; should
    /// it have left by then, it looks at its state once more.
    /// </summary>
    public void Complete(long result)
    {
        Result = result;
        if (Interlocked.Exchange(ref _state, AppendState.Done) == AppendState.Parked)
        {
            Wake();
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

        Wake();
        return true;
    }

    /// <summary>
    /// Sleeps until somebody takes the state from Parked. Thread.Interrupt has to wait: others may still read the memory of this request.
    /// </summary>
    public void Sleep()
    {
        bool isInterrupted = false;
        Uninterrupted.Enter(_bed, ref isInterrupted);
        while (_state == AppendState.Parked)
        {
            _ = Uninterrupted.Wait(_bed, Timeout.Infinite, ref isInterrupted);
        }

        Monitor.Exit(_bed);
        Uninterrupted.Restore(isInterrupted);
        TryMove(AppendState.Retry, AppendState.Waiting);
    }

    /// <summary>After the state has been changed. An interruption of whoever leads is not for those it serves.</summary>
    private void Wake()
    {
        bool isInterrupted = false;
        Uninterrupted.Enter(_bed, ref isInterrupted);
        Monitor.Pulse(_bed);
        Monitor.Exit(_bed);
        Uninterrupted.Restore(isInterrupted);
    }

    private bool TryMove(AppendState from, AppendState to) => Interlocked.CompareExchange(ref _state, to, from) == from;
}
