using System.IO.Pipelines;

namespace Sluice.Sequential;

/// <summary>
/// A pipe whose other end is a file: the producer fills the writer's own blocks. It behaves as
/// <see cref="PipeWriter.Create(Stream, StreamPipeWriterOptions?)"/> over the file: flushing hands everything to the operating system. Full
/// blocks go there before they are flushed; a pipe that is completed with an exception cuts them off again. Completing it closes the
/// writer.
/// </summary>
internal sealed class SluicePipeWriter(SluiceWriter writer) : PipeWriter
{
    private readonly PipeCancellation _cancellation = new();
    private bool _isCompleted;
    private long _unflushed;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }

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
        if (_unflushed == 0)
        {
            return default;
        }

        using PipeCancellation.Wait wait = _cancellation.Begin(cancellationToken);
        try
        {
            await writer.FlushAsync(cancellationToken: wait.Token).ConfigureAwait(false);
            _unflushed = 0;
            return default;
        }
        catch (OperationCanceledException e) when (cancellationToken.IsCancellationRequested)
        {
            _ = _cancellation.TryTake();
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
        catch (OperationCanceledException) when (_cancellation.TryTake())
        {
            return new FlushResult(isCanceled: true, isCompleted: false);
        }
    }

    public override void CancelPendingFlush() => _cancellation.Cancel();

    public override void Complete(Exception? exception = null)
    {
        if (TryBeginComplete(exception))
        {
            writer.Dispose();
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (TryBeginComplete(exception))
        {
            await writer.DisposeAsync().ConfigureAwait(false);
        }
    }

    private bool TryBeginComplete(Exception? exception)
    {
        if (_isCompleted)
        {
            return false;
        }

        _isCompleted = true;
        if (exception is not null)
        {
            writer.Abandon(exception);
        }

        _unflushed = 0;
        return true;
    }
}
