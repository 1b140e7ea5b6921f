using System.IO.Pipelines;

namespace Sluice.Sequential;

/// <summary>
/// A pipe whose other end is a file: the producer fills the writer's own blocks. Flushing waits until there is room for more, and does
/// not send off a block that is not full. Completing it completes and closes the writer.
/// </summary>
internal sealed class SluicePipeWriter(SluiceWriter writer) : PipeWriter
{
    private readonly Lock _lock = new();
    private CancellationTokenSource? _pendingCancellation;
    private bool _cancelNext;
    private bool _isCompleted;
    private long _unflushed;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        ThrowIfCompleted();
        return writer.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        writer.Advance(bytes);
        _unflushed += bytes;
    }

    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfCompleted();
        cancellationToken.ThrowIfCancellationRequested();
        using CancellationTokenSource pending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        lock (_lock)
        {
            if (_cancelNext)
            {
                _cancelNext = false;
                return new FlushResult(isCanceled: true, isCompleted: false);
            }

            _pendingCancellation = pending;
        }

        try
        {
            await writer.WriteAsync(ReadOnlyMemory<byte>.Empty, pending.Token).ConfigureAwait(false);
            _unflushed = 0;
            return new FlushResult(isCanceled: false, isCompleted: false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            lock (_lock)
            {
                _cancelNext = false;
            }

            return new FlushResult(isCanceled: true, isCompleted: false);
        }
        finally
        {
            lock (_lock)
            {
                _pendingCancellation = null;
            }
        }
    }

    public override void CancelPendingFlush()
    {
        lock (_lock)
        {
            _cancelNext = true;
            _pendingCancellation?.Cancel();
        }
    }

    public override void Complete(Exception? exception = null)
    {
        if (!_isCompleted)
        {
            _isCompleted = true;
            writer.Dispose();
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (!_isCompleted)
        {
            _isCompleted = true;
            await writer.DisposeAsync().ConfigureAwait(false);
        }
    }

    private void ThrowIfCompleted()
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }
    }
}
