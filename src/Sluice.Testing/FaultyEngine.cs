namespace Sluice.Testing;

/// <summary>Represents an engine for tests that causes faults, such as short transfers, errors and late completions.</summary>
/// <remarks>
/// <para>
/// To use the engine, set <see cref="SluiceOptions.Engine"/> or call <see cref="IoEngine.UseForCurrentContext"/>. All transfers of a handle
/// with this engine pass through it, including synchronous ones. It causes the planned faults and passes the operations on to the inner
/// engine, by default the engine of the process.
/// </para>
/// <para>All members are thread-safe.</para>
/// </remarks>
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

    /// <summary>Initializes a new instance of the <see cref="FaultyEngine"/> class.</summary>
    /// <param name="plan">The faults to cause.</param>
    /// <param name="inner">
    /// The engine that performs the operations, or <see langword="null"/> (the default) for <see cref="SluiceEngines.Default"/>.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="plan"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="inner"/> is an <see cref="InterceptingEngine"/>.</exception>
    public FaultyEngine(FaultPlan plan, IoEngine? inner = null)
        : base(inner)
    {
        ArgumentNullException.ThrowIfNull(plan);
        Plan = plan;
    }

    /// <summary>Gets the plan that defines the faults.</summary>
    public FaultPlan Plan { get; }

    /// <summary>Gets the name of the engine: "faulty", a space, and the name of the inner engine.</summary>
    public override string Name => $"faulty {Inner.Name}";

    /// <summary>Gets the number of submissions that have passed through the engine.</summary>
    /// <remarks>
    /// An operation can need several submissions, for example after a short transfer, EINTR or EAGAIN. Each submission is counted.
    /// </remarks>
    public long OperationCount => Volatile.Read(ref _submissions);

    /// <summary>Gets the number of submissions for which the plan chose a fault.</summary>
    /// <remarks>
    /// The number includes each <see cref="FaultKind.ShortTransfer"/> that has no effect because the operation cannot be shortened.
    /// </remarks>
    public long FaultCount => Volatile.Read(ref _faults);

    /// <summary>Chooses the fault of a submission.</summary>
    /// <param name="submission">The submission.</param>
    /// <returns>The interception that causes the fault, or <see cref="Interception.PassOn"/> if the submission has no fault.</returns>
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
    /// Delays the first of two submissions until the second one has ended, or until no second one has come in time. The method does not use
    /// await, because continuations could be queued to the thread pool, all of whose threads may wait for this submission.
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
