namespace Sluice.Testing;

/// <summary>
/// An engine with faults, for tests: it carries operations by another engine and, as its plan says, cuts transfers short, lets them
/// fail, delays completions or changes their order. Plug it in by <see cref="SluiceOptions.Engine"/> or
/// <see cref="IoEngine.UseForCurrentContext"/>; every transfer of such a handle passes through it, synchronous ones too. Thread-safe.
/// </summary>
public sealed class FaultyEngine : InterceptingEngine
{
    // Errno values of Linux.
    private const int EINTR = 4;
    private const int EIO = 5;
    private const int EAGAIN = 11;
    private const int ENOSPC = 28;

    private TaskCompletionSource? _held;
    private long _submissions;
    private long _faults;

    /// <summary>Puts faults before an engine.</summary>
    /// <param name="plan">The faults.</param>
    /// <param name="inner">The engine that does the work; null for the process's own.</param>
    /// <exception cref="ArgumentNullException"><paramref name="plan"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="inner"/> is itself an intercepting engine.</exception>
    public FaultyEngine(FaultPlan plan, IoEngine? inner = null)
        : base(inner)
    {
        ArgumentNullException.ThrowIfNull(plan);
        Plan = plan;
    }

    /// <summary>The faults.</summary>
    public FaultPlan Plan { get; }

    /// <inheritdoc/>
    public override string Name => $"faulty {Inner.Name}";

    /// <summary>
    /// How many submissions passed through. The rest of a partial transfer counts anew, and so does what is submitted again: after EINTR or
    /// EAGAIN, or because the thread that submitted it has ended and the kernel cancelled it.
    /// </summary>
    public long OperationCount => Volatile.Read(ref _submissions);

    /// <summary>
    /// How many of them met a fault; a <see cref="FaultKind.ShortTransfer"/> of what cannot be cut, which does nothing, counts too.
    /// </summary>
    public long FaultCount => Volatile.Read(ref _faults);

    /// <inheritdoc/>
    protected override Interception OnSubmit(in IoSubmission submission)
    {
        long number = Interlocked.Increment(ref _submissions) - 1;
        FaultKind kind = Plan.Choose(number, submission.IsWrite, out double fraction);
        if (kind != FaultKind.None)
        {
            Interlocked.Increment(ref _faults);
        }

        switch (kind)
        {
            case FaultKind.Interrupted:
                return Interception.Fail(EINTR);
            case FaultKind.Busy:
                return Interception.Fail(EAGAIN);
            case FaultKind.DeviceError:
                return Interception.Fail(EIO);
            case FaultKind.DiskFull:
                return Interception.Fail(submission.IsWrite ? ENOSPC : EIO);
            case FaultKind.ShortTransfer when submission.Length > 0:
                return Interception.ShortenTo(1 + (int)(fraction * (submission.Length - 1)));
            case FaultKind.Delay:
                return Interception.HoldUntil(() => DelayThread.After(TimeSpan.FromMilliseconds(fraction * Plan.MaxDelayMs)));
            case FaultKind.Reorder:
                return Interception.HoldUntil(Reorder);
            default:
                return Interception.PassOn;
        }
    }

    /// <summary>
    /// The first waits for a second, which does not wait, and ends behind it; where none comes, it ends alone. Nothing is awaited: .NET
    /// queues an await that comes a moment late for its pool, all threads of which may wait for this.
    /// </summary>
    private Task Reorder()
    {
        TaskCompletionSource held = new();
        while (Interlocked.CompareExchange(ref _held, held, null) is { } earlier)
        {
            if (Interlocked.CompareExchange(ref _held, null, earlier) == earlier)
            {
                AfterAWhile(earlier.SetResult);
                return Task.CompletedTask;
            }
        }

        AfterAWhile(() =>
        {
            if (Interlocked.CompareExchange(ref _held, null, held) == held)
            {
                held.SetResult();
            }
        });
        return held.Task;
    }

    private void AfterAWhile(Action action) => DelayThread.Run(action, TimeSpan.FromMilliseconds(1 + Plan.MaxDelayMs));
}
