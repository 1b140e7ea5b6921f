using System.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>
/// Returns intended start times at a fixed rate. Latency is measured from the intended time, so that a stalled device increases the
/// latencies instead of reducing the load.
/// </summary>
internal sealed class RateLimiter(double operationsPerSecond, Func<long>? clock = null, Action<int>? sleepMilliseconds = null) : IDisposable
{
    // Thread.Sleep(1) wakes up late, so the last part of the time is spent spinning.
    private static readonly long SpinTicks = Stopwatch.Frequency / 1_000_000 * 1200;

    private readonly Func<long> _clock = clock ?? Stopwatch.GetTimestamp;
    private readonly Action<int> _sleep = sleepMilliseconds ?? Thread.Sleep;
    private readonly SemaphoreSlim _turnstile = new(1, 1);
    private long _startTimestamp;
    private long _issued;

    public double TicksPerOperation { get; } = Stopwatch.Frequency / operationsPerSecond;

    /// <summary>Starts the schedule: the first operation is due now.</summary>
    public void Start()
    {
        _startTimestamp = _clock();
        _issued = 0;
    }

    /// <summary>Waits for the next operation's turn. Only one caller at a time watches the clock; the others queue.</summary>
    /// <returns>The timestamp at which it should have started, or null when <paramref name="deadlineTimestamp"/> comes first.</returns>
    public async ValueTask<long?> WaitAsync(long deadlineTimestamp, CancellationToken cancellationToken)
    {
        await _turnstile.WaitAsync(cancellationToken);
        try
        {
            return WaitForTurn(deadlineTimestamp, cancellationToken);
        }
        finally
        {
            _turnstile.Release();
        }
    }

    public long? Wait(long deadlineTimestamp, CancellationToken cancellationToken) =>
        WaitForTurn(deadlineTimestamp, cancellationToken);

    /// <summary>
    /// Takes all operations that are due before this time, without waiting. Must not be called while another thread waits.
    /// </summary>
    /// <returns>How many these are, and when the last of them was due.</returns>
    public (long Count, long LastDue) TakeDue(long deadlineTimestamp)
    {
        long all = (long)Math.Ceiling((deadlineTimestamp - _startTimestamp) / TicksPerOperation);
        long count = Math.Max(0, all - _issued);
        _issued += count;
        return (count, DueOf(_issued - 1));
    }

    public void Dispose() => _turnstile.Dispose();

    // Limited, so that a time in hundreds of years does not overflow.
    private long DueOf(long operation) => _startTimestamp + (long)Math.Min(operation * TicksPerOperation, long.MaxValue / 2);

    private long? WaitForTurn(long deadlineTimestamp, CancellationToken cancellationToken)
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
