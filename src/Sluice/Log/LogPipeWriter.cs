using System.Buffers;
using System.IO.Pipelines;

namespace Sluice.Log;

/// <summary>A pipe into the log: what was written up to a flush is one record. For one producer at a time, as pipe writers are.</summary>
#pragma warning disable CA1001 // Without a timer or a wait handle a source of cancellations holds nothing that is to be given back.
internal sealed class LogPipeWriter(SluiceLog log, LogDurability durability) : PipeWriter
#pragma warning restore CA1001
{
    private readonly ArrayBufferWriter<byte> _record = new();
    private CancellationTokenSource _cancellation = new();
    private bool _isCompleted;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _record.WrittenCount;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }

        return _record.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes) => _record.Advance(bytes);

    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        CancellationTokenSource cancellation = Volatile.Read(ref _cancellation);
        using CancellationTokenSource? both = cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(cancellation.Token, cancellationToken)
            : null;
        try
        {
            await AppendAsync((both ?? cancellation).Token).ConfigureAwait(false);
            return default;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            Volatile.Write(ref _cancellation, new CancellationTokenSource());
            return new FlushResult(isCanceled: true, isCompleted: false);
        }
        catch (OperationCanceledException e) when (e.CancellationToken != cancellationToken)
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
    }

    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        // What is refused is refused as a whole, before anything of it is taken.
        log.ThrowIfReserved();
        return base.WriteAsync(source, cancellationToken);
    }

    /// <summary>The flush that waits for memory of the log, or else the next one, appends nothing; the bytes stay.</summary>
    public override void CancelPendingFlush() => Volatile.Read(ref _cancellation).Cancel();

    public override void Complete(Exception? exception = null)
    {
        if (TryComplete(exception, out ReadOnlyMemory<byte> last))
        {
            _ = log.Append(last.Span, durability);
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (TryComplete(exception, out ReadOnlyMemory<byte> last))
        {
            _ = await log.AppendAsync(last, durability).ConfigureAwait(false);
        }
    }

    /// <summary>Whether there is a last record. A flush that comes later has none.</summary>
    private bool TryComplete(Exception? exception, out ReadOnlyMemory<byte> last)
    {
        last = _record.WrittenMemory;
        bool appends = !_isCompleted && exception is null && !last.IsEmpty;
        if (appends)
        {
            // What is refused completes nothing.
            log.ThrowIfReserved();
        }

        _isCompleted = true;
        _record.ResetWrittenCount();
        return appends;
    }

    private async ValueTask AppendAsync(CancellationToken cancellationToken)
    {
        if (_record.WrittenCount > 0)
        {
            _ = await log.AppendAsync(_record.WrittenMemory, durability, cancellationToken).ConfigureAwait(false);
            _record.ResetWrittenCount();
        }
    }
}
