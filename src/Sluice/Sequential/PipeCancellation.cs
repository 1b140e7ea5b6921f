namespace Sluice.Sequential;

/// <summary>
/// CancelPendingRead and CancelPendingFlush of a pipe, which any thread may call at any time: they end the wait that runs, or else the next
/// one. Thread-safe.
/// </summary>
internal sealed class PipeCancellation
{
    private readonly Lock _lock = new();
    private CancellationTokenSource? _source;

    /// <summary>Ends the wait that runs, or else the next one.</summary>
    public void Cancel() => Source().Cancel();

    /// <summary>Whether <see cref="Cancel"/> was called since this was asked last.</summary>
    public bool TryTake()
    {
        lock (_lock)
        {
            bool result = _source is { IsCancellationRequested: true };
            _source = result ? null : _source;
            return result;
        }
    }

    /// <summary>A wait that <see cref="Cancel"/> or the caller's token ends.</summary>
    public Wait Begin(CancellationToken cancellationToken)
    {
        CancellationTokenSource source = Source();
        return new Wait(source.Token, cancellationToken);
    }

    private CancellationTokenSource Source()
    {
        lock (_lock)
        {
            return _source ??= new CancellationTokenSource();
        }
    }

    /// <summary>The tokens of one wait, as one.</summary>
    public readonly struct Wait : IDisposable
    {
        private readonly CancellationTokenSource? _both;

        public Wait(CancellationToken own, CancellationToken callers)
        {
            _both = callers.CanBeCanceled ? CancellationTokenSource.CreateLinkedTokenSource(own, callers) : null;
            Token = _both?.Token ?? own;
        }

        public CancellationToken Token { get; }

        public void Dispose() => _both?.Dispose();
    }
}
