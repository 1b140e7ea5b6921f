using System.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>
/// Schedules the starts of operations at a fixed rate. Latency is measured from the intended start, so that a stalled device increases the
/// latencies instead of reducing the load.
/// </summary>
internal sealed class RateLimiter(double operationsPerSecond, Func<long>? clock = null, Action<int>? sleepMilliseconds = null) : IDisposable
{
    // The last part of the wait is spent spinning, because Thread.Sleep(1) wakes up late.
    private static readonly long SpinTicks = Stopwatch.Frequency / 1_000_000 * 1200;

    private readonly Func<long> _clock = clock ?? Stopwatch.GetTimestamp;
    private readonly Action<int> _sleep = sleepMilliseconds ?? Thread.Sleep;
    private readonly SemaphoreSlim _turnstile = new(1, 1);
    private long _startTimestamp;
    private long _issued;

    public double TicksPerOperation { get; } = Stopwatch.Frequency / operationsPerSecond;

    /// <summary>Starts the schedule.</summary>
    /// <param name="delayTicks">The time until the first operation is due.</param>
    public void Start(long delayTicks = 0)
    {
        _startTimestamp = _clock() + delayTicks;
        _issued = 0;
    }

    /// <summary>Returns the time from the deadline until the next operation is due.</summary>
    public long TicksUntilNextDue(long deadlineTimestamp) => Math.Max(0, DueOf(_issued) - deadlineTimestamp);

    /// <summary>Waits until the next operation is due. One caller at a time waits for the clock; the others wait for that caller.</summary>
    /// <returns>The intended start of the operation; null if <paramref name="deadlineTimestamp"/> comes first.</returns>
    public async ValueTask<long?> WaitAsync(long deadlineTimestamp, CancellationToken cancellationToken)
    {
        await _turnstile.WaitAsync(cancellationToken);
        try
        {
            return Wait(deadlineTimestamp, cancellationToken);
        }
        finally
        {
            _turnstile.Release();
        }
    }

    /// <summary>
    /// Removes all operations that are due before the deadline from the schedule, without waiting. Must not be called while another thread
    /// waits.
    /// </summary>
    /// <returns>The number of these operations, and the time at which the last one was due.</returns>
    public (long Count, long LastDue) TakeDue(long deadlineTimestamp)
    {
        long all = (long)Math.Ceiling((deadlineTimestamp - _startTimestamp) / TicksPerOperation);
        long count = Math.Max(0, all - _issued);
        _issued += count;
        return (count, DueOf(_issued - 1));
    }

    public void Dispose() => _turnstile.Dispose();

    // The limit avoids an overflow for times in hundreds of years.
    private long DueOf(long operation) => _startTimestamp + (long)Math.Min(operation * TicksPerOperation, long.MaxValue / 2);

    /// <summary>Waits on the thread of the only caller, as <see cref="WaitAsync"/> does.</summary>
    public long? Wait(long deadlineTimestamp, CancellationToken cancellationToken)
    {
        long due = DueOf(_issued);
        if (due >= deadlineTimestamp)
            return null;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            long remaining = due - _clock();
            if (remaining <= 0)
                break;
            if (remaining > SpinTicks)
                _sleep((int)Math.Min(100, Math.Max(1, (remaining - SpinTicks) * 1000 / Stopwatch.Frequency)));
            else
                Thread.SpinWait(20);
        }
        _issued++;
        return due;
    }
}
