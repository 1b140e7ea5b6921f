using Sluice.Uring;

namespace Sluice;

/// <summary>
/// An engine with faults, for tests: it carries operations by another engine and, as its plan says, cuts transfers short, lets them
/// fail, delays completions or changes their order. Plug it in by <see cref="SluiceOptions.Engine"/> or
/// <see cref="IoEngine.UseForCurrentContext"/>; every transfer of such a handle passes through it, synchronous ones too. Thread-safe.
/// </summary>
public sealed class FaultyEngine : IoEngine, IIoInterceptor
{
    private readonly IoEngine _inner;
    private readonly Lock _heldLock = new();
    private IoOperation? _held;
    private int _heldResult;
    private long _submissions;
    private long _faults;

    /// <summary>Puts faults before an engine.</summary>
    /// <param name="plan">The faults.</param>
    /// <param name="inner">The engine that does the work; null for the process's own.</param>
    /// <exception cref="ArgumentNullException"><paramref name="plan"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="inner"/> is itself a <see cref="FaultyEngine"/>.</exception>
    public FaultyEngine(FaultPlan plan, IoEngine? inner = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        if (inner is FaultyEngine)
        {
            throw new ArgumentException("Faulty engines do not nest: put all faults into one plan.", nameof(inner));
        }

        Plan = plan;
        _inner = inner ?? SluiceEngines.Default;
    }

    /// <summary>The faults.</summary>
    public FaultPlan Plan { get; }

    /// <inheritdoc/>
    public override string Name => $"faulty {_inner.Name}";

    /// <summary>How many submissions passed through; the rest of a partial transfer counts anew.</summary>
    public long OperationCount => Volatile.Read(ref _submissions);

    /// <summary>How many of them met a fault.</summary>
    public long FaultCount => Volatile.Read(ref _faults);

    internal override bool BlocksThreads => _inner.BlocksThreads;

    internal override void Submit(IoOperation operation)
    {
        long number = Interlocked.Increment(ref _submissions) - 1;
        bool isWrite = operation.Verb is IoVerb.Write or IoVerb.WriteVector or IoVerb.Append;
        FaultKind kind = Plan.Choose(number, isWrite, out double fraction);
        if (kind != FaultKind.None)
        {
            Interlocked.Increment(ref _faults);
        }

        switch (kind)
        {
            case FaultKind.Interrupted:
                FailSoon(operation, Errno.EINTR);
                return;
            case FaultKind.Busy:
                FailSoon(operation, Errno.EAGAIN);
                return;
            case FaultKind.DeviceError:
                FailSoon(operation, Errno.EIO);
                return;
            case FaultKind.DiskFull:
                FailSoon(operation, isWrite ? Errno.ENOSPC : Errno.EIO);
                return;
            case FaultKind.ShortTransfer:
                operation.Shorten(1 + (int)(fraction * (operation.Length - 1)));
                break;
            case FaultKind.Delay:
                operation.Interceptor = new Delayed(fraction * Plan.MostDelayMs);
                break;
            case FaultKind.Reorder:
                operation.Interceptor = this;
                break;
            default:
                break;
        }

        _inner.Submit(operation);
    }

    /// <summary>Holds a completion back until the next one that is held, or a few milliseconds.</summary>
    void IIoInterceptor.OnCompleted(IoOperation operation, int result)
    {
        IoOperation? earlier;
        int earlierResult;
        lock (_heldLock)
        {
            earlier = _held;
            earlierResult = _heldResult;
            _held = operation;
            _heldResult = result;
        }

        earlier?.Complete(earlierResult);
        _ = ReleaseLaterAsync(operation);
    }

    private static void FailSoon(IoOperation operation, int errno)
    {
        operation.LeaveGate();
        operation.IsFault = true;
        ThreadPool.UnsafeQueueUserWorkItem(static state => state.Operation.Complete(-state.Errno), (Operation: operation, Errno: errno), false);
    }

    /// <summary>No other completion has come to overtake it: it must not be held for ever.</summary>
    private async Task ReleaseLaterAsync(IoOperation operation)
    {
        await Task.Delay(1 + Plan.MostDelayMs).ConfigureAwait(false);
        int result;
        lock (_heldLock)
        {
            // Passed on already; should the pooled object be held anew by now, it is only passed on a little early.
            if (_held != operation)
            {
                return;
            }

            result = _heldResult;
            _held = null;
        }

        operation.Complete(result);
    }

    /// <summary>Passes a completion on after a while.</summary>
    private sealed class Delayed(double delayMs) : IIoInterceptor
    {
        public void OnCompleted(IoOperation operation, int result) =>
            _ = PassOnAsync(operation, result);

        private async Task PassOnAsync(IoOperation operation, int result)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(delayMs)).ConfigureAwait(false);
            operation.Complete(result);
        }
    }
}
